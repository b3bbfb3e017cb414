"""Runs of one figure -> cells: one value per card, host and submitter, with what stays out left out."""

from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement import robust
from submissions.domain.judgement.link_limits import Links, without_link
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask
from submissions.domain.judgement.runs import Runs, over_the_link, unit_suspected


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """One row per card, host and submitter, sorted by model, card, host, submitter.

    `log_value` is the median over `runs` runs, or the faster of two that are far apart. `at_least`: the link may have
    been the limit; all that is known then is that the card reaches `log_value`, which is where the margin below the
    link begins. `repeat_residuals`: how far runs lie from the median of their cell, from cells of three and more.
    `belief` as in Runs.
    """

    model: Index
    card: Index
    host: Index
    submitter: Index
    log_value: Floats
    runs: Index
    at_least: Mask
    belief: Floats
    repeat_residuals: Floats

    def __len__(self) -> int:
        return len(self.model)

    def where(self, keep: Mask) -> "Cells":
        """Some of them, with all residuals."""
        columns = {name: getattr(self, name)[keep] for name in self.__slots__ if name != "repeat_residuals"}
        return Cells(**columns, repeat_residuals=self.repeat_residuals)


def gather(runs: Runs, links: Links | None = None, *, parameters: Parameters = DEFAULTS) -> Cells:
    """Cells of these runs without values over the link or in a wrong unit. The order of the runs does not matter.

    What a host's link reaches is taken from `links` where it was learned, from the runs where not.
    """
    if links is not None:
        runs = links.reached(runs)
    kept = _sorted(runs.where(~over_the_link(runs, parameters)))
    kept = kept.where(~unit_suspected(kept, parameters))
    first = np.ones(len(kept.model), dtype=bool)
    for key in (kept.model, kept.card, kept.host, kept.submitter):
        first[1:] &= key[1:] == key[:-1]
    first = ~first
    first[:1] = True
    cell = np.cumsum(first) - 1
    number = int(first.sum())
    repeats = robust.counts(cell, count=number)
    value = _values(kept.log_value, repeats, parameters)
    reach = kept.log_reach[first]
    limit = _limits(kept.host[first], reach, links, parameters)
    at_least = value >= limit
    soft = links.soft if links else 0.0
    return Cells(
        model=kept.model[first],
        card=kept.card[first],
        host=kept.host[first],
        submitter=kept.submitter[first],
        log_value=without_link(np.minimum(value, limit), reach, soft),
        runs=repeats,
        at_least=at_least,
        belief=kept.belief[first],
        repeat_residuals=_residuals(kept.log_value, cell, value, repeats, at_least),
    )


def _values(ascending: Floats, repeats: Index, parameters: Parameters) -> Floats:
    """What each cell shows. Of two runs far apart the faster: heat and other work only ever make slower, and with the
    mean of both half of it would count."""
    middle = robust.middles(ascending, repeats)
    fastest = ascending[np.cumsum(repeats) - 1]
    slowed = (repeats == 2) & (2 * (fastest - middle) > parameters.slowed)
    value: Floats = np.where(slowed, fastest, middle)
    return value


def _limits(host: Index, log_reach: Floats, links: Links | None, parameters: Parameters) -> Floats:
    """From here on a value only says "at least"; a learned reach needs less of a margin."""
    stated = np.isnan(links.of(host)) if links else np.ones(len(host), dtype=bool)
    limits: Floats = log_reach - np.where(stated, parameters.link_margin, parameters.learned_margin)
    return limits


def _sorted(runs: Runs) -> Runs:
    """By model, card, host, submitter and value. Of few numbers two columns make one key."""
    who = _one_key(runs.host, runs.submitter)
    return runs.where(np.lexsort((runs.log_value, who, _one_key(runs.model, runs.card))))


def _one_key(left: Index, right: Index) -> Index:
    least = right.min(initial=0)
    return left * (right.max(initial=0) - least + 1) + right - least


def _residuals(log_value: Floats, cell: Index, value: Floats, repeats: Index, at_least: Mask) -> Floats:
    """Each scaled by sqrt(n / (n - 1)): a median of few lies close to them."""
    telling = ((repeats >= 3) & ~at_least)[cell]
    factor = np.sqrt(repeats / np.maximum(repeats - 1, 1))[cell]
    residuals: Floats = ((log_value - value[cell]) * factor)[telling]
    return residuals
