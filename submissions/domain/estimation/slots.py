"""Estimates for one slot: on its hosts instead of the reference host, and no faster than its bus."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from submissions.domain.estimation.crowd import Crowd
from submissions.domain.estimation.estimates import Estimates, InSlot
from submissions.domain.estimation.evidence import Floats, Index, Mask
from submissions.domain.estimation.parameters import DEFAULTS, EFFECTS, Parameters

_CELL, _HOST = EFFECTS.index("cell"), EFFECTS.index("host")
# Half of a 95 % interval in standard deviations; the least standard deviation, in parts of the own one.
_Z, _SURE = 1.96, 0.05
# So much of the variance of an estimate may be an error of its host, at most.
_MOST_CANCELLED = 0.9


def predict_in_slot(
    estimates: Estimates,
    crowd: Crowd,
    *,
    hosts: Index,
    log_cap: Floats,
    parameters: Parameters = DEFAULTS,
) -> InSlot:
    """Return the estimates for a slot with these hosts, numbers in the crowd; below 0 are those that it does not know.

    `log_cap`: by ability, inf if no bus limits it.
    """
    found = _average_hosts(crowd, hosts[hosts >= 0].tobytes(), parameters)
    odd, is_here = _compare_here(estimates, hosts)
    mean = estimates.mean + found.effect[:, None] + odd
    added = _add_uncertainty(estimates, found, hosts)
    variance = estimates.sd**2 + added
    of_one = crowd.variance[_CELL] * parameters.card_tail + found.spread
    card_variance = estimates.card_sd**2 + added + of_one[:, None]
    is_hidden = estimates.is_measured & ~estimates.level_known
    mean = np.where(is_hidden, estimates.reached, mean)
    # One card reached it, whatever the model does: only cards and values differ from there.
    between_cards = estimates.card_sd**2 - estimates.sd**2
    least = between_cards + crowd.variance[_CELL][:, None]
    variance = np.where(is_hidden, np.minimum(variance, least), variance)
    card_variance = np.where(is_hidden, np.minimum(card_variance, least + between_cards), card_variance)
    if not len(hosts):
        # On a host that is not known to limit it, a card is as fast as on any other.
        mean = np.where(_is_linked(crowd), np.fmax(estimates.reached, mean), mean)
    limited, sd = limit(mean, np.sqrt(variance), log_cap[:, None])
    _, card_sd = limit(mean, np.sqrt(card_variance), log_cap[:, None])
    return InSlot(limited, sd, card_sd, is_here)


def limit(mean: Floats, sd: Floats, log_cap: Floats) -> tuple[Floats, Floats]:
    """Return the middle of min(x, cap) for normal x, and its lower half-width as a standard deviation.

    The further the middle lies above the bus, the surer it is that a card reaches the bus.
    """
    middle = np.minimum(mean, log_cap)
    low = np.minimum(mean - _Z * sd, log_cap)
    return middle, np.maximum((middle - low) / _Z, _SURE * sd)


def _is_linked(crowd: Crowd) -> Mask:
    return np.array([ability.is_linked for ability in crowd.catalogue.abilities])[:, None]


class _Average(NamedTuple):
    """Of each ability: effect of a usual host of the slot, its variance, and the variance of hosts around it."""

    effect: Floats
    uncertainty: Floats
    spread: Floats


@lru_cache(maxsize=200)
def _average_hosts(crowd: Crowd, numbers: bytes, parameters: Parameters) -> _Average:
    hosts = np.frombuffer(numbers, dtype=np.int64)
    effect, variance = crowd.host_effect[:, hosts], crowd.host_variance[:, hosts]
    weight = np.where(np.isnan(effect), 0, 1 / (crowd.variance[_HOST][:, None] + np.nan_to_num(variance)))
    total = weight.sum(axis=1)
    share = weight / np.maximum(total, 1e-300)[:, None]
    mean = (share * np.nan_to_num(effect)).sum(axis=1)
    spread = (share * np.nan_to_num(effect - mean[:, None]) ** 2).sum(axis=1)
    unknown = total == 0
    freedom = parameters.freedoms[_HOST]
    of_new = crowd.variance[_HOST] * freedom / (freedom - 2)  # the variance of a t distribution
    uncertainty = np.where(
        unknown, of_new, (share**2 * np.nan_to_num(variance + spread[:, None])).sum(axis=1)
    )
    return _Average(mean, uncertainty, spread)


def _compare_here(estimates: Estimates, hosts: Index) -> tuple[Floats, Mask]:
    # The difference is drawn to 0 as by one more value.
    cells, shape = estimates.cells, estimates.mean.shape
    there = np.flatnonzero(np.isin(cells.host, hosts))
    place = cells.ability[there] * shape[1] + cells.model[there]
    apart = (cells.log_value - cells.offset - estimates.mean[cells.ability, cells.model])[there]
    counts = cells.weight[there] * (~cells.at_least[there])
    size = int(np.prod(shape))
    total = np.bincount(place, counts * apart, size) / (1 + np.bincount(place, counts, size))
    return total.reshape(shape), (np.bincount(place, minlength=size) > 0).reshape(shape)


def _add_uncertainty(estimates: Estimates, found: _Average, hosts: Index) -> Floats:
    # An error of the host cancels out as far as the estimate rests on values from that host: (1 - share)² instead of
    # share² + 1.
    cells, shape = estimates.cells, estimates.mean.shape
    known = np.flatnonzero(np.isin(cells.host, hosts[hosts >= 0]))
    place = cells.ability[known] * shape[1] + cells.model[known]
    share = np.bincount(place, cells.influence[known], np.prod(shape)).reshape(shape)
    return np.maximum(found.uncertainty[:, None] * (1 - 2 * share), -_MOST_CANCELLED * estimates.sd**2)
