"""The output of the estimation: the abilities of each model, and how its cards and values lie around them."""

from dataclasses import dataclass

from submissions.domain.estimation.evidence import Floats, Index, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A row for each card, host, person and method that was measured; `log_value` is the median of its runs.

    offset     log of how much faster the method and the host make it than the reference
    weight     0 to 1: how much it counts beside a usual value; below .3 it lies far from all others
    voice      precision that it adds to the mean of its model; many values of strangers have one voice
    at_least   the link was the limit, so the card may be faster
    cell       for each row of the evidence the number of its cell, -1 if it was left out (page cache, over the link)
    """

    ability: Index
    model: Index
    card: Index
    host: Index
    person: Index
    method: Index
    log_value: Floats
    offset: Floats
    weight: Floats
    voice: Floats
    at_least: Mask
    cell: Index


@dataclass(frozen=True, slots=True, eq=False)
class CardValues:
    """A row for each ability and card that was measured.

    `value` is its log value on the reference host, with its `variance`; `is_hidden`: links hid all of it.
    """

    ability: Index
    card: Index
    model: Index
    value: Floats
    variance: Floats
    is_hidden: Mask


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Arrays are abilities x models; logs are natural, on the reference host.

    mean, sd         the estimate and its standard deviation; an expected value if it was not measured
    card_sd          standard deviation of a single card of the model around `mean`, with the uncertainty of `mean`
    is_measured      some value of the ability counts
    level_known      False if links hid all of its values: then `mean` is only expected, and it reaches `reached`
    reached          the middle value on the host where it is highest, of values that count; nan if there is none
    median           the middle of its measured log values, nan if nothing was measured
    cards, people, runs, known_people   behind it; known people are vouched for, or three who agree have a record
    """

    mean: Floats
    sd: Floats
    card_sd: Floats
    is_measured: Mask
    level_known: Mask
    reached: Floats
    median: Floats
    cards: Index
    people: Index
    runs: Index
    known_people: Index
    cells: Cells
    card_values: CardValues


@dataclass(frozen=True, slots=True, eq=False)
class InSlot:
    """Estimates for one slot, as arrays of abilities x models.

    `is_here`: it was measured in such a slot; the others are expected from elsewhere. No mean exceeds the slot's rate.
    """

    mean: Floats
    sd: Floats
    card_sd: Floats
    is_here: Mask
