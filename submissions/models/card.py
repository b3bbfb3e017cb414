"""Define CardModel (the name on the box), which has Variants (groups of equal registers), which have single Cards.

`Facets` has the columns of CardModel by which models are filtered.
"""

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from operator import and_, or_
from typing import Self

from django.contrib.postgres.aggregates import ArrayAgg
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Count, OuterRef, Prefetch, Q, Subquery
from django.db.models.functions import Upper
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_noop

from submissions.domain.identity.endurance import find_endurance
from submissions.domain.identity.lookalikes import LONGEST_LOOK
from submissions.domain.identity.model_names import VariantKey
from submissions.domain.identity.products import Product, find_by_model
from submissions.domain.identity.suspicions.quirks import Queueing, Silicon, queue_of
from submissions.domain.ranking.boards import FITTING
from submissions.domain.ranking.gates import ModelFacts
from submissions.domain.ranking.offers import Offer, is_current
from submissions.models.naming import FormerSlug
from submissions.models.submission import EMPTY
from submissions.models.word import holds

REGISTERS_UNKNOWN = gettext_noop("registers unknown")


class Facets(models.Model):
    """The columns of `CardModel` by which models are filtered (see `domain.ranking.facets`); None if not known.

    The API returns the columns in this order.
    """

    words = models.TextField(
        blank=True,
        help_text="lower case: names, makers, product names, registers in hex; what a search finds",
    )
    makers = ArrayField(models.CharField(max_length=200), default=list, help_text="who made its silicon")
    oems = ArrayField(models.CharField(max_length=16), default=list, help_text="OEM numbers, 0x544d")
    bus_modes = ArrayField(
        models.CharField(max_length=200), default=list, help_text="modes it was seen in, SDR104"
    )
    form = models.CharField(
        max_length=16,
        **EMPTY,
        help_text="microSD, SD …; as labels or shops say",
    )
    speed_class = models.PositiveSmallIntegerField(null=True, help_text="the best any of its cards declares")
    uhs_speed_grade = models.PositiveSmallIntegerField(null=True)
    video_speed_class = models.PositiveSmallIntegerField(null=True)
    app_perf_class = models.PositiveSmallIntegerField(null=True)
    manufactured_first = models.CharField(max_length=7, blank=True, help_text="YYYY-MM")
    manufactured_last = models.CharField(max_length=7, blank=True)
    known_cards = models.PositiveIntegerField(default=0)
    suspicious_cards = models.PositiveIntegerField(
        default=0, help_text="cards whose registers are suspicious, of people who count"
    )
    varies = models.BooleanField(default=False, help_text="its cards differ by what is inside")
    lost_data = models.BooleanField(
        default=False,
        db_default=False,
        help_text="so many people had a card that lost data that it has no place",
    )
    losers = models.PositiveIntegerField(
        default=0, db_default=0, help_text="people whose card lost data in a test, of those that count"
    )
    judging_people = models.PositiveIntegerField(
        default=0, db_default=0, help_text="people who count, if some report a loss or suspicious cards"
    )
    product_count = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="products of the table that it may be"
    )
    is_sold = models.BooleanField(null=True, help_text="whether shops sell it today; null is not known")
    tells_health = models.BooleanField(
        default=False, db_default=False, help_text="a card of it told how much of its life is used"
    )
    price = models.FloatField(null=True, help_text="of the newest offer that is known, however old")
    currency = models.CharField(max_length=3, blank=True)
    price_count = models.PositiveIntegerField(default=0)
    priced_on = models.DateField(null=True, help_text="the day of that price, or the first of its month")
    shop = models.CharField(max_length=200, **EMPTY, help_text="of that price")

    class Meta:
        abstract = True
        indexes = [
            GinIndex(name="model_words", fields=["words"], opclasses=["gin_trgm_ops"]),
            models.Index(name="model_brand_of_kind", fields=["brand", "simulated"]),
            models.Index(Upper("brand"), name="model_brand_in_any_case"),
            # A brand is looked for among brands: models without one may be many.
            models.Index(name="model_brand_look", fields=["brand_look"], condition=~Q(brand="")),
            # Models that do not fit a slot for microSD, which its ranking leaves out.
            models.Index(name="model_of_other_form", fields=["id"], condition=~Q(form__in=FITTING)),
        ]


MOST_SUGGESTIONS, MOST_BRANDS = 1000, 100


def _is_called(product: Product) -> Q:
    of_line = reduce(or_, (Q(line__iexact=line) for line in product.lines))
    sized = Q(brand__iexact=product.brand, capacity_gb=product.capacity_gb)
    return of_line & sized & Q(form__in=("", product.form))


class CardModelQuerySet(models.QuerySet["CardModel"]):
    def real(self) -> Self:
        """Return the models that are not simulated."""
        return self.filter(simulated=False)

    def matching(self, words: str) -> Self:
        """Return models that have, for each word, a word beginning with it: in names, makers, registers in hex.

        A word of one or two letters must match a whole word. “|” separates alternatives.
        """
        if "\x00" in words:  # PostgreSQL cannot even be asked
            return self.none()
        either = [list(dict.fromkeys(part.split())) for part in words.lower().split("|")]
        held = (reduce(and_, map(holds, part), Q()) for part in either)
        return self.filter(reduce(or_, held, Q()))

    def have_word(self, word: str, *, whole: bool) -> bool:
        """Return whether a real model has a word that begins with `word`, or that equals it if `whole`; one query."""
        return "\x00" not in word and self.real().filter(holds(word, whole=whole)).exists()

    def find_brands(self, names: Iterable[str]) -> "set[str]":
        """Return the `names` that are brands of real models, in lower case; one query."""
        asked = {name.upper() for name in names if "\x00" not in name}
        upper = self.real().alias(upper=Upper("brand")).filter(upper__in=asked)
        return {brand.lower() for brand in upper.values_list("brand", flat=True).distinct()}

    def by_slug(self, slugs: Iterable[str]) -> "dict[str, CardModel]":
        """Return the models with these slugs, by slug; one query."""
        asked = [slug for slug in slugs if "\x00" not in slug]  # PostgreSQL cannot even be asked
        return {model.slug: model for model in self.filter(slug__in=asked)}

    def brands(self) -> list[str]:
        """Return at most `MOST_BRANDS` brands of real models, the most frequent first; one query."""
        counted = self.real().exclude(brand="").values("brand").annotate(count=Count("*"))  # index only
        return list(counted.order_by("-count", "brand").values_list("brand", flat=True)[:MOST_BRANDS])

    def called(self, *products: Product) -> Self:
        """Return real models with the name, the size and, if known, the form of one of these products, by name."""
        return self.real().filter(reduce(or_, map(_is_called, products))).order_by("name")

    def made_by(self, *, bus: str, mid: int, oid: int | None) -> Self:
        """Return models with a variant of this maker, by name, with `.card_count`; `oid` None is any OEM number."""
        silicon = {"variants__bus": bus, "variants__mid": mid} | (
            {} if oid is None else {"variants__oid": oid}
        )
        return self.filter(**silicon).annotate(card_count=Count("variants__cards")).order_by("name", "id")

    def successor(self, slug: str) -> "CardModel | None":
        """Return the model to which cards of a former slug moved, with most cards if there are several, or None."""
        seen, reached = {slug}, {slug}
        moves = FormerSlug.objects.values_list("to_slug", flat=True)
        while reached := set(moves.filter(slug__in=reached)) - seen:
            seen |= reached
            counted = self.filter(slug__in=reached).annotate(card_count=Count("variants__cards"))
            if model := counted.order_by("-card_count", "slug").first():
                return model
        return None

    def printed_names(self) -> "list[tuple[str, str, str]]":
        """Return brand, line and model number from labels of real cards, at most 1000; one query."""
        named = self.real().filter(named_from=CardModel.NamedFrom.LABEL).exclude(brand="")
        rows = named.values_list("brand", "line", "model_number").distinct().order_by("brand", "line")
        return list(rows[:MOST_SUGGESTIONS])

    def with_variants(self) -> Self:
        """Return the models with their variants loaded as `VariantQuerySet.counted` does; one more query."""
        return self.prefetch_related(Prefetch("variants", queryset=Variant.objects.counted()))


class CardModel(Facets):
    """A model of cards, as the box names it and rankings list it; named by registers while no label is known."""

    class NamedFrom(models.TextChoices):
        LABEL = "label", "the label"
        REGISTERS = "registers", "the registers"

    slug = models.SlugField(max_length=200, unique=True)
    name = models.CharField(max_length=600)
    brand = models.CharField(max_length=200, blank=True)
    brand_look = models.CharField(max_length=LONGEST_LOOK, **EMPTY)
    line = models.CharField(max_length=200, blank=True)
    model_number = models.CharField(max_length=200, blank=True)
    capacity_gb = models.FloatField(null=True, help_text="as sold, decimal gigabytes")
    named_from = models.CharField(max_length=9, choices=NamedFrom)
    simulated = models.BooleanField(
        default=False, help_text="an invented card, outside every ranking of real ones"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    judged_at = models.DateTimeField(
        null=True,
        db_index=True,
        help_text="when its performances were worked out, by the clock of the database",
    )

    objects = CardModelQuerySet.as_manager()

    class Meta(Facets.Meta):
        constraints = [
            models.CheckConstraint(
                name="simulated_models_are_named_so",
                condition=Q(simulated=False) | Q(slug__startswith="simulated-"),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def label(self) -> tuple[str, str, str, float | None]:
        """Return the brand, line, part number and capacity in GB of this model."""
        return self.brand, self.line, self.model_number, self.capacity_gb

    @property
    def products(self) -> tuple[Product, ...]:
        """Return the products on sale that this model may be."""
        return find_by_model(*self.label, self.form)

    @property
    def facts(self) -> ModelFacts:
        """Return the facts beside measurements that decide a rank: lost data, form, size, shops, price, endurance."""
        return ModelFacts(
            lost_data=self.lost_data,
            losers=self.losers,
            judging_people=self.judging_people,
            suspicious=self.suspicious_cards,
            cards=self.known_cards,
            form=self.form,
            capacity_gb=self.capacity_gb,
            is_sold=self.is_sold,
            offer=self.current_offer,
            endurance=find_endurance(self.products),
            tells_health=self.tells_health,
        )

    @property
    def is_flagged(self) -> bool:
        """Return whether cards of this model differ, are suspicious, or lost data, as the facet `flagged` does."""
        return self.varies or self.lost_data or bool(self.losers or self.suspicious_cards)

    @property
    def current_offer(self) -> Offer | None:
        """Return the newest price of this model, or None if it is older than a year."""
        if self.price is None:
            return None
        offer = Offer(self.price, self.currency, self.priced_on, self.shop)
        return offer if is_current(offer, timezone.localdate()) else None

    def get_absolute_url(self) -> str:
        return reverse("model", args=[self.slug])


class VariantQuerySet(models.QuerySet["Variant"]):
    def counted(self) -> Self:
        """Return the variants with `.card_count` and `.months` of manufacture, most cards first; one query."""
        months = ArrayAgg("cards__manufactured", distinct=True)
        return self.annotate(card_count=Count("cards"), months=months).order_by("-card_count", "id")

    def models_per_maker(self) -> dict[tuple[str | None, int, int | None], int]:
        """Return the number of models by maker: (bus, mid, oid), and summed up (bus, mid, None); one query."""
        rows = self.filter(mid__isnull=False).values_list("bus", "mid", "oid")
        counts: Counter[tuple[str | None, int, int | None]] = Counter()
        for bus, mid, oid, count in rows.annotate(count=Count("card_model", distinct=True)).order_by():
            assert mid is not None
            counts[bus, mid, oid] += count
            if oid is not None:
                counts[bus, mid, None] += count
        return dict(counts)


class Variant(models.Model):
    """A variant of a model: its cards with equal registers. A model may have several variants under one name."""

    card_model = models.ForeignKey(CardModel, on_delete=models.CASCADE, related_name="variants")
    bus = models.CharField(max_length=3, null=True)
    mid = models.PositiveIntegerField(null=True, help_text="manufacturer number of the CID")
    oid = models.PositiveIntegerField(null=True, help_text="OEM number of the CID")
    pnm = models.CharField(max_length=16, null=True, help_text="product name of the CID")
    prv = models.CharField(max_length=8, null=True, help_text="product revision of the CID")
    capacity_bytes = models.BigIntegerField(null=True)
    # Months in which its cards were made, None or "" if not known; only `counted` sets them.
    months: list[str | None]

    objects = VariantQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="one_variant_per_silicon",
                fields=["card_model", "bus", "mid", "oid", "pnm", "prv", "capacity_bytes"],
                nulls_distinct=False,
            ),
        ]

    def __str__(self) -> str:
        return " ".join(filter(None, [self.pnm, self.prv])) or REGISTERS_UNKNOWN

    @property
    def silicon(self) -> VariantKey:
        return VariantKey(self.bus, self.mid, self.oid, self.pnm, self.prv, self.capacity_bytes)

    @property
    def queueing(self) -> tuple[Queueing, ...]:
        """Return the ways in which a Raspberry Pi 5 uses the command queue of this variant's cards.

        The variant must come from `counted`, which adds the months of manufacture.
        """
        silicon = Silicon(self.bus, self.mid, self.oid, self.pnm or "", self.prv or "", None)
        answers = (queue_of(silicon._replace(mdt=month or None)) for month in self.months)
        return tuple(dict.fromkeys(answer for answer in answers if answer))


class CardQuerySet(models.QuerySet["Card"]):
    def listed(self) -> Self:
        """Return the cards with `.run_count`, and with variant and model loaded; one query, in no order."""
        counted = Card.objects.filter(pk=OuterRef("pk")).order_by().values("pk").annotate(count=Count("runs"))
        run_count = Subquery(counted.values("count"))
        return self.select_related("variant__card_model").annotate(run_count=run_count)


class Card(models.Model):
    """One physical card, recognised by a keyed hash; its serial number is not stored in this table."""

    key = models.CharField(max_length=24, unique=True)
    variant = models.ForeignKey(Variant, on_delete=models.CASCADE, related_name="cards")
    manufactured = models.CharField(max_length=7, blank=True, help_text="YYYY-MM from the CID")
    verdict = models.CharField(
        max_length=16, blank=True, help_text="nothing unusual, unusual, suspicious; empty when not judged"
    )
    suspicions = models.JSONField(default=list, help_text="rules that fired, over all runs of this card")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CardQuerySet.as_manager()

    def __str__(self) -> str:
        return self.key

    def get_absolute_url(self) -> str:
        return reverse("card", args=[self.key])
