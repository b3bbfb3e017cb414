"""Define Correction (a decision of people about the name of a model) and FormerSlug (the new slug of a model)."""

from dataclasses import fields
from typing import Any

from django.db import models

from submissions.domain.identity.model_names import ModelName, VariantKey
from submissions.domain.identity.model_names import NameCorrection as Decision

_COLUMNS = [field.name for field in fields(ModelName) if field.name != "slug"]


def name_in(row: models.Model, *, slug: str) -> ModelName:
    """Return the name of a model from the columns of a row, with this slug."""
    return ModelName(slug=slug, **{column: getattr(row, column) for column in _COLUMNS})


class CorrectionQuerySet(models.QuerySet["Correction"]):
    def of(self, slug: str) -> list[Decision]:
        """Return every decision about the name of a model and of its variants, the oldest first; one query."""
        return [row.decision for row in self.filter(slug=slug).order_by("pk")]


class Correction(models.Model):
    """A decision that cards of the model `slug` belong to `to_slug`; if both are equal, the model is only renamed."""

    slug = models.SlugField(max_length=200)
    silicon = models.JSONField(
        null=True, help_text="bus, mid, oid, pnm, prv, capacity; null is the whole model"
    )
    to_slug = models.SlugField(max_length=200)
    name = models.CharField(max_length=600)
    brand = models.CharField(max_length=200, blank=True)
    line = models.CharField(max_length=200, blank=True)
    model_number = models.CharField(max_length=200, blank=True)
    capacity_gb = models.FloatField(null=True)
    named_from = models.CharField(max_length=9)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CorrectionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="one_decision_per_silicon", fields=["slug", "silicon"], nulls_distinct=False
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slug} → {self.to_slug}"

    @property
    def decision(self) -> Decision:
        to = name_in(self, slug=self.to_slug)
        silicon: Any = self.silicon
        return Decision(self.slug, VariantKey(*silicon) if silicon else None, to)


class FormerSlug(models.Model):
    """A slug that a model had before, or that its cards would have without a correction; its page redirects."""

    slug = models.SlugField(max_length=200)
    to_slug = models.SlugField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(name="one_row_per_move", fields=["slug", "to_slug"])]

    def __str__(self) -> str:
        return f"{self.slug} → {self.to_slug}"
