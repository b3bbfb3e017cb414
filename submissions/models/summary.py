"""ModelSummary: what the page of a model shows of its cards, kept ready. Written by `scoring` alone."""

import msgspec
from django.contrib.postgres.fields import ArrayField
from django.db import models

from submissions.domain.ranking.summary import Summary
from submissions.models.card import CardModel


class ModelSummary(models.Model):
    """Of one model, worked out from its measurements whenever they change."""

    card_model = models.OneToOneField(CardModel, on_delete=models.CASCADE, related_name="summary")
    judged_at = models.DateTimeField(null=True, help_text="that of the model when it was worked out")
    told = models.JSONField(help_text="a Summary, as domain/summary.py has it")
    newest_runs = ArrayField(models.BigIntegerField(), help_text="ids, the newest first")
    left_out = ArrayField(models.BigIntegerField(), help_text="ids of measurements that count for nothing")

    def __str__(self) -> str:
        return f"{self.told['runs']} runs"

    @property
    def is_current(self) -> bool:
        """Whether the model was not touched since."""
        return self.judged_at == self.card_model.judged_at

    @property
    def summary(self) -> Summary:
        return msgspec.convert(self.told, Summary)
