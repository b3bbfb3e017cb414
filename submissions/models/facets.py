"""What a finder asks of a model, worked out from its cards whenever they change. Written by `facets` alone."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.functions import Upper


class Facets(models.Model):
    """Columns of `CardModel`, so that any choice of them is one join away from the ranking. None is not known."""

    words = models.TextField(
        blank=True,
        help_text="lower case: names, makers, product names, registers in hex; what a search finds",
    )
    makers = ArrayField(models.CharField(max_length=200), default=list, help_text="who made its silicon")
    oems = ArrayField(models.CharField(max_length=16), default=list, help_text="OEM numbers, 0x544d")
    speed_class = models.PositiveSmallIntegerField(null=True, help_text="the best any of its cards declares")
    uhs_speed_grade = models.PositiveSmallIntegerField(null=True)
    video_speed_class = models.PositiveSmallIntegerField(null=True)
    app_perf_class = models.PositiveSmallIntegerField(null=True)
    bus_modes = ArrayField(
        models.CharField(max_length=200), default=list, help_text="modes it was seen in, SDR104"
    )
    manufactured_first = models.CharField(max_length=7, blank=True, help_text="YYYY-MM")
    manufactured_last = models.CharField(max_length=7, blank=True)
    known_cards = models.PositiveIntegerField(default=0)
    suspicious_cards = models.PositiveIntegerField(
        default=0, help_text="cards whose registers are suspicious"
    )
    varies = models.BooleanField(default=False, help_text="its cards differ by what is inside")
    price = models.FloatField(null=True, help_text="median of what was paid, in the currency most told")
    currency = models.CharField(max_length=3, blank=True)
    price_count = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True
        indexes = [
            GinIndex(name="model_words", fields=["words"], opclasses=["gin_trgm_ops"]),
            models.Index(name="model_brand_of_kind", fields=["brand", "simulated"]),
            models.Index(Upper("brand"), name="model_brand_in_any_case"),
        ]
