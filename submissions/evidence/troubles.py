"""Silicon whose runs carry errors of a host: candidates for the kernel's table of quirks, with the evidence."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from submissions.domain.identity.suspicions.quirks import Silicon, known_quirks
from submissions.domain.measuring.readings import TROUBLE, all_kinds, kind_of
from submissions.models import Run

_MOST_RUNS = 2_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """One trouble of one silicon, of cards made in one month: what was read, in which hosts, on how many cards of how
    many people, and a run that shows it. `quirks`: what the kernel knows of such cards already."""

    silicon: Silicon
    model: str
    model_slug: str
    trouble: str
    words: tuple[str, ...]
    hosts: tuple[str, ...]
    cards: int
    people: int
    run: str
    quirks: tuple[str, ...]


def candidates() -> list[Candidate]:
    """Those with most people first; one query."""
    groups: dict[tuple[Silicon, str], list[tuple[Run, str]]] = {}
    for run, title, words in _troubled():
        variant = run.card.variant
        silicon = Silicon(
            *(variant.bus, variant.mid, variant.oid, variant.pnm or "", variant.prv or ""),
            run.card.manufactured or None,
        )
        groups.setdefault((silicon, title), []).append((run, words))
    found = [_candidate(silicon, title, rows) for (silicon, title), rows in groups.items()]
    return sorted(found, key=lambda one: (-one.people, -one.cards, one.model, one.trouble))


def _troubled() -> Iterator[tuple[Run, str, str]]:
    """Each run of a real card with its registers, and a trouble in it: (run, title, words)."""
    names = {kind.name.pattern for kind in all_kinds() if kind.kind == TROUBLE}
    wanted = Q()
    for name in names:
        wanted |= Q(readings__contains=[{"name": name}])
    runs = Run.objects.exclude(readings=[]).filter(
        wanted, card__variant__mid__isnull=False, card__variant__card_model__simulated=False
    )
    for run in runs.listed().select_related("card__variant__card_model").order_by("-pk")[:_MOST_RUNS]:
        for reading in run.readings:
            kind = kind_of(reading["name"], reading["value"])
            if kind and kind.kind == TROUBLE:
                yield run, kind.english, str(reading["value"])


def _candidate(silicon: Silicon, title: str, rows: list[tuple[Run, str]]) -> Candidate:
    first: Any = rows[0][0]
    return Candidate(
        silicon=silicon,
        model=first.card.variant.card_model.name,
        model_slug=first.card.variant.card_model.slug,
        trouble=title,
        words=tuple(dict.fromkeys(words for _, words in rows)),
        hosts=tuple(dict.fromkeys(run.host.in_words for run, _ in rows)),
        cards=len({run.card_id for run, _ in rows}),
        people=len({run.submission.submitter for run, _ in rows}),
        run=first.submission.public_id,
        quirks=known_quirks(silicon),
    )
