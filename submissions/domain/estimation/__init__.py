"""Estimate the abilities of card models from all measurements of many people, by one statistical model.

An ability is a property by which cards are compared, such as the rate of small writes. The natural log of a measured
value (of a latency: the negative log) is a sum of effects. The effects in the first line form a tree: a cell belongs to
a card, a card to a person, and so on. The effects in the second line are shared by many models of cards:

    log value = level + model + strangers + batch + person + card + cell
                + method + host

    effect ~ t(0, its spread)       (strangers: the error that people without a record may share; cell: noise)
    model ~ t(expected from its other abilities, its spread)
"""
