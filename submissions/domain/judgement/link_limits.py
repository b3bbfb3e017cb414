"""What a host's link reaches in practice, seen from the pile of values that ends there.

Data sheets say what a link carries, not what a board reaches, and a USB reader says nothing at all, or the wrong thing.
But where a link is the limit, fast cards of many models pile up at one value and nothing lies just below. A host has
one link: where reads show what it reaches, writes end there, too. What most of its cards exceed is not its limit.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement import robust
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask
from submissions.domain.judgement.runs import Runs, over_the_link

# Half the width of a pile, in log: 5 %.
_HALF = 0.05
# Log of more bytes per second than any link carries.
_NO_LIMIT = 50.0


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Log of what each host reaches, nan where nothing shows it. Ends with nan for a host not seen yet (-1)."""

    log_reach: Floats

    def of(self, host: Index) -> Floats:
        """What these hosts reach; nan where it is not known, as of every host that was not seen."""
        reach: Floats = self.log_reach[np.maximum(host, -1)]
        return reach


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
    return Links(np.append(np.where(np.isnan(piles), log_reach, piles), np.nan))


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
    """Upper end of the pile at the top of these values, nan if there is none."""
    top = np.quantile(values, 0.95)
    piled = (values > top - _HALF) & (values < top + _HALF)
    below = (values > top - 2 * _HALF) & (values <= top - _HALF)
    steep = piled.sum() >= parameters.piled_ratio * below.sum()
    many = piled.mean() >= parameters.piled_share and len(np.unique(models[piled])) >= parameters.piled_models
    return float(np.quantile(values[piled], 0.9)) if steep and many else float("nan")
