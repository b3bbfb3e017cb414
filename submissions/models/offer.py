"""Define Offer: a price of a product in a shop, or in a list of prices, on a day."""

from collections.abc import Iterable

from django.db import models

from submissions.domain.ranking import offers


def name_key(brand: str, line: str, capacity_gb: float | None) -> str:
    """Return the key under which offers of a product name are stored; upper and lower case make no difference."""
    return f"{brand}|{line}|{capacity_gb or 0:g}".casefold()


class OfferQuerySet(models.QuerySet["Offer"]):
    def load_by_name(self, keys: Iterable[str]) -> dict[str, list[offers.ProductOffer]]:
        """Load the offers with these keys of product names, by key; one query."""
        loaded: dict[str, list[offers.ProductOffer]] = {}
        for row in self.filter(key__in=set(keys)).order_by("pk"):
            loaded.setdefault(row.key, []).append(row.value)
        return loaded


class Offer(models.Model):
    """A price of a product in a shop on a day. `key`: see `name_key`."""

    key = models.CharField(max_length=420, db_index=True)
    brand = models.CharField(max_length=200)
    line = models.CharField(max_length=200, blank=True)
    part = models.CharField(max_length=200, blank=True)
    capacity_gb = models.FloatField()
    form = models.CharField(max_length=16, blank=True)
    shop = models.CharField(max_length=200, blank=True)
    currency = models.CharField(max_length=3)
    amount = models.FloatField()
    seen_on = models.DateField()
    source = models.CharField(max_length=1000)

    objects = OfferQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="one_offer_of_a_shop_a_day",
                fields=["key", "part", "form", "shop", "currency", "seen_on"],
            )
        ]

    def __str__(self) -> str:
        return f"{self.brand} {self.line} {self.capacity_gb:g} GB: {self.amount:g} {self.currency}"

    @property
    def value(self) -> offers.ProductOffer:
        offer = offers.Offer(self.amount, self.currency, self.seen_on, self.shop, self.source)
        return offers.ProductOffer(self.brand, self.line, self.part, self.capacity_gb, self.form, offer)
