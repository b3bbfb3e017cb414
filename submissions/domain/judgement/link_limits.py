"""What a host's link reaches in practice, seen from the pile of values that ends there.

Data sheets say what a link carries, not what a board reaches, and a USB reader says nothing at all. But where a link is
the limit, fast cards of many models pile up at one value and nothing lies just below.
"""

from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index
from submissions.domain.judgement.runs import Runs, over_the_link

# Half the width of a pile, in log: 5 %.
_HALF = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Log of what each host reaches, nan where no pile shows it. Ends with nan for a host not seen yet (-1)."""

    log_reach: Floats


def learn(runs: Runs, *, hosts: int, parameters: Parameters = DEFAULTS) -> Links:
    """The links of a crowd, for a figure that a link can limit. The order of the runs does not matter."""
    kept = runs.where(~over_the_link(runs, parameters))
    order = np.argsort(kept.host, kind="stable")
    ends = np.searchsorted(kept.host[order], np.arange(hosts + 1))
    log_reach = np.full(hosts + 1, np.nan)
    for host in np.flatnonzero(np.diff(ends) >= parameters.piled_runs).tolist():
        own = order[ends[host] : ends[host + 1]]
        log_reach[host] = _pile(kept.log_value[own], kept.model[own], parameters)
    return Links(log_reach)


def _pile(values: Floats, models: Index, parameters: Parameters) -> float:
    """Upper end of the pile at the top of these values, nan if there is none."""
    top = np.quantile(values, 0.95)
    piled = (values > top - _HALF) & (values < top + _HALF)
    below = (values > top - 2 * _HALF) & (values <= top - _HALF)
    steep = piled.sum() >= parameters.piled_ratio * below.sum()
    many = piled.mean() >= parameters.piled_share and len(np.unique(models[piled])) >= parameters.piled_models
    return float(np.quantile(values[piled], 0.9)) if steep and many else float("nan")
