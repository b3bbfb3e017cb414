"""The output of the estimation: the abilities of each model, and how the values of its cards lie around them."""

from dataclasses import dataclass

from submissions.domain.estimation.evidence import Floats, Index, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of the evidence as columns: a row for each card, host, person and method that was measured.

    log_value  median log value of the runs of the cell
    offset     log of the speed of the cell's method and host, relative to the reference method and host
    weight     how much the cell counts compared with a usual value, 0 to 1; below 0.3 it lies far from all others
    voice      precision that the cell adds to the mean of its model; small for one of many values of strangers
    at_least   whether the bus of the host was the limit, so that the card may be faster
    cell       by row of the evidence: the number of its cell, -1 if it was left out, since a page cache made it faster
               than the bus allows
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
    """The values of single cards as columns: a row for each ability and card that was measured.

    `value` is the log value of the card on the reference host, and `variance` the variance of `value`. `is_hidden`:
    every value of the card is only a lower bound, because the bus of the host was the limit.
    """

    ability: Index
    card: Index
    model: Index
    value: Floats
    variance: Floats
    is_hidden: Mask


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Estimates as arrays of abilities x models; logs are natural, and of values on the reference host.

    mean, sd         the estimate and its standard deviation; if the ability was not measured, expected from the others
    card_sd          standard deviation of a single card of the model around `mean`, including the error of `mean`
    is_measured      whether the ability has a value that counts
    level_known      False if all values are lower bounds, because the bus was the limit: `mean` is then only expected,
                     and `reached` was measured
    reached          of the medians of counting values by host, the highest; nan if no value counts
    median           median of the measured log values, nan if nothing was measured
    cards, people, runs   how many are behind the estimate
    known_people     number of people who are vouched for, plus those who have a record of confirmed results and agree,
                     if these are at least three together
    voices           number of people if people who may be the same person count once
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
    """Estimates for one slot (kind of device or bus), as arrays of abilities x models.

    No mean exceeds the rate of the slot. `median`: the median of the log values that were measured in this slot; nan if
    the estimate follows only from values of other slots.
    """

    mean: Floats
    sd: Floats
    card_sd: Floats
    median: Floats
