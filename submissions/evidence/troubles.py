"""Find cards with errors in the logs of hosts: candidates for the Linux kernel's table of quirks."""

from collections.abc import Iterator
from typing import Annotated

from django.db.models import Q
from msgspec import Meta, Struct

from submissions.domain.identity.makers import find_maker
from submissions.domain.identity.suspicions import fixups
from submissions.domain.identity.suspicions.fixups import CidName
from submissions.domain.identity.suspicions.quirks import Silicon, known_quirks
from submissions.domain.measuring.readings import TROUBLE, Kind, all_kinds, kind_of
from submissions.models import Run

_MOST_RUNS = 2_000
_Rows = list[tuple[Run, Kind, str]]


class Candidate(Struct, frozen=True, kw_only=True):
    """An error that cards of one maker and product name had, with a row for the Linux kernel's table of quirks."""

    bus: str
    mid: Annotated[str, Meta(description="manufacturer number, 0x03")]
    oid: Annotated[str | None, Meta(description="OEM number; null for MMC 1.x, which has none")]
    pnm: Annotated[str, Meta(description="product name")]
    model: Annotated[str, Meta(description="slug of the model of the newest such card")]
    breaks: Annotated[
        str, Meta(description="queue, cache, power-off, discard, tuning, setting, transfer or bus")
    ]
    trouble: str
    words: Annotated[list[str], Meta(description="what hosts logged")]
    revisions: list[str]
    months: Annotated[list[str], Meta(description="months of manufacture, YYYY-MM")]
    hosts: list[str]
    kernels: list[str]
    cards: int
    people: int
    quirks: Annotated[list[str], Meta(description="existing rows of the kernel's table that match")]
    patch: Annotated[
        str, Meta(description="a row for drivers/mmc/core/quirks.h; empty if Linux has no quirk for it")
    ]
    run: Annotated[str, Meta(description="ID of the newest run with this trouble")]


def find_candidates() -> list[Candidate]:
    """Return all candidates for the kernel's table of quirks, in order of the people who reported them; one query."""
    groups: dict[tuple[CidName, str], _Rows] = {}
    for run, kind, words in _runs_with_trouble():
        variant = run.card.variant
        name = CidName(variant.bus or "", variant.mid or 0, variant.oid, variant.pnm or "")
        groups.setdefault((name, kind.english), []).append((run, kind, words))
    every = [_candidate(name, rows) for (name, _), rows in groups.items()]
    return sorted(every, key=lambda row: (-row.people, -row.cards, row.model, row.trouble))


def _runs_with_trouble() -> Iterator[tuple[Run, Kind, str]]:
    wanted = Q()
    for pattern in {kind.name.pattern for kind in all_kinds() if kind.kind == TROUBLE}:
        wanted |= Q(readings__contains=[{"name": pattern}])
    runs = Run.objects.exclude(readings=[]).filter(
        wanted, card__variant__mid__isnull=False, card__variant__card_model__simulated=False
    )
    for run in runs.listed().select_related("card__variant__card_model", "host").order_by("-pk")[:_MOST_RUNS]:
        for reading in run.readings:
            kind = kind_of(reading["name"], reading["value"])
            if kind and kind.kind == TROUBLE:
                yield run, kind, str(reading["value"])


def _candidate(name: CidName, rows: _Rows) -> Candidate:
    maker = find_maker(name.bus, name.mid, name.oid)
    first, kind, _ = rows[0]
    revisions = _all(run.card.variant.prv for run, *_ in rows)
    months = _all(run.card.manufactured for run, *_ in rows)
    helps = not kind.bus_mode or {run.host.bus_mode for run, *_ in rows} == {kind.bus_mode}
    made = [Silicon(*name, revision, month or None) for revision in revisions for month in months]
    return Candidate(
        bus=name.bus,
        mid=maker.mid_hex,
        oid=maker.oid_hex,
        pnm=name.pnm,
        model=first.card.variant.card_model.slug,
        breaks=kind.breaks,
        trouble=kind.english,
        words=_all(words for *_, words in rows),
        revisions=list(filter(None, revisions)),
        months=list(filter(None, months)),
        hosts=_all(run.host.name_with_mode for run, *_ in rows),
        kernels=list(filter(None, _all(run.host.kernel for run, *_ in rows))),
        cards=len({run.card_id for run, *_ in rows}),
        people=len({run.submission.submitter for run, *_ in rows}),
        run=first.submission.public_id,
        quirks=list(dict.fromkeys(quirk for silicon in made for quirk in known_quirks(silicon))),
        patch=fixups.line(name, kind.quirk if helps else "", revisions=revisions, months=months),
    )


def _all(values: Iterator[str | None]) -> list[str]:
    return sorted({value or "" for value in values})
