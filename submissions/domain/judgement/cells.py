"""Runs of one figure -> cells: one value per card, host and submitter, with what stays out left out."""

from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement import robust
from submissions.domain.judgement.link_limits import Links
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask
from submissions.domain.judgement.runs import Runs, over_the_link, unit_suspected


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


def gather(runs: Runs, links: Links | None = None, *, parameters: Parameters = DEFAULTS) -> Cells:
    """Cells of these runs without values over the link or in a wrong unit. The order of the runs does not matter.

    What a host's link reaches is taken from `links` where it was learned, from the runs where not.
    """
    kept = _sorted(runs.where(~over_the_link(runs, parameters) & ~unit_suspected(runs, parameters)))
    first = np.ones(len(kept.model), dtype=bool)
    key = np.column_stack([kept.model, kept.card, kept.host, kept.submitter])
    first[1:] = (key[1:] != key[:-1]).any(axis=1)
    cell = np.cumsum(first) - 1
    number = int(first.sum())
    value = robust.medians(cell, kept.log_value, count=number)
    repeats = robust.counts(cell, count=number)
    limit = _limits(kept.host[first], kept.log_reach[first], links, parameters)
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


def _limits(host: Index, log_reach: Floats, links: Links | None, parameters: Parameters) -> Floats:
    """From here on a value only says "at least"; a learned reach needs less of a margin."""
    learned = np.full(len(host), np.nan) if links is None else links.log_reach[host]
    limits: Floats = np.where(
        np.isnan(learned), log_reach - parameters.link_margin, learned - parameters.learned_margin
    )
    return limits


def _sorted(runs: Runs) -> Runs:
    return runs.where(np.lexsort((runs.log_value, runs.submitter, runs.host, runs.card, runs.model)))


def _residuals(log_value: Floats, cell: Index, value: Floats, repeats: Index, at_least: Mask) -> Floats:
    """Each scaled by sqrt(n / (n - 1)): a median of few lies close to them."""
    telling = ((repeats >= 3) & ~at_least)[cell]
    factor = np.sqrt(repeats / np.maximum(repeats - 1, 1))[cell]
    residuals: Floats = ((log_value - value[cell]) * factor)[telling]
    return residuals
