"""Estimate the abilities of models from all measurements of a crowd: one model for values, cards, people and hosts.

The natural log of a value (of a latency: its negative) is a sum of effects. Those of the first line form a tree: a cell
belongs to a card, a card to a person, and so on. Those of the second line are shared by many models:

    log value = level + model + strangers + batch + person + card + cell
                + method + host

    effect ~ t(0, its spread)       (strangers: the error that people without a record may share; cell: noise)
    model ~ t(expected from its other abilities, its spread)
"""
