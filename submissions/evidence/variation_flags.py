"""Make flags for models with cards that differ in an ability, from the results of the estimation."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.utils import timezone

from submissions.domain.estimation.variation import Difference, Scatter
from submissions.domain.measuring.metrics import ABILITIES
from submissions.evidence.abilities import Judged
from submissions.models import Variant, VariationFlag

Kind = VariationFlag.Kind


def flag_rows(judged: Judged) -> list[VariationFlag]:
    """Return the flags of estimated models with cards that differ, raised at the present time; at most one query."""
    return [*_varies_flags(judged), *_suspected_flags(judged)]


def _varies_flags(judged: Judged) -> Iterator[VariationFlag]:
    findings = judged.findings.varies
    names = _load_names({side for rows in findings.values() for row in rows for side in _sides(row)})
    for model, rows in findings.items():
        surest = {row.ability: row for row in reversed(rows)}
        for row in surest.values():
            yield _flag(
                Kind.VARIES,
                row,
                card_model_id=int(judged.gathered.models[model]),
                ratio=row.ratio,
                lower_ratio=row.lower_ratio,
                upper_ratio=row.upper_ratio,
                cards=sum(row.cards),
                submitters=sum(row.people),
                names=[names[side] for side in _sides(row)],
            )


def _suspected_flags(judged: Judged) -> Iterator[VariationFlag]:
    for model, rows in judged.findings.suspected.items():
        for row in rows:
            yield _flag(
                Kind.SUSPECTED,
                row,
                card_model_id=int(judged.gathered.models[model]),
                ratio=row.span_ratio,
                cards=row.cards,
                submitters=row.people,
            )


def _flag(kind: Kind, row: Difference | Scatter, *, names: list[str] | None = None, **columns: Any) -> Any:
    evidence = asdict(row)
    return VariationFlag(
        kind=kind,
        figure=list(ABILITIES)[evidence.pop("ability")],
        p_value=row.p_value,
        evidence=evidence | ({"names": names} if names else {}),
        since=timezone.now(),
        **columns,
    )


def _sides(row: Difference) -> tuple[int, int]:
    return row.faster, row.slower


def _load_names(variants: set[int]) -> dict[int, str]:
    if not variants:
        return {}
    return {variant.pk: str(variant) for variant in Variant.objects.filter(pk__in=variants)}
