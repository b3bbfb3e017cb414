"""Runs of one figure -> cells: one value per card, host and submitter, with what stays out left out."""

from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement import robust
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Believable values of one figure, one row each. Models, cards, hosts and submitters are numbers from 0.

    `log_value`: natural log of a figure where more is better, in its base unit; `log_reach`: log of what the
    host's link reaches in practice, in the same unit, inf where it is not known or does not matter.
    """

    model: Index
    card: Index
    host: Index
    submitter: Index
    log_value: Floats
    log_reach: Floats

    def __post_init__(self) -> None:
        sizes = {len(getattr(self, name)) for name in self.__slots__}
        if len(sizes) != 1:
            raise ValueError(f"the columns of Runs differ in length: {sorted(sizes)}")
        if not np.isfinite(self.log_value).all():
            raise ValueError("a log_value is not finite; leave out what is missing, zero or less")

    def where(self, keep: Mask | Index) -> "Runs":
        return Runs(*(getattr(self, name)[keep] for name in self.__slots__))


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """One row per card, host and submitter, sorted by model, card, host, submitter.

    `log_value` is the median over `runs` runs. `at_least`: the link may have been the limit; all that is known then
    is that the card reaches `log_value`, which is where the margin below the link begins. `repeat_residuals`:
    how far runs lie from the median of their cell, from cells of three and more.
    """

    model: Index
    card: Index
    host: Index
    submitter: Index
    log_value: Floats
    runs: Index
    at_least: Mask
    repeat_residuals: Floats

    def __len__(self) -> int:
        return len(self.model)


def over_the_link(runs: Runs, parameters: Parameters = DEFAULTS) -> Mask:
    """Rows faster than their link can be: page cache or a wrong unit."""
    return runs.log_value > runs.log_reach + parameters.over_link


def gather(runs: Runs, parameters: Parameters = DEFAULTS) -> Cells:
    """Cells of these runs without the values over the link. The order of the runs does not matter."""
    kept = _sorted(runs.where(~over_the_link(runs, parameters)))
    first = np.ones(len(kept.model), dtype=bool)
    key = np.column_stack([kept.model, kept.card, kept.host, kept.submitter])
    first[1:] = (key[1:] != key[:-1]).any(axis=1)
    cell = np.cumsum(first) - 1
    number = int(first.sum())
    value = robust.medians(cell, kept.log_value, count=number)
    repeats = robust.counts(cell, count=number)
    limit = kept.log_reach[first] - parameters.link_margin
    at_least = value >= limit
    return Cells(
        model=kept.model[first],
        card=kept.card[first],
        host=kept.host[first],
        submitter=kept.submitter[first],
        log_value=np.minimum(value, limit),
        runs=repeats,
        at_least=at_least,
        repeat_residuals=_residuals(kept.log_value, cell, value, repeats, at_least),
    )


def _sorted(runs: Runs) -> Runs:
    return runs.where(np.lexsort((runs.log_value, runs.submitter, runs.host, runs.card, runs.model)))


def _residuals(log_value: Floats, cell: Index, value: Floats, repeats: Index, at_least: Mask) -> Floats:
    """Each scaled by sqrt(n / (n - 1)): a median of few lies close to them."""
    telling = ((repeats >= 3) & ~at_least)[cell]
    factor = np.sqrt(repeats / np.maximum(repeats - 1, 1))[cell]
    residuals: Floats = ((log_value - value[cell]) * factor)[telling]
    return residuals
