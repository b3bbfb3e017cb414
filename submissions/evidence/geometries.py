"""Models whose cards were read to have another geometry, as flags; what one run tells is `models.Geometry`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from django.utils import timezone

from submissions.domain.judgement.fingerprints import GeometryDiffers, Reading, differing
from submissions.domain.judgement.parameters import DEFAULTS
from submissions.evidence.records import Records
from submissions.models import Geometry, VariationFlag

_COLUMNS = ("run__card__variant__card_model", "run__card", "run__submission__submitter", "quantity", "value")
_SURE = DEFAULTS.fingerprint_confidence

Readings = Mapping[int, Sequence[Reading]]


def flag_rows(readings: Readings) -> list[VariationFlag]:
    """Of each model, what was read in its cards: a row for each quantity in which they differ."""
    return [
        _flag(model, found, submitters=len({one.submitter for one in of_model}))
        for model, of_model in readings.items()
        for found in differing(of_model)
    ]


def readings_of(known: Iterable[Records]) -> Readings:
    """Everything that was surely read in the cards of these models."""
    return {
        of_model.model.pk: [
            Reading(one.run.card.pk, one.run.submitter, one.quantity, round(one.value), one.log_odds)
            for one in of_model.geometry
            if one.value is not None and one.log_odds is not None and not one.code and one.log_odds >= _SURE
        ]
        for of_model in known
    }


def all_readings() -> Readings:
    """The same of all real models; one query."""
    sure = Geometry.objects.filter(log_odds__gte=_SURE, value__isnull=False, code="", run__excluded="")
    rows = sure.filter(run__card__variant__card_model__simulated=False).order_by("run__submission")
    found: dict[int, list[Reading]] = defaultdict(list)
    people: dict[str, int] = {}
    for model, card, submitter, quantity, value, log_odds in rows.values_list(*_COLUMNS, "log_odds"):
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
