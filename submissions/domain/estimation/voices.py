"""Sort the values of cards into sides, and find the centre of each side.

A side holds the cards of one silicon of a model in one ability. Each person has one voice in a side: the median of
their cards. The centre of a side is the Huber mean of its voices (P. J. Huber, Annals of Mathematical Statistics 35,
1964), with weights 1 / (variance of cards + error of the voice).
"""

from dataclasses import dataclass

import numpy as np

from submissions.domain.estimation.estimates import CardValues
from submissions.domain.estimation.evidence import Floats, Index, Mask
from submissions.domain.estimation.groups import add_up, find_middles, number_rows

CARDS_PER_SIDE, PEOPLE_PER_SIDE, KNOWN_PER_SIDE = 2, 2, 1
# Huber's constant for 95 % efficiency on normal values.
_BEND, _STEPS = 1.345, 5


@dataclass(frozen=True, slots=True, eq=False)
class CardFacts:
    """Facts about cards, as arrays by number of the card.

    variant    the id of the card's silicon, -1 if no register shows it
    person     the person who measured the card
    is_known   False if that person is a stranger, without a record of confirmed results
    """

    variant: Index
    person: Index
    is_known: Mask


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The sides (cards of one silicon of a model in one ability) as columns; a person has one voice in a side.

    Columns that start with `voice` have a row by voice, ascending in each side.

    is_enough            the side can be compared with another silicon
    slow_end, fast_end   the slowest and the fastest voice, after a quarter of all is left out at that end
    voice_square         squared distance of the voice from the centre of its side, standardised
    """

    ability: Index
    model: Index
    variant: Index
    cards: Index
    people: Index
    is_enough: Mask
    centre: Floats
    weight: Floats
    slow_end: Floats
    fast_end: Floats
    voice_side: Index
    voice_value: Floats
    voice_square: Floats


def make_sides(values: CardValues, facts: CardFacts, card_variance: Floats) -> Sides:
    """Return the values of cards, sorted into sides: the cards of one silicon of a model in one ability.

    `is_enough` needs a known silicon, at least two cards and two people, one of whom has a record, and that for at most
    half of the cards the bus of the host was the limit.
    """
    first, side = number_rows(values.ability, values.model, facts.variant[values.card])
    ability, variant, count = values.ability[first], facts.variant[values.card[first]], len(first)
    hidden, cards = (np.bincount(side[values.is_hidden == state], minlength=count) for state in (True, False))
    voice_side, value, error, is_known = _collect_voices(values, facts, side)
    weight = 1 / (card_variance[ability[voice_side]] + error)
    people = np.bincount(voice_side, minlength=count)
    begin, padded = np.cumsum(people) - people, np.append(value, np.nan)
    centre = _find_centres(voice_side, value, weight, find_middles(value, begin, people))
    is_enough = (cards >= np.maximum(hidden, CARDS_PER_SIDE)) & (people >= PEOPLE_PER_SIDE) & (variant >= 0)
    return Sides(
        ability=ability,
        model=values.model[first],
        variant=variant,
        cards=cards,
        people=people,
        is_enough=is_enough & (add_up(voice_side, is_known, count) >= KNOWN_PER_SIDE),
        centre=centre,
        weight=add_up(voice_side, weight, count),
        slow_end=padded[begin + people // 4],
        fast_end=padded[begin + np.maximum(people - 1 - people // 4, 0)],
        voice_side=voice_side,
        voice_value=value,
        voice_square=weight * (value - centre[voice_side]) ** 2,
    )


def _collect_voices(values: CardValues, facts: CardFacts, side: Index) -> tuple[Index, Floats, Floats, Mask]:
    rows = np.flatnonzero(~values.is_hidden)
    rows = rows[np.lexsort((values.value[rows], facts.person[values.card[rows]], side[rows]))]
    side, person = side[rows], facts.person[values.card[rows]]
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = (side[1:] != side[:-1]) | (person[1:] != person[:-1])
    begin, voice = np.flatnonzero(is_first), np.cumsum(is_first) - 1
    cards = np.bincount(voice, minlength=len(begin))
    value = find_middles(values.value[rows], begin, cards)
    error = add_up(voice, values.variance[rows], len(begin)) / cards
    order = np.lexsort((value, side[begin]))
    is_known = facts.is_known[values.card[rows[begin]]]
    return side[begin][order], value[order], error[order], is_known[order]


def _find_centres(side: Index, value: Floats, weight: Floats, centre: Floats) -> Floats:
    for _ in range(_STEPS):
        distance = np.abs(value - centre[side]) * np.sqrt(weight)
        bent = weight * _BEND / np.maximum(distance, _BEND)
        total = np.maximum(add_up(side, bent, len(centre)), 1e-300)
        centre = add_up(side, bent * value, len(centre)) / total
    return centre
