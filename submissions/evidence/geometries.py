"""Flag models with cards that differ in geometry (sizes and numbers of blocks of the flash inside)."""

from collections.abc import Iterable
from dataclasses import asdict

from django.utils import timezone

from submissions.domain.geometry.differing import GeometryDiffers, find_differing, is_certain
from submissions.evidence.records import Records
from submissions.models import VariationFlag


def flag_rows(records: Iterable[Records]) -> list[VariationFlag]:
    """Return a flag for each model and quantity of geometry in which sure estimates of its cards differ; no query."""
    return [
        _flag(of_model, difference)
        for of_model in records
        for difference in find_differing(of_model.geometry)
    ]


def _flag(of_model: Records, difference: GeometryDiffers) -> VariationFlag:
    evidence = asdict(difference)
    return VariationFlag(
        card_model_id=of_model.model.pk,
        kind=VariationFlag.Kind.GEOMETRY,
        figure=evidence.pop("quantity"),
        cards=difference.cards,
        submitters=len({reading.submitter for reading in filter(is_certain, of_model.geometry)}),
        evidence=evidence,
        since=timezone.now(),
    )
