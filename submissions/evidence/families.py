"""Collect registers by CID family (maker and product name), and list figures of a family by firmware revision."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from statistics import median
from typing import Annotated, Any

from django.db.models import Count
from msgspec import Meta, Struct

from submissions.domain.identity.makers import find_maker
from submissions.domain.identity.suspicions.cid_families import Family
from submissions.models import Observation, Run, Variant

_MOST = 20_000


class FamilyName(Struct, frozen=True, kw_only=True):
    """The name of a family, with numbers in hex as sysfs writes them."""

    bus: str
    mid: Annotated[str, Meta(description="manufacturer number, 0x03")]
    oid: Annotated[str | None, Meta(description="OEM number; null of MMC 1.x, which has none")]
    pnm: Annotated[str, Meta(description="product name")]

    @property
    def family(self) -> Family:
        return Family(self.bus, int(self.mid, 16), int(self.oid, 16) if self.oid else None, self.pnm)


def family_name_fields(family: Family) -> dict[str, str | None]:
    """Return the name of a family as values for the fields of `FamilyName`."""
    maker = find_maker(*family[:3])
    return {"bus": family.bus, "mid": maker.mid_hex, "oid": maker.oid_hex, "pnm": family.pnm}


class DescribedFamily(FamilyName, frozen=True, kw_only=True):
    """A family with a summary of the registers of its cards, without serial numbers."""

    manufacturer: str
    revisions: list[str]
    capacities_bytes: list[int]
    first_month: Annotated[str, Meta(description="YYYY-MM of its oldest card, or empty")]
    last_month: str
    cards: int
    models: Annotated[list[str], Meta(description="slugs of the models that hold such cards")]


def make_family(row: Any) -> DescribedFamily:
    """Make a `DescribedFamily` from a row of `Variant.objects.described`."""
    family = Family(row.bus, row.mid, row.oid, row.pnm)
    counted = {name: getattr(row, name) for name in DescribedFamily.__struct_fields__ if hasattr(row, name)}
    named = family_name_fields(family) | {"manufacturer": find_maker(*family[:3]).manufacturer}
    return DescribedFamily(**counted | named | {"cards": row.card_count})


def list_families() -> Iterator[DescribedFamily]:
    """Yield all families in the order in which they were first seen; one query."""
    return map(make_family, Variant.objects.described().order_by("first").iterator())


def describe_families(rows: Iterable[Any]) -> list[DescribedFamily]:
    """Return a family for each row of `Variant.objects.families`; one query."""
    families = [Family(*row[:4]) for row in rows]
    alike = Variant.objects.filter(
        mid__in={family.mid for family in families}, pnm__in={family.pnm for family in families}
    )
    by_family = {Family(*row[:4]): make_family(row) for row in alike.described()}
    return [by_family[family] for family in families]


def find_family(family: Family) -> DescribedFamily | None:
    """Return a family, or None if no card belongs to it; one query."""
    row = Variant.objects.filter(**family._asdict()).described().order_by("first").first()
    return make_family(row) if row else None


def count_csds(family: Family) -> list[tuple[str, int]]:
    """Return (CSD in hex without its checksum, number of cards), the most frequent first; one query."""
    told = Run.objects.filter(**_select_family(family, "card__variant__"), excluded="").exclude(csd="")
    counted = told.values("csd").annotate(cards=Count("card", distinct=True))
    return list(counted.order_by("-cards", "csd").values_list("csd", "cards"))


def _select_family(family: Family, path: str) -> dict[str, Any]:
    return {f"{path}{name}": value for name, value in family._asdict().items()}


class Revision(Struct, frozen=True, kw_only=True):
    """One figure of the cards of one firmware revision, in the base unit, as their hosts measured it.

    A card counts with the median of its values; `people` measured them.
    """

    revision: str
    figure: str
    cards: int
    people: int
    median: float
    lowest: float
    highest: float


def list_revisions(family: Family) -> list[Revision]:
    """List every figure of every revision, sorted by figure; one query."""
    values = defaultdict[tuple[str, str], dict[int, list[float]]](lambda: defaultdict(list))
    people = defaultdict[tuple[str, str], set[int]](set)
    rows = Observation.objects.filter(
        **_select_family(family, "card__variant__"), card_model__simulated=False
    ).order_by("submission")
    columns = ("figure", "card__variant__prv", "card_id", "person", "value")
    for figure, revision, card, person, value in rows.values_list(*columns)[:_MOST]:
        values[figure, revision or ""][card].append(value)
        people[figure, revision or ""].add(person)
    return [_describe_revision(*key, cards, len(people[key])) for key, cards in sorted(values.items())]


def _describe_revision(figure: str, revision: str, cards: Mapping[int, list[float]], people: int) -> Revision:
    medians = sorted(map(median, cards.values()))
    return Revision(
        revision=revision,
        figure=figure,
        cards=len(medians),
        people=people,
        median=median(medians),
        lowest=medians[0],
        highest=medians[-1],
    )
