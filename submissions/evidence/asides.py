"""Load facts for the pages of some models that count for no ability: see `domain.ranking.aside`."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db.models import Q, QuerySet

from submissions.domain.measuring.metrics import OWN_SLOTS
from submissions.domain.measuring.plausibility import HELD_OUT
from submissions.domain.ranking import aside
from submissions.domain.ranking.aside import Pattern, Row, Seen, Told
from submissions.evidence.records import Records, Runs
from submissions.models import Measurement, Run
from submissions.models.measurement import FELT_METRIC, FELT_WORKLOADS
from submissions.sql.prepared import AnyOf, PreparedQuery

# Measurements of delays that a person notices.
_FELT = Q(workload__in=FELT_WORKLOADS) | Q(metric=FELT_METRIC, run__host__interface__in=OWN_SLOTS)
# Measurements by which cards that one person measured in one host are compared.
_PLAIN = Q(workload__in=("stream", "transfer", "fill"), metric__in=("throughput", "iops"))
_MOST_OF_SEVERAL = 200


@dataclass(slots=True)
class _ModelRows:
    """Rows of one model: measurements by (submitter, host), measurements of noticeable delays, and readings."""

    hands: dict[Hashable, list[Row]] = field(default_factory=dict)
    felt: list[Row] = field(default_factory=list)
    readings: list[tuple[int, str, Mapping[str, Any]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Aside:
    """The facts about one model: cards that differ though one person measured them, noticeable delays, readings."""

    apart: tuple[Seen, ...]
    felt: tuple[Seen, ...]
    told: tuple[Told, ...]


def load_asides(model_records: Sequence[Records]) -> list[Aside]:
    """Load the `Aside` of each of these models; two queries for any number."""
    of_variant = {variant.pk: at for at, rows in enumerate(model_records) for variant in rows.variants}
    every = [_ModelRows() for _ in model_records]
    for variant, card, host, readings in _readings_of(variants=list(of_variant)):
        at = of_variant[variant]
        words = model_records[at].hosts[host].in_words
        every[at].readings += [(card, words, reading) for reading in readings]
    several = {pk for of_model in model_records for pk in _runs_of_comparing_hands(of_model.runs)}
    felt = [pk for of_model in model_records for pk in of_model.felt]
    measured = _measurements(variants=list(of_variant), runs=sorted(several), felt=felt)
    for variant, run, card, host, person, workload, metric, parameters, repeats in measured:
        at = of_variant[variant]
        words = model_records[at].hosts[host].in_words
        row = Pattern(workload, metric, parameters, words), card, repeats
        if run in several and metric in ("throughput", "iops"):
            every[at].hands.setdefault((person, host), []).append(row)
        else:
            every[at].felt.append(row)
    return [Aside(aside.apart(one.hands), aside.seen(one.felt), aside.told(one.readings)) for one in every]


def _runs_of_comparing_hands(runs: Runs) -> list[int]:
    hand = np.unique(np.column_stack([runs.host, runs.person]), axis=0, return_inverse=True)[1].reshape(-1)
    of_card = np.unique(np.column_stack([hand, runs.card]), axis=0)[:, 0]
    return runs.pk[np.bincount(of_card)[hand] > 1][:_MOST_OF_SEVERAL].tolist()


@PreparedQuery
def _readings_of() -> "QuerySet[Run, Any]":
    told = Run.objects.filter(AnyOf("card__variant", "variants")).exclude(readings=[]).order_by("pk")
    return told.values_list("card__variant", "card", "host", "readings")


@PreparedQuery
def _measurements() -> "QuerySet[Measurement, Any]":
    wanted = (_FELT & Q(AnyOf("pk", "felt"))) | (_PLAIN & Q(AnyOf("run", "runs")))
    rows = Measurement.objects.filter(wanted, AnyOf("run__card__variant", "variants"), value__gt=0)
    kept = rows.exclude(verdict__in=HELD_OUT).order_by("run__submission", "position")
    return kept.values_list(
        *("run__card__variant", "run", "run__card", "run__host", "run__submission__submitter"),
        *("workload", "metric", "parameters", "repeats"),
    )
