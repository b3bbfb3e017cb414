"""The output of the estimation: the abilities of each model, and how its cards and values lie around them."""

from dataclasses import dataclass

from submissions.domain.estimation.evidence import Floats, Index, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A row for each card, host, person and method that was measured; `log_value` is the median of its runs.

    offset     log of how many times as fast the method and the host make it as the reference ones
    weight     0 to 1: how much it counts compared with a usual value; below .3 it lies far from all others
    voice      precision that it adds to the mean of its model; it is small for one of many values of strangers
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

    mean, sd         the estimate and its standard deviation; expected from other abilities if it was not measured
    card_sd          standard deviation of a single card of the model around `mean`, including the error of `mean`
    is_measured      the ability has a value that counts
    level_known      False if links limited all of its values: `mean` is then only expected, and `reached` was measured
    reached          median of the values that count on the host with the highest one; nan if there is none
    median           median of its measured log values, nan if nothing was measured
    cards, people, runs, known_people, voices   how many are behind it; known people are vouched for, or three who agree
                     have a record; people who may be one are one voice
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
    voices: Index
    cells: Cells
    card_values: CardValues


@dataclass(frozen=True, slots=True, eq=False)
class InSlot:
    """Estimates for one slot, as arrays of abilities x models; no mean exceeds the rate of the slot.

    `median`: of the log values that were measured in such a slot; nan if the estimate follows from other slots only.
    """

    mean: Floats
    sd: Floats
    card_sd: Floats
    median: Floats
