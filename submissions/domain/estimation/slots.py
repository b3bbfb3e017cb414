"""Estimates for one slot: on its hosts instead of the reference host, and no faster than its bus."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from submissions.domain.estimation.crowd import Crowd
from submissions.domain.estimation.estimates import Estimates, InSlot
from submissions.domain.estimation.evidence import Floats, Index
from submissions.domain.estimation.groups import find_medians
from submissions.domain.estimation.host_proof import mask_best_proven
from submissions.domain.estimation.parameters import DEFAULTS, EFFECTS, HALF_WIDTH, Parameters

_CELL, _CARD, _PERSON, _MODEL, _HOST = (
    EFFECTS.index(name) for name in ("cell", "card", "person", "model", "host")
)
# The least standard deviation at a cap, as a share of that without one.
_SURE = 0.05
# The largest share of the variance of an estimate that may be an error of its host.
_MOST_CANCELLED = 0.9


def predict_in_slot(
    estimates: Estimates,
    crowd: Crowd,
    *,
    hosts: Index,
    log_cap: Floats,
    parameters: Parameters = DEFAULTS,
) -> InSlot:
    """Return the estimates for a slot (a device or bus in which cards run) with these hosts.

    `hosts`: numbers of hosts in the last full fit, below 0 for a host that the fit does not know. `log_cap`: by
    ability, inf if no bus limits it.
    """
    is_linked = np.array([ability.is_linked for ability in crowd.catalogue.abilities])[:, None]
    found = _average_hosts(crowd, hosts[hosts >= 0].tobytes(), parameters)
    here = _compare_here(estimates, crowd, hosts)
    mean = estimates.mean + found.effect[:, None] + here.apart
    # An error of the host cancels out as far as the mean rests on values from there: (1 - share)², not share² + 1.
    added = found.uncertainty[:, None] * (1 - 2 * here.share)
    added = np.maximum(added, -_MOST_CANCELLED * estimates.sd**2)
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
        mean = np.where(is_linked, np.fmax(estimates.reached, mean), mean)
    cap = np.where(is_linked, np.fmin(log_cap, _find_learned_cap(crowd, hosts))[:, None], np.inf)
    limited, sd = apply_cap(mean, np.sqrt(variance), cap)
    _, card_sd = apply_cap(mean, np.sqrt(card_variance), cap)
    # At the bus, too, one value differs from another.
    card_sd = np.maximum(card_sd, np.sqrt(crowd.variance[_CELL])[:, None])
    return InSlot(limited, sd, card_sd, here.median)


def _find_learned_cap(crowd: Crowd, hosts: Index) -> float:
    # The rate of the fastest host of the slot, if the values of all of them show theirs; else nan.
    reach = crowd.log_reach[hosts[hosts >= 0]]
    return float(reach.max()) if len(reach) else np.nan


def apply_cap(mean: Floats, sd: Floats, log_cap: Floats) -> tuple[Floats, Floats]:
    """Return the median of min(x, cap) for normal x, and its lower half-width as a standard deviation.

    The further the mean lies above the cap, the surer it is that a card reaches the cap.
    """
    middle = np.minimum(mean, log_cap)
    low = np.minimum(mean - HALF_WIDTH * sd, log_cap)
    return middle, np.maximum((middle - low) / HALF_WIDTH, _SURE * sd)


class _Average(NamedTuple):
    """The average host of the slot, by ability: its effect, the variance of that, and the variance of hosts around it.

    The effect is that of its usual methods, too, so that a value is printed as people measure it there.
    """

    effect: Floats
    uncertainty: Floats
    spread: Floats


@lru_cache(maxsize=200)
def _average_hosts(crowd: Crowd, numbers: bytes, parameters: Parameters) -> _Average:
    hosts = np.frombuffer(numbers, dtype=np.int64)
    effect, variance = crowd.host_effect[:, hosts], crowd.host_variance[:, hosts]
    counts = mask_best_proven(crowd.host_proof[:, hosts]) & ~np.isnan(effect)
    weight = np.where(~counts, 0, 1 / (crowd.variance[_HOST][:, None] + np.nan_to_num(variance)))
    total = weight.sum(axis=1)
    share = weight / np.maximum(total, 1e-300)[:, None]
    mean = (share * np.nan_to_num(effect)).sum(axis=1)
    method = (share * crowd.host_method[:, hosts]).sum(axis=1)
    spread = (share * np.nan_to_num(effect - mean[:, None]) ** 2).sum(axis=1)
    unknown = total == 0
    freedom = parameters.freedoms[_HOST]
    of_new = crowd.variance[_HOST] * freedom / (freedom - 2)  # the variance of a t distribution
    uncertainty = np.where(
        unknown, of_new, (share**2 * np.nan_to_num(variance + spread[:, None])).sum(axis=1)
    )
    return _Average(mean + method, uncertainty, spread)


class _Here(NamedTuple):
    """The values that were measured in the slot, by ability and model.

    `apart`: their log distance from the mean of the model, drawn to 0 as by one more card of a person who is known, so
    that strangers do not move it. `share`: their share in the mean of the model. `median`: of the log values in the
    slot, nan if there are none.
    """

    apart: Floats
    share: Floats
    median: Floats


def _compare_here(estimates: Estimates, crowd: Crowd, hosts: Index) -> _Here:
    cells, shape = estimates.cells, estimates.mean.shape
    size, place = int(np.prod(shape)), cells.ability * shape[1] + cells.model
    there = np.isin(cells.host, hosts)
    free = there & ~cells.at_least
    apart = cells.log_value - cells.offset - estimates.mean[cells.ability, cells.model]
    of_one = crowd.variance[[_CELL, _CARD, _PERSON]].sum(axis=0)[cells.ability]
    every, known, heard, load = (
        np.bincount(place, column, size).reshape(shape)
        for column in (
            *(cells.voice, cells.voice * (there & (cells.host >= 0))),
            *(cells.voice * of_one * free, cells.voice * of_one * apart * free),
        )
    )
    share = known / (every + 1 / crowd.variance[_MODEL][:, None])
    median, measured = np.full(size, np.nan), place[there]
    kept, number = np.unique(measured, return_inverse=True)
    median[kept] = find_medians(number, cells.log_value[there], len(kept))
    return _Here(load / (1 + heard), share, median.reshape(shape))
