"""Look up or make models, their variants and their former slugs, many at a time in one transaction.

New rows are inserted in the order of their names, so that two workers never deadlock.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, astuple, dataclass, field
from typing import Any, NamedTuple

from django.db.models import QuerySet

from submissions.domain.identity import lookalikes
from submissions.domain.identity.model_names import ModelName, VariantKey, correct
from submissions.domain.identity.model_names import NameCorrection as Decision
from submissions.models import CardModel, Correction, FormerSlug, Variant
from submissions.sql import bulk
from submissions.sql.prepared import AnyOf, PreparedQuery

Key = tuple[int, VariantKey]


class Place(NamedTuple):
    """The model and variant that the reports of a card name, before corrections; the best of `names` is last."""

    names: tuple[ModelName, ...]
    silicon: VariantKey
    simulated: bool


@dataclass(slots=True)
class Catalogue:
    """A cache of models and variants that one transaction read or made; NAMES_LOCK protects them from corrections."""

    decisions: dict[str, list[Decision]] = field(default_factory=dict)
    models: dict[str, CardModel] = field(default_factory=dict)
    variants: dict[Key, Variant] = field(default_factory=dict)
    made: list[Variant] = field(default_factory=list)
    former_slugs: set[tuple[str, str]] = field(default_factory=set)  # not written yet

    def get_or_make_variants(self, places: Sequence[Place]) -> list[Variant]:
        """Return the variant for each named model and variant, after corrections; make those that are missing.

        If two spellings of a name have the same slug, the spelling that was stored first is kept. Few queries or none.
        """
        self._read_corrections({name.slug for place in places for name in place.names})
        names = [correct(place.names[-1], place.silicon, self._decisions_of) for place in places]
        self._ensure_models(names, places)
        keys = [(self.models[name.slug].pk, place.silicon) for name, place in zip(names, places, strict=True)]
        self._ensure_variants({key for key in keys if key not in self.variants})
        return [self.variants[key] for key in keys]

    def _read_corrections(self, slugs: set[str]) -> None:
        if missing := slugs - self.decisions.keys():
            self.decisions |= {slug: [] for slug in missing}
            for row in _corrections(slugs=list(missing)):
                self.decisions[row.slug].append(row.decision)

    def _decisions_of(self, slug: str) -> list[Decision]:
        self._read_corrections({slug})
        return self.decisions[slug]

    def _ensure_models(self, names: Sequence[ModelName], places: Sequence[Place]) -> None:
        self._read_models({name.slug for name in names} - self.models.keys())
        # Made in the order of the reports, so that created_at shows which brand came first; inserted by slug.
        new: dict[str, CardModel] = {}
        for name, place in zip(names, places, strict=True):
            if name.slug not in self.models and name.slug not in new:
                look = lookalikes.look(name.brand)
                new[name.slug] = CardModel(**asdict(name), brand_look=look, simulated=place.simulated)
        bulk.insert_missing([new[slug] for slug in sorted(new)])
        self._read_models(new)

    def _read_models(self, slugs: Collection[str]) -> None:
        if slugs:
            self.models |= {model.slug: model for model in _models(slugs=list(slugs))}

    def _ensure_variants(self, missing: set[Key]) -> None:
        self._read_variants({model for model, _ in missing})
        new = sorted(missing - set(self.variants), key=lambda key: (key[0], str(astuple(key[1]))))
        bulk.insert_missing([Variant(card_model_id=model, **asdict(silicon)) for model, silicon in new])
        self._read_variants({model for model, _ in new})
        self.made += [self.variants[key] for key in new]

    def _read_variants(self, models: Collection[int]) -> None:
        if models:
            by_pk = {model.pk: model for model in self.models.values()}
            for variant in _variants(models=list(models)):
                variant.card_model = by_pk[variant.card_model_id]
                self.variants[variant.card_model_id, variant.silicon] = variant

    def add_former_slugs(self, place: Place, model: CardModel, *former: str) -> None:
        """Remember the other slugs under which a card was known, for `write_former_slugs` to redirect to its model."""
        slugs = {name.slug for name in place.names} | set(former)
        self.former_slugs |= {(slug, model.slug) for slug in slugs if slug != model.slug}

    def write_former_slugs(self) -> None:
        """Insert the slugs that `add_former_slugs` remembered; two queries at most.

        Call this last, after cards are placed: until this transaction ends, others with the same slug wait.
        """
        if self.former_slugs:
            stored = _former_slugs(slugs=list({slug for slug, _ in self.former_slugs}))
            new = sorted(self.former_slugs - set(stored))
            bulk.insert_missing([FormerSlug(slug=slug, to_slug=to_slug) for slug, to_slug in new])
            self.former_slugs.clear()

    def prune(self, variants: Collection[Variant]) -> None:
        """Delete the variants that have no cards, then their models that have no variants, and empty the cache.

        If another worker files a card under a variant at this moment, a foreign key makes one of the two fail.
        """
        if variants:
            Variant.objects.filter(pk__in=[variant.pk for variant in variants], cards=None).delete()
            CardModel.objects.filter(
                pk__in={variant.card_model_id for variant in variants}, variants=None
            ).delete()
            self.variants.clear()
            self.models.clear()
            self.made.clear()


@PreparedQuery
def _corrections() -> "QuerySet[Correction]":
    return Correction.objects.filter(AnyOf("slug", "slugs")).order_by("pk")


@PreparedQuery
def _models() -> "QuerySet[CardModel]":
    return CardModel.objects.filter(AnyOf("slug", "slugs"))


@PreparedQuery
def _variants() -> "QuerySet[Variant]":
    return Variant.objects.filter(AnyOf("card_model", "models"))


@PreparedQuery
def _former_slugs() -> "QuerySet[FormerSlug, Any]":
    return FormerSlug.objects.filter(AnyOf("slug", "slugs")).values_list("slug", "to_slug")
