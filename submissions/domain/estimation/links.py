"""Find how fast the buses of hosts are, and which values come from a page cache.

A bus without a stated rate is unknown, not infinite: it reaches at least the rate of its own fastest reports, and a
value near those is only a lower bound of the card.
"""

import numpy as np

from submissions.domain.estimation.evidence import Catalogue, Evidence, Floats, Index, Mask
from submissions.domain.estimation.groups import count_different, number_rows
from submissions.domain.estimation.parameters import Parameters


def find_reach(
    evidence: Evidence, is_linked: Mask, log_reach: Floats, parameters: Parameters
) -> tuple[Floats, Mask]:
    """Return for each row the log rate of the bus of its host, and whether the host states no rate for its bus.

    If no rate is stated, the fastest values of the host show it. `log_reach`: log rates of the buses of the hosts of
    the last full fit, nan if not known.
    """
    reach = np.where(is_linked, evidence.log_reach, np.inf)
    known_host = np.flatnonzero((evidence.host >= 0) & ~np.isposinf(reach))
    learned = log_reach[evidence.host[known_host]]
    reach[known_host] = np.where(np.isnan(learned), reach[known_host], learned)
    unknown = np.isnan(evidence.log_reach) & is_linked
    missing = np.isnan(reach)
    if missing.any():
        first, place = number_rows(evidence.model[missing], evidence.host[missing])
        report, value = evidence.report[missing], evidence.log_value[missing]
        reach[missing] = find_shown_reach(place, report, value, len(first), parameters.fastest)[place]
    return reach, unknown


def learn_reach(evidence: Evidence, catalogue: Catalogue, hosts: int, parameters: Parameters) -> Floats:
    """Return the log rate of the bus of each host as its reports show it, nan if the stated rate is to be used.

    A stated rate is not believed if most reports are faster, and not used if many reports end close to it.
    """
    abilities = catalogue.find_abilities(evidence.method)
    is_linked = np.array([ability.is_linked for ability in catalogue.abilities])[abilities]
    rows = evidence.where(is_linked & (evidence.host >= 0) & ~np.isposinf(evidence.log_reach))
    values = (rows.host, rows.report, rows.log_value, hosts)
    shown, middle = (find_shown_reach(*values, share) for share in (parameters.fastest, 0.5))
    stated = np.full(hosts, np.nan)
    stated[rows.host] = rows.log_reach
    reports = count_different(rows.host, rows.report, hosts)
    is_exact = (np.abs(shown - stated) < parameters.link_near) & (reports >= parameters.link_reports)
    is_wrong = middle > stated + parameters.over_link
    return np.where(np.isnan(stated) | is_wrong | is_exact, shown, np.nan)


def find_shown_reach(group: Index, report: Index, log_value: Floats, count: int, share: float) -> Floats:
    """Return the highest log rate that at least `share` of the reports of each group reach, nan for an empty group."""
    order = np.lexsort((log_value, report, group))
    group, report = group[order], report[order]
    is_last = np.ones(len(group), dtype=np.bool_)
    is_last[:-1] = (np.diff(group) != 0) | (np.diff(report) != 0)
    group, fastest = group[is_last], log_value[order][is_last]
    order = np.lexsort((fastest, group))
    number = np.bincount(group, minlength=count)
    place = np.ceil((1 - share) * number).astype(np.int64) - 1 + np.cumsum(number) - number
    reach = np.full(count, np.nan)
    some = number > 0
    reach[some] = fastest[order][place[some]]
    return reach


def find_cached(
    evidence: Evidence, is_read: Mask, reach: Floats, shown: Mask, parameters: Parameters
) -> Mask:
    """Return which rows come from a page cache.

    A value does if it is faster than the bus of its host; then all reads of the same report count as cached, too.
    """
    over = (evidence.log_value > reach + parameters.over_link) & ~shown
    if not over.any():
        return over
    cached: Mask = over | (is_read & np.isin(evidence.report, evidence.report[over]))
    return cached
