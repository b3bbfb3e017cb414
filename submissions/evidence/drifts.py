"""How the figures of a model change in a year: of its cards in use, and from one year's production to the next."""

from collections.abc import Iterator

import numpy as np

from submissions.domain.judgement import robust
from submissions.domain.judgement.drift import Drift, drift
from submissions.domain.judgement.robust import Floats, Mask
from submissions.domain.ranking.summary import Ageing
from submissions.evidence.records import Measured, Records, Runs

# Cards in use: shorter, and a year is guessed from weeks. Production: a month of manufacture is all a register tells.
_LEAST_YEARS = {"use": 0.25, "production": 1.0}
_DAY, _YEAR = 86_400e6, 365.25 * 86_400e6  # microseconds
# A clock that was not set tells a time long before, or after, the report came.
_LATEST_DAYS = 400


def of(model_records: Records) -> Iterator[Ageing]:
    for figure, measured in model_records.measured.items():
        believed = measured.believed & (measured.value > 0)
        for kind, work_out in (("use", _in_use), ("production", _of_production)):
            if told := work_out(model_records, measured, believed):
                yield Ageing(figure, kind, told)


def _in_use(model_records: Records, measured: Measured, believed: Mask) -> Drift | None:
    """Of cards measured again in the same host."""
    kept = believed & _is_dated(model_records.runs)[measured.run]
    runs = model_records.runs.where(measured.run[kept])
    _, group = robust.numbered(runs.card, runs.host)
    logs = np.log(measured.value[kept])
    return drift(runs.started / _YEAR, logs, group=group, card=runs.card, least_years=_LEAST_YEARS["use"])


def _is_dated(runs: Runs) -> Mask:
    late = runs.received - runs.started
    return (runs.started > 0) & (late > -_DAY) & (late < _LATEST_DAYS * _DAY)


def _of_production(model_records: Records, measured: Measured, believed: Mask) -> Drift | None:
    """Of cards by when they were made, each once in a kind of host: the median of its runs there."""
    kept = believed & (model_records.runs.month[measured.run] > 0)
    runs = model_records.runs.where(measured.run[kept])
    kinds = {words: at for at, words in enumerate({host.in_words for host in model_records.hosts.values()})}
    kind = np.array(
        [kinds[model_records.hosts[host].in_words] for host in runs.host.tolist()], dtype=np.int64
    )
    first, place = robust.numbered(runs.card, kind)
    logs = robust.medians(place, np.log(measured.value[kept]), count=len(first))
    card, made = runs.card[first], _years(runs.month[first])
    return drift(made, logs, group=kind[first], card=card, least_years=_LEAST_YEARS["production"])


def _years(month: robust.Index) -> Floats:
    """YYYYMM -> years."""
    return month // 100 + (month % 100 - 1) / 12
