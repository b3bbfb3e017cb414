"""Models whose cards were read to have another geometry, as flags; what one run tells is `models.Geometry`."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict

from django.utils import timezone

from submissions.domain.judgement.fingerprints import GeometryDiffers, Reading, differing
from submissions.domain.judgement.parameters import DEFAULTS
from submissions.models import Geometry, VariationFlag

_COLUMNS = ("run__card__variant__card_model", "run__card", "run__submission__submitter", "quantity", "value")


def flag_rows(models: Collection[int] | None = None) -> list[VariationFlag]:
    """Of these models, or of all real ones: one row for each quantity in which their cards differ; one query."""
    readings = _readings(models)
    return [
        _flag(model, found, submitters=len({one.submitter for one in of_model}))
        for model, of_model in readings.items()
        for found in differing(of_model)
    ]


def _readings(models: Collection[int] | None) -> dict[int, list[Reading]]:
    sure = Geometry.objects.filter(
        log_odds__gte=DEFAULTS.fingerprint_confidence, value__isnull=False, code="", run__excluded=""
    )
    chosen = (
        sure.filter(run__card__variant__card_model__simulated=False)
        if models is None
        else sure.filter(run__card__variant__card_model__in=models)
    )
    found: dict[int, list[Reading]] = defaultdict(list)
    people: dict[str, int] = {}
    rows = chosen.order_by("run__submission").values_list(*_COLUMNS, "log_odds")
    for model, card, submitter, quantity, value, log_odds in rows:
        person = people.setdefault(submitter, len(people))
        found[model].append(Reading(card, person, quantity, round(value), log_odds))
    return found


def _flag(model: int, found: GeometryDiffers, *, submitters: int) -> VariationFlag:
    evidence = asdict(found)
    return VariationFlag(
        card_model_id=model,
        kind=VariationFlag.Kind.GEOMETRY,
        figure=evidence.pop("quantity"),
        cards=found.cards,
        submitters=submitters,
        evidence=evidence,
        since=timezone.now(),
    )
