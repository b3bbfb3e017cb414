"""Load facts about models that their pages show beside the abilities: see `domain.ranking.aside`."""

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Q, QuerySet

from submissions.domain.findings import says_of_model
from submissions.domain.findings.finding_rules import all_rules, rank
from submissions.domain.intake.structures import group_by
from submissions.domain.measuring.metrics import OWN_SLOTS
from submissions.domain.measuring.plausibility import HELD_OUT
from submissions.domain.ranking import aside
from submissions.domain.ranking.aside import Pattern, Row
from submissions.domain.ranking.summary import MOST_TOLD, CardFinding
from submissions.evidence.doubts import find_judges
from submissions.evidence.records import Records, Runs, submitter_number
from submissions.models import Measurement, Run
from submissions.models.measurement import FELT_METRIC, FELT_WORKLOADS
from submissions.sql.prepared import AnyOf, PreparedQuery

# Measurements of delays that a person notices.
_FELT = Q(workload__in=FELT_WORKLOADS) | Q(metric=FELT_METRIC, run__host__interface__in=OWN_SLOTS)
# Measurements by which cards that one person measured in one host are compared.
_PLAIN = Q(workload__in=("stream", "transfer", "fill"), metric__in=("throughput", "iops"))
_MOST_OF_SEVERAL = 200
_KIND = attrgetter("kind", "severity")  # of the rule of a finding


class _Told(NamedTuple):
    card: int
    person: int
    finding: Mapping[str, Any]


@dataclass(slots=True)
class _ModelRows:
    """Rows of one model: measurements by (submitter, host), noticeable delays (`felt`), findings by card and person."""

    hands: dict[Hashable, list[Row]] = field(default_factory=dict)
    felt: list[Row] = field(default_factory=list)
    findings: list[_Told] = field(default_factory=list)


def load_asides(model_records: Sequence[Records]) -> list[dict[str, Any]]:
    """Load the facts of each model that its page shows beside abilities, as fields of its `Summary`.

    The gravest findings come first, and last those of people who do not count. Two queries, and one more for each model
    with findings of several people.
    """
    of_variant = {variant.pk: at for at, rows in enumerate(model_records) for variant in rows.variants}
    every = [_ModelRows() for _ in model_records]
    for variant, card, person, findings in _findings_of(variants=list(of_variant)):
        told = [_Told(card, person, finding) for finding in findings if says_of_model(finding["code"])]
        every[of_variant[variant]].findings += told
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
        {
            "apart": aside.find_differing(rows.hands),
            "felt": aside.summarize_patterns(rows.felt),
            "findings": _weigh_findings(of_model, rows.findings) if rows.findings else (),
        }
        for of_model, rows in zip(model_records, every, strict=True)
    ]


def _weigh_findings(of_model: Records, told: Iterable[_Told]) -> tuple[CardFinding, ...]:
    # Two people need not tell the same figures: both say that data was lost.
    judges = find_judges(of_model)
    of_kind = group_by(told, lambda one: _KIND(all_rules()[one.finding["code"]]))
    weighed = [
        finding
        for rows in of_kind.values()
        for finding in _count_cards(rows, counts=judges.count(np.array([row.person for row in rows])) > 0)
    ]
    return tuple(sorted(weighed, key=lambda finding: (finding.strangers > 0, rank(finding.code))))[:MOST_TOLD]


def _count_cards(told: Iterable[_Told], *, counts: bool) -> Iterator[CardFinding]:
    reports = defaultdict[str, set[tuple[int, int]]](set)
    for card, person, finding in told:
        reports[json.dumps(finding, sort_keys=True)].add((card, person))
    for text, pairs in reports.items():
        cards, people = map(set, zip(*pairs, strict=True))
        yield CardFinding(**json.loads(text), cards=len(cards), strangers=0 if counts else len(people))


def _runs_of_comparing_hands(runs: Runs) -> list[int]:
    hand = np.unique(np.column_stack([runs.host, runs.person]), axis=0, return_inverse=True)[1].reshape(-1)
    of_card = np.unique(np.column_stack([hand, runs.card]), axis=0)[:, 0]
    return runs.pk[np.bincount(of_card)[hand] > 1][:_MOST_OF_SEVERAL].tolist()


@PreparedQuery
def _findings_of() -> "QuerySet[Run, Any]":
    runs = Run.objects.filter(AnyOf("card__variant", "variants"), says_of_model=True)
    submitter = submitter_number("submission__submitter")
    return runs.order_by("pk").values_list("card__variant", "card", submitter, "findings")


@PreparedQuery
def _measurements() -> "QuerySet[Measurement, Any]":
    wanted = (_FELT & Q(AnyOf("pk", "felt"))) | (_PLAIN & Q(AnyOf("run", "runs")))
    rows = Measurement.objects.filter(wanted, AnyOf("run__card__variant", "variants"), value__gt=0)
    kept = rows.exclude(verdict__in=HELD_OUT).order_by("run__submission", "position")
    return kept.values_list(
        *("run__card__variant", "run", "run__card", "run__host", "run__submission__submitter"),
        *("workload", "metric", "parameters", "repeats"),
    )
