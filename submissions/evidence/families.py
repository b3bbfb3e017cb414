"""Collect registers by CID family (maker and product name), and compare figures of a family by firmware revision."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple

from django.db.models import Count
from msgspec import Meta, Struct

from submissions.domain.identity.makers import find_maker
from submissions.domain.identity.suspicions.cid_families import Family
from submissions.domain.judgement import revisions
from submissions.domain.judgement.revisions import Difference
from submissions.domain.ranking import comparable
from submissions.evidence import fits
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
    """One figure of the cards of one firmware revision, in the base unit, as on the reference host.

    `difference` compares it with the revision that has most cards, and is None for that revision.
    """

    revision: str
    figure: str
    cards: int
    people: int
    median: float
    lowest: float
    highest: float
    difference: Difference | None


class _Card(NamedTuple):
    """The natural log of a figure of one card, and the person who measured it."""

    log: float
    person: int


_Cards = dict[str, list[_Card]]


def compare_revisions(family: Family) -> list[Revision]:
    """Return every figure of every revision, sorted by figure; one query besides those of `fits.current_fit`."""
    every = {figure: _group_by_card(rows) for figure, rows in _load_logs(family).items()}
    pairs = sum(len(cards) - 1 for cards in every.values())
    return [row for figure, cards in sorted(every.items()) for row in _compare_cards(figure, cards, pairs)]


def _load_logs(family: Family) -> Mapping[str, dict[tuple[str, int, int], list[float]]]:
    """Return the natural logs by figure and (revision, card, person), without the effect of the host."""
    stored, seen = fits.current_fit(), defaultdict[str, dict[tuple[str, int, int], list[float]]](dict)
    rows = Observation.objects.filter(
        **_select_family(family, "card__variant__"), card_model__simulated=False
    )
    columns = ("figure", "card__variant__prv", "card_id", "person", "host_id", "value")
    for figure, revision, card, person, host, value in rows.order_by("submission").values_list(*columns)[
        :_MOST
    ]:
        if of_figure := stored.crowd.figures.get(figure):
            effect = of_figure.host_effect[stored.numbers.hosts.get(host, -1)]
            logs = seen[figure].setdefault((revision or "", card, person), [])
            logs.append(comparable.log_value(figure, value) - float(effect))
    return seen


def _group_by_card(logs: Mapping[tuple[str, int, int], list[float]]) -> _Cards:
    cards, known = defaultdict[str, list[_Card]](list), set[int]()
    for (revision, card, person), values in logs.items():
        if card not in known:
            known.add(card)
            cards[revision].append(_Card(revisions.middle(values), person))
    return cards


def _compare_cards(figure: str, cards: _Cards, pairs: int) -> Iterable[Revision]:
    usual = max(sorted(cards), key=lambda revision: len(cards[revision]))
    for revision, of_one in sorted(cards.items()):
        logs, people = [card.log for card in of_one], len({card.person for card in of_one})
        values = sorted(comparable.value(figure, log) for log in logs)
        yield Revision(
            revision=revision,
            figure=figure,
            cards=len(of_one),
            people=people,
            median=comparable.value(figure, revisions.middle(logs)),
            lowest=values[0],
            highest=values[-1],
            difference=None if revision == usual else _difference(of_one, cards[usual], pairs),
        )


def _difference(ours: list[_Card], others: list[_Card], pairs: int) -> Difference:
    logs = [[card.log for card in side] for side in (ours, others)]
    mine, theirs = (len({card.person for card in side}) for side in (ours, others))
    return revisions.difference(*logs, people=(mine, theirs), comparisons=pairs)
