"""What a host's link reaches in practice, seen from the pile of values that ends there.

Data sheets say what a link carries, not what a board reaches, and a USB reader says nothing at all, or the wrong thing.
But where a link is the limit, fast cards of many models pile up at one value and nothing lies just below. A host has
one link: where reads show what it reaches, writes end there, too. What most of its cards exceed is not its limit.

A link is no wall. Card and link work partly at the same time, partly one after the other, so that of a card that does v
alone and a link that reaches r

    y = -w log(exp(-v / w) + exp(-r / w))     (logs)

is measured: the smaller of the two for w = 0, the sum of their times for w = 1. w is one number for the whole crowd,
the one with the least absolute error in models of which v is seen on faster links; a weak prior stands in for few.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from submissions.domain.judgement import robust
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask
from submissions.domain.judgement.runs import Runs, over_the_link

# Half the width of a pile, in log: 5 %.
_HALF = 0.05
# Log of more bytes per second than any link carries.
_NO_LIMIT = 50.0
# A link softer than this is a wall; further below it than so many times its softness a value is as without it.
_HARD, _FAR = 1e-3, 20.0
_SOFT = np.linspace(0.0, 0.5, 51)
# A link is near a card when they differ by no more than this, in log. What a model does alone is seen on links so far
# above, first of its middle, then of what is seen there.
_NEAR, _AWAY = 0.3, (0.3, 0.6)
# Runs on faster links that tell what a model does alone.
_FREE_RUNS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Log of what each host reaches, nan where nothing shows it. Ends with nan for a host not seen yet (-1).
    `soft`: how softly links limit, in log; 0 is a wall."""

    log_reach: Floats
    soft: float = 0.0

    def reached(self, runs: Runs) -> Runs:
        """These runs, with what was learned of their links in place of what their hosts say."""
        learned = self.of(runs.host)
        return replace(runs, log_reach=np.where(np.isnan(learned), runs.log_reach, learned))

    def of(self, host: Index) -> Floats:
        """What these hosts reach; nan where it is not known, as of every host that was not seen."""
        reach: Floats = self.log_reach[np.maximum(host, -1)]
        return reach


def without_link(log_value: Floats, log_reach: Floats, soft: float) -> Floats:
    """What would have been measured had no link been in the way. `log_value`: below what the link reaches."""
    away = (log_reach - log_value) / max(soft, _HARD)
    near = away < _FAR
    free = log_value.copy()
    free[near] = log_reach[near] - soft * np.log(np.expm1(away[near]))
    return free


def learn(figures: Collection[Runs], *, hosts: int, parameters: Parameters = DEFAULTS) -> Links:
    """The links of a crowd, from all figures that a link can limit. The order of the runs does not matter."""
    belied = np.zeros(hosts, dtype=bool)
    for runs in figures:
        belied |= _belied(runs, hosts, parameters)
    log_reach = np.where(belied, _NO_LIMIT, np.nan)
    piles = np.full(hosts, np.nan)
    for runs in figures:
        piles = np.fmax(
            piles, _piles(runs.where(~over_the_link(runs, parameters) | belied[runs.host]), hosts, parameters)
        )
    links = Links(np.append(np.where(np.isnan(piles), log_reach, piles), np.nan))
    return replace(links, soft=_softness([links.reached(runs) for runs in figures], parameters))


def _softness(figures: Collection[Runs], parameters: Parameters) -> float:
    """w, from runs whose link reaches about what their model does on faster links."""
    models, errors = 0, np.zeros(len(_SOFT))
    for runs, alone in map(_near_link, figures):
        models += len(np.unique(runs.model))
        errors += [np.abs(runs.log_value - softened(alone, runs.log_reach, soft)).sum() for soft in _SOFT]
    learned, usual = float(_SOFT[int(errors.argmin())]), parameters.soft_models
    return (models * learned + usual * parameters.usual_soft) / (models + usual)


def _near_link(runs: Runs) -> tuple[Runs, Floats]:
    """(runs that end about where their link does, what their models do on much faster links)."""
    runs = runs.where(runs.log_reach < _NO_LIMIT)
    free, alone = runs, _alone(runs)
    for away in _AWAY:
        free = runs.where(runs.log_reach > alone[runs.model] + away)
        alone = _alone(free, len(alone))
    alone[robust.counts(free.model, count=len(alone)) < _FREE_RUNS] = np.nan
    near = np.abs(runs.log_reach - alone[runs.model]) < _NEAR
    return runs.where(near), alone[runs.model][near]


def _alone(runs: Runs, count: int = 0) -> Floats:
    """The middle value of each model."""
    count = max(count, int(runs.model.max(initial=-1)) + 1)
    return robust.medians(runs.model, runs.log_value, count=count)


def softened(alone: Floats, log_reach: Floats, soft: float) -> Floats:
    """What is measured of cards that do so much alone, on links that reach so much."""
    width = max(soft, _HARD)
    return -width * np.logaddexp(-alone / width, -log_reach / width)


def _belied(runs: Runs, hosts: int, parameters: Parameters) -> Mask:
    """Hosts most of whose cards, and several, were faster than what the host says of its link."""
    one_each, _ = robust.numbered(runs.host, runs.card)
    over = over_the_link(runs, parameters)
    over_each, _ = robust.numbered(runs.host[over], runs.card[over])
    cards = robust.counts(runs.host[one_each], count=hosts)
    faster = robust.counts(runs.host[over][over_each], count=hosts)
    belied: Mask = (faster >= parameters.belied_cards) & (faster > parameters.belied_share * cards)
    return belied


def _piles(runs: Runs, hosts: int, parameters: Parameters) -> Floats:
    order = np.argsort(runs.host, kind="stable")
    ends = np.searchsorted(runs.host[order], np.arange(hosts + 1))
    log_reach = np.full(hosts, np.nan)
    for host in np.flatnonzero(np.diff(ends) >= parameters.piled_runs).tolist():
        own = order[ends[host] : ends[host + 1]]
        log_reach[host] = _pile(runs.log_value[own], runs.model[own], parameters)
    return log_reach


def _pile(values: Floats, models: Index, parameters: Parameters) -> float:
    """Upper end of the pile at the top of these values, nan if there is none. What is above comes from page caches."""
    order = np.argsort(values)
    ascending = values[order]
    first, last = (np.searchsorted(ascending, ascending + away) for away in (-_HALF, _HALF))
    above = len(values) - last
    middle = int(np.argmax(np.where(above <= parameters.piled_over * len(values), last - first, 0)))
    piled = order[first[middle] : last[middle]]
    below = first[middle] - np.searchsorted(ascending, ascending[middle] - 2 * _HALF)
    steep = len(piled) >= parameters.piled_ratio * below
    many = (
        len(piled) >= parameters.piled_share * len(values)
        and len(np.unique(models[piled])) >= parameters.piled_models
    )
    return float(np.quantile(values[piled], 0.9)) if steep and many else float("nan")
