"""File reports under cards, variants and models, and find suspicious cards. Called by `ingest`.

The earliest submission with a label names the model of a card. Without a label, the registers of the card name the
model. Corrections by people override both. So the result does not depend on the order of processing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, groupby
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import msgspec
from django.db.models import QuerySet

from submissions.domain.amendment import amend
from submissions.domain.identity import model_names
from submissions.domain.identity.identification import decode_card
from submissions.domain.identity.model_names import ModelName
from submissions.domain.identity.suspicions import (
    LOST_DATA,
    Suspicion,
    find_foreign_reason,
    find_suspicions,
    verdict,
)
from submissions.domain.measuring.normalize import NotUnderstood
from submissions.domain.privacy.published_report import scrub_report
from submissions.domain.registers import Cid, Decoded, identity_bytes
from submissions.domain.report import Card as CardDescription
from submissions.domain.report import Label, Report, parse
from submissions.models import Card, Run, Submission, keys
from submissions.sql import bulk, locks
from submissions.sql.prepared import AnyOf, PreparedQuery
from submissions.writing.catalogue import Catalogue, Place


class ReadReport(NamedTuple):
    """A decoded report, with amendments and without private data; the label has no influence on `suspicions`."""

    submission: Submission
    report: Report
    decoded: Decoded | None
    unreadable: tuple[NotUnderstood, ...]
    suspicions: tuple[Suspicion, ...]

    @property
    def foreign(self) -> str:
        """Return the reason why the registers belong to another card than the measured one, or ""."""
        return find_foreign_reason(self.suspicions)

    @property
    def own(self) -> Decoded | None:
        """Return the registers that may identify the card, or None if they belong to another card."""
        return None if self.foreign else self.decoded

    @property
    def is_nameless(self) -> bool:
        """Return whether the report does not say which card was measured, so that it is kept, but never compared."""
        unnamed = not self.report.card.label.brand.strip() and _any_cid(self.own) is None
        return unnamed and bool(self.report.run.not_compared)

    @property
    def size_bytes(self) -> int | None:
        """Return the size of the card that the host reports, or else that of its registers."""
        return self.report.card.size_bytes or (self.own.capacity_bytes if self.own else None)


@dataclass(slots=True)
class NameCache(Catalogue):
    """A `Catalogue` that also caches the reports that this transaction has read, by submission id."""

    reports: dict[int, ReadReport] = field(default_factory=dict)

    def read_reports(self, submission_ids: Iterable[int]) -> None:
        """Load the missing reports of these submissions into `reports`; at most one query."""
        missing = set(submission_ids) - set(self.reports)
        if missing:
            submissions = _submissions(pks=list(missing))
            self.reports |= {submission.pk: read_report(submission) for submission in submissions}


@PreparedQuery
def _submissions() -> "QuerySet[Submission]":
    return Submission.objects.filter(AnyOf("pk", "pks"))


def lock_names(*, to_correct: bool = False) -> NameCache:
    """Take NAMES_LOCK until this transaction ends, and return an empty cache of models and variants.

    Call this before any row is locked. The lock is shared for filing cards, and exclusive if `to_correct` names, so
    that no card is filed during a correction that would miss the card.
    """
    locks.hold(locks.NAMES_LOCK, exclusive=to_correct)
    return NameCache()


def read_report(submission: Submission) -> ReadReport:
    """Decode a report with its amendments, and find suspicions. Raise ReportError if nothing names the card."""
    amended_report = amend(parse(bytes(submission.body)), submission.amendments)
    decoded, unreadable = decode_card(amended_report.card)
    published = scrub_report(amended_report, decoded, taken_over=submission.is_taken_over)
    suspicions = _suspicions_of_report(submission, published, decoded)
    read_report = ReadReport(submission, published, decoded, unreadable, suspicions)
    _names(read_report, published.card)
    return read_report


def _suspicions_of_report(
    submission: Submission, report: Report, decoded: Decoded | None
) -> tuple[Suspicion, ...]:
    # Suspicions are dropped if the registers are of another card.
    if decoded is None or report.simulated:
        return ()
    received_on = submission.received_at.date()
    suspicions = find_suspicions(decoded, size_bytes=report.whole_bytes, received_on=received_on)
    return tuple(suspicion for suspicion in suspicions if find_foreign_reason([suspicion])) or suspicions


def lock_or_make_cards(
    reports: Sequence[ReadReport], *, also: Collection[str], name_cache: NameCache
) -> tuple[list[Card], list[Card]]:
    """Lock and return the card of each report, and the stored cards with the keys `also`; make new cards.

    A new card gets the variant that its first report names; `place_cards` decides again, by all reports.
    """
    card_keys = [_card_key(report) for report in reports]
    made = _make_cards(card_keys, reports, name_cache)
    held = made | _lock_cards({*card_keys, *also} - made.keys())
    return [held[key] for key in card_keys], [held[key] for key in also if key in held]


def _make_cards(
    card_keys: Sequence[str], reports: Sequence[ReadReport], name_cache: NameCache
) -> dict[str, Card]:
    # Models and variants are made first, because a transaction that has locked a card must not wait for them.
    places = [_place(report, report.report.card) for report in reports]
    wanted: dict[str, tuple[Card, Place]] = {}
    for key, report, place, variant in zip(
        card_keys, reports, places, name_cache.get_or_make_variants(places), strict=True
    ):
        card = Card(key=key, variant=variant, manufactured=_manufacturing_month(report.own))
        wanted.setdefault(key, (card, place))
    made = bulk.insert_new([card for _, (card, _) in sorted(wanted.items())], "key")
    for card in made:
        name_cache.add_former_slugs(wanted[card.key][1], card.variant.card_model)
    return {card.key: card for card in made}


def _manufacturing_month(own: Decoded | None) -> str:
    return (own.cid.mdt or "") if own and own.cid else ""


def _lock_cards(card_keys: Collection[str]) -> dict[str, Card]:
    # A card is read after it is locked, because it may move to another variant while we wait for the lock.
    if not card_keys:
        return {}
    return {card.key: card for card in _cards(pks=_lock_card_rows(keys=list(card_keys)))}


@PreparedQuery
def _lock_card_rows() -> "QuerySet[Card, Any]":
    cards = Card.objects.select_for_update().filter(AnyOf("key", "keys"))
    return cards.order_by("key").values_list("pk", flat=True)


@PreparedQuery
def _cards() -> "QuerySet[Card]":
    return Card.objects.filter(AnyOf("pk", "pks")).select_related("variant__card_model")


def _card_key(read_report: ReadReport) -> str:
    report, submission = read_report.report, read_report.submission
    kind = b"simulated" if report.simulated else b"real"
    cid = _any_cid(read_report.own)
    if cid and cid.psn is not None:
        identity_parts: tuple[bytes, ...] = (b"cid", identity_bytes(cid.raw))
    elif report.card.specimen:
        label = "|".join(map(str, report.card.label.names))
        texts = (submission.submitter, label, report.card.specimen)
        identity_parts = (b"specimen", *(text.encode() for text in texts))
    else:
        identity_parts = (b"submission", submission.public_id.encode())
    return keys.card_key(kind, *identity_parts)


def _any_cid(decoded: Decoded | None) -> Cid | None:
    if decoded is None:
        return None
    return decoded.cid or next((reading.cid for reading in decoded.readings if reading.cid), None)


def place_cards(cards: Collection[Card], runs: Iterable[Run], name_cache: NameCache) -> set[int]:
    """File cards under the models that their runs and corrections name, and delete cards without runs; a few queries.

    `runs` are all runs of these cards, from `holding.load_runs`. Return the ids of the cards' models before and after.
    """
    runs_of = {card_id: list(group) for card_id, group in groupby(runs, key=attrgetter("card_id"))}
    by_pk = {card.pk: card for card in cards}
    before = {pk: card.variant for pk, card in by_pk.items()}
    name_cache.read_reports(
        run.submission_id for of_card in runs_of.values() for run in _deciding_runs(of_card)
    )
    _update_places([card for pk, card in by_pk.items() if pk in runs_of], runs_of, name_cache)
    if gone := by_pk.keys() - runs_of.keys():
        Card.objects.filter(pk__in=gone).delete()
    now = {card.variant for pk, card in by_pk.items() if pk in runs_of}
    name_cache.prune({*before.values(), *name_cache.made} - now)
    name_cache.write_former_slugs()
    return {variant.card_model_id for variant in (*before.values(), *now)}


def _update_places(
    cards: Sequence[Card], runs_of: Mapping[int, Sequence[Run]], name_cache: NameCache
) -> None:
    reports = [
        [name_cache.reports[run.submission_id] for run in _deciding_runs(runs_of[card.pk])] for card in cards
    ]
    places = [
        _place(first, msgspec.structs.replace(first.report.card, label=labelled.report.card.label))
        for first, labelled, _ in reports
    ]
    changed = []
    for card, place, variant, (_, _, judged) in zip(
        cards, places, name_cache.get_or_make_variants(places), reports, strict=True
    ):
        before = (card.variant_id, card.verdict, card.suspicions)
        name_cache.add_former_slugs(place, variant.card_model, card.variant.card_model.slug)
        card.variant = variant
        _judge(card, judged, runs_of[card.pk])
        if before != (card.variant_id, card.verdict, card.suspicions):
            changed.append(card)
    bulk.update(changed, ["variant_id", "verdict", "suspicions"])


def _deciding_runs(runs: Sequence[Run]) -> tuple[Run, Run, Run]:
    """Return three runs of a card: the first, the first with a brand on its label, and the first with a CSD.

    The first run replaces a run that the card does not have.
    """
    labelled = next((run for run in runs if run.tells_brand), runs[0])
    return runs[0], labelled, next((run for run in runs if run.csd), runs[0])


def _place(read_report: ReadReport, card: CardDescription) -> Place:
    silicon = model_names.variant_key(card, read_report.own)
    return Place(_names(read_report, card), silicon, read_report.report.simulated)


def _names(read_report: ReadReport, card: CardDescription) -> tuple[ModelName, ...]:
    # The best name comes last: by registers, by label.
    simulated = read_report.report.simulated
    if read_report.foreign or read_report.is_nameless:
        return (model_names.name_unidentified(card, simulated=simulated),)
    best = model_names.name_model(card, read_report.own, simulated=simulated)
    if best.named_from == "registers" or not (read_report.own and read_report.own.cid):
        return (best,)
    unlabelled = msgspec.structs.replace(card, label=Label())
    return model_names.name_model(unlabelled, read_report.own, simulated=simulated), best


def _judge(card: Card, read_report: ReadReport, runs: Sequence[Run]) -> None:
    # Each rule counts once: suspicions about the label or between reports take precedence over those in one report.
    of_runs = sorted(chain.from_iterable(run.suspicions for run in runs), key=itemgetter("id", "reason"))
    by_rule: dict[str, dict[str, str]] = {}
    for suspicion in (*_suspicions_of_card(card, read_report, {run.csd for run in runs}), *of_runs):
        by_rule.setdefault(suspicion["id"], suspicion)
    tested = [run.lost_data for run in runs if run.lost_data is not None]
    if tested and tested[-1]:
        by_rule[LOST_DATA.id] = asdict(LOST_DATA)
    card.suspicions = list(by_rule.values())
    own = read_report.own
    is_judged = bool(by_rule) or bool(own and own.cid and not read_report.report.simulated)
    card.verdict = verdict([Suspicion(**fields) for fields in by_rule.values()]) if is_judged else ""


def _suspicions_of_card(card: Card, read_report: ReadReport, csds: set[str]) -> list[dict[str, str]]:
    if read_report.own is None or read_report.report.simulated:
        return []
    brand = card.variant.card_model.brand
    suspicions = find_suspicions(read_report.own, label_brand=brand or None, seen_csds=sorted(csds - {""}))
    return [asdict(suspicion) for suspicion in suspicions]
