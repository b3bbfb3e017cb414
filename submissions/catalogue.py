"""Models, their silicon and the addresses that lead to them: looked up once in a transaction, made many at a time.

What is missing is made in the order of its names, so that two workers never wait for each other in a ring.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, astuple, dataclass, field

from submissions.domain.corrections import Correction as Decision
from submissions.domain.corrections import correct
from submissions.domain.identity import ModelName, VariantKey
from submissions.models import CardModel, Correction, FormerSlug, Variant

Key = tuple[int, VariantKey]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a card belongs after all corrections. `slugs` are the addresses that its reports alone would give it."""

    name: ModelName
    silicon: VariantKey
    simulated: bool
    slugs: tuple[str, ...]


@dataclass(slots=True)
class Catalogue:
    """What one transaction has read or made already. Nobody corrects names meanwhile, so that once is enough."""

    decisions: dict[str, list[Decision]] = field(default_factory=dict)
    models: dict[str, CardModel] = field(default_factory=dict)
    variants: dict[Key, Variant] = field(default_factory=dict)
    made: list[Variant] = field(default_factory=list)
    moves: set[tuple[str, str]] = field(default_factory=set)  # not written yet

    def look_up(self, slugs: Iterable[str]) -> None:
        """Have at hand what people decided about these models; at most one query."""
        if missing := set(slugs) - set(self.decisions):
            self.decisions |= Correction.objects.of_each(missing)

    def corrected(self, name: ModelName, silicon: VariantKey) -> ModelName:
        """The name that people settled on for such a card."""
        return correct(name, silicon, self._decisions_of)

    def _decisions_of(self, slug: str) -> list[Decision]:
        self.look_up([slug])
        return self.decisions[slug]

    def variants_of(self, places: Sequence[Place]) -> list[Variant]:
        """The silicon of each place, made where it is not there; no query for what was asked before, else up to six.

        How a name is written is the affair of whoever wrote it first, or of a correction.
        """
        self._have_models(places)
        keys = [(self.models[place.name.slug].pk, place.silicon) for place in places]
        self._have_variants({key for key in keys if key not in self.variants})
        return [self.variants[key] for key in keys]

    def _have_models(self, places: Iterable[Place]) -> None:
        missing: dict[str, Place] = {}
        for place in places:
            if place.name.slug not in self.models:
                missing.setdefault(place.name.slug, place)
        self._read_models(missing)
        if new := sorted(set(missing) - set(self.models)):
            rows = [
                CardModel(**asdict(missing[slug].name), simulated=missing[slug].simulated) for slug in new
            ]
            CardModel.objects.bulk_create(rows, ignore_conflicts=True)
            self._read_models(new)

    def _read_models(self, slugs: Collection[str]) -> None:
        if slugs:
            self.models |= CardModel.objects.by_slug(slugs)

    def _have_variants(self, missing: set[Key]) -> None:
        self._read_variants({model for model, _ in missing})
        new = sorted(missing - set(self.variants), key=_in_order)
        if new:
            rows = [Variant(card_model_id=model, **asdict(silicon)) for model, silicon in new]
            Variant.objects.bulk_create(rows, ignore_conflicts=True)
            self._read_variants({model for model, _ in new})
            self.made += [self.variants[key] for key in new]

    def _read_variants(self, models: Collection[int]) -> None:
        if models:
            by_pk = {model.pk: model for model in self.models.values()}
            for variant in Variant.objects.filter(card_model__in=models):
                variant.card_model = by_pk[variant.card_model_id]
                self.variants[variant.card_model_id, variant.silicon] = variant

    def remember(self, place: Place, *former: str) -> None:
        """A card is here: its other addresses go on leading to it, once they are written."""
        self.moves |= {(slug, place.name.slug) for slug in (*place.slugs, *former) if slug != place.name.slug}

    def write_moves(self) -> None:
        """Two queries at most. The last thing to do: who writes the same move waits for whoever was first."""
        if self.moves:
            known = FormerSlug.objects.filter(slug__in={slug for slug, _ in self.moves})
            new = sorted(self.moves - set(known.values_list("slug", "to_slug")))
            rows = [FormerSlug(slug=slug, to_slug=to_slug) for slug, to_slug in new]
            FormerSlug.objects.bulk_create(rows, ignore_conflicts=True)
            self.moves.clear()

    def prune(self, variants: Collection[Variant]) -> None:
        """Of these, variants without cards and models without variants go, from what was looked up as well.

        Should another worker fill one at this moment, the foreign key makes one of the two fail and be retried.
        """
        if variants:
            Variant.objects.filter(pk__in=[one.pk for one in variants], cards=None).delete()
            CardModel.objects.filter(pk__in={one.card_model_id for one in variants}, variants=None).delete()
            self.variants.clear()
            self.models.clear()
            self.made.clear()


def _in_order(key: Key) -> tuple[int, str]:
    model, silicon = key
    return model, str(astuple(silicon))
