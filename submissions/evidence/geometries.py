"""Raise flags for models with cards of different geometry; the geometry of one run is `models.Geometry`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from django.utils import timezone

from submissions.domain.geometry.differing import LEAST_LOG_ODDS, CardReading, GeometryDiffers, find_differing
from submissions.evidence.records import Records
from submissions.models import VariationFlag

Readings = Mapping[int, Sequence[CardReading]]
# Model, card, number of the submitter, quantity, value, code and log odds.
_Row = tuple[int, int, int, str, float | None, str, float | None]


def flag_rows(readings: Readings) -> list[VariationFlag]:
    """Return a flag for each model and quantity in which readings of its cards differ."""
    return [
        _flag(model, difference, submitters=len({reading.submitter for reading in of_model}))
        for model, of_model in readings.items()
        for difference in find_differing(of_model)
    ]


def certain_readings(records: Iterable[Records]) -> Readings:
    """Return the readings of geometry in these records that are certain, by model id, without a query."""
    return _group_certain((of_model.model.pk, *read) for of_model in records for read in of_model.geometry)


def _group_certain(rows: Iterable[_Row]) -> Readings:
    readings: dict[int, list[CardReading]] = defaultdict(list)
    for model, card, submitter, quantity, value, code, log_odds in rows:
        if value is not None and not code and log_odds is not None and log_odds >= LEAST_LOG_ODDS:
            readings[model].append(CardReading(card, submitter, quantity, round(value), log_odds))
    return readings


def _flag(model: int, difference: GeometryDiffers, *, submitters: int) -> VariationFlag:
    evidence = asdict(difference)
    return VariationFlag(
        card_model_id=model,
        kind=VariationFlag.Kind.GEOMETRY,
        figure=evidence.pop("quantity"),
        cards=difference.cards,
        submitters=submitters,
        evidence=evidence,
        since=timezone.now(),
    )
