"""Load facts about models that their pages show beside the abilities: see `domain.ranking.aside`."""

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db.models import Q, QuerySet

from submissions.domain.findings import rank, says_of_model
from submissions.domain.measuring.metrics import OWN_SLOTS
from submissions.domain.measuring.plausibility import HELD_OUT
from submissions.domain.ranking import aside
from submissions.domain.ranking.aside import Pattern, Row, Seen
from submissions.domain.ranking.summary import CardFinding
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
    """Rows of one model: measurements by (submitter, host), noticeable delays (`felt`), and (card, finding)."""

    hands: dict[Hashable, list[Row]] = field(default_factory=dict)
    felt: list[Row] = field(default_factory=list)
    findings: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Aside:
    """Facts about one model: cards of one person that differ (`apart`), noticeable delays (`felt`), findings.

    The gravest findings come first.
    """

    apart: tuple[Seen, ...]
    felt: tuple[Seen, ...]
    findings: tuple[CardFinding, ...]


def load_asides(model_records: Sequence[Records]) -> list[Aside]:
    """Load the facts of each model that its page shows beside abilities; two queries for any number of models."""
    of_variant = {variant.pk: at for at, rows in enumerate(model_records) for variant in rows.variants}
    every = [_ModelRows() for _ in model_records]
    for variant, card, findings in _findings_of(variants=list(of_variant)):
        every[of_variant[variant]].findings += [(card, finding) for finding in findings]
    several = {pk for of_model in model_records for pk in _runs_of_comparing_hands(of_model.runs)}
    felt = [pk for of_model in model_records for pk in of_model.felt]
    measured = _measurements(variants=list(of_variant), runs=sorted(several), felt=felt)
    for variant, run, card, host, person, workload, metric, parameters, repeats in measured:
        at = of_variant[variant]
        words = model_records[at].hosts[host].name_with_mode
        row = Pattern(workload, metric, parameters, words), card, repeats
        if run in several and metric in ("throughput", "iops"):
            every[at].hands.setdefault((person, host), []).append(row)
        else:
            every[at].felt.append(row)
    return [
        Aside(
            aside.find_differing(rows.hands), aside.summarize_patterns(rows.felt), _count_cards(rows.findings)
        )
        for rows in every
    ]


def _count_cards(rows: Sequence[tuple[int, Mapping[str, Any]]]) -> tuple[CardFinding, ...]:
    cards: dict[str, set[int]] = {}
    for card, finding in rows:
        cards.setdefault(json.dumps(finding, sort_keys=True), set()).add(card)
    counted = [CardFinding(**json.loads(finding), cards=len(of)) for finding, of in cards.items()]
    of_model = [finding for finding in counted if says_of_model(finding.code)]
    return tuple(sorted(of_model, key=lambda finding: rank(finding.code)))


def _runs_of_comparing_hands(runs: Runs) -> list[int]:
    hand = np.unique(np.column_stack([runs.host, runs.person]), axis=0, return_inverse=True)[1].reshape(-1)
    of_card = np.unique(np.column_stack([hand, runs.card]), axis=0)[:, 0]
    return runs.pk[np.bincount(of_card)[hand] > 1][:_MOST_OF_SEVERAL].tolist()


@PreparedQuery
def _findings_of() -> "QuerySet[Run, Any]":
    runs = Run.objects.filter(AnyOf("card__variant", "variants"), says_of_model=True)
    return runs.order_by("pk").values_list("card__variant", "card", "findings")


@PreparedQuery
def _measurements() -> "QuerySet[Measurement, Any]":
    wanted = (_FELT & Q(AnyOf("pk", "felt"))) | (_PLAIN & Q(AnyOf("run", "runs")))
    rows = Measurement.objects.filter(wanted, AnyOf("run__card__variant", "variants"), value__gt=0)
    kept = rows.exclude(verdict__in=HELD_OUT).order_by("run__submission", "position")
    return kept.values_list(
        *("run__card__variant", "run", "run__card", "run__host", "run__submission__submitter"),
        *("workload", "metric", "parameters", "repeats"),
    )
