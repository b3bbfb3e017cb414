"""Estimate the abilities of models from all measurements of a crowd: one model for values, cards, people and hosts.

The natural log of a value (of a latency: its negative) is a sum of effects. The first are a tree, so that each belongs
to the one before it; the last two cross the tree:

    log value = level + model + strangers + batch + person + card + cell
                + method + host

    effect ~ t(0, its spread)
    model ~ t(expected from its other abilities, its spread)
"""
