"""Under which card, variant and model a report is filed, and what speaks against the card. Called by `ingest`.

The earliest submission that tells the label names the model; without any, the registers do; what people have decided
(`Correction`) stands above both. So the outcome does not depend on the order in which submissions are processed.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, groupby
from operator import attrgetter, itemgetter
from typing import Any

import msgspec
from django.conf import settings
from django.db import connection
from django.db.models import QuerySet

from submissions.domain import report
from submissions.domain.amendment import amended
from submissions.domain.identity import model_names
from submissions.domain.identity.identification import decode_card
from submissions.domain.identity.model_names import ModelName
from submissions.domain.identity.suspicions import Suspicion, find_suspicions, of_another_card, verdict
from submissions.domain.measuring.normalize import NotUnderstood
from submissions.domain.privacy.published_report import disclosed
from submissions.domain.registers import Cid, Decoded, identity_bytes
from submissions.models import Card, Run, Submission
from submissions.sql import bulk
from submissions.sql.prepared import AnyOf, PreparedQuery
from submissions.writing.catalogue import Catalogue, Place


@dataclass(frozen=True, slots=True)
class ReadReport:
    """What one report tells of its card. `suspicions` are those that need no other report and no label."""

    given: report.Report
    decoded: Decoded | None
    unreadable: tuple[NotUnderstood, ...]
    suspicions: tuple[Suspicion, ...]

    @property
    def foreign(self) -> str:
        """Why these registers cannot be those of the card that was measured, else ""."""
        return of_another_card(self.suspicions)

    @property
    def own(self) -> Decoded | None:
        """The registers by which the card may be identified."""
        return None if self.foreign else self.decoded

    @property
    def size_bytes(self) -> int | None:
        """What the card holds: as the system said, else as its own registers say."""
        return self.given.card.size_bytes or (self.own.capacity_bytes if self.own else None)


@dataclass(slots=True)
class NameCache(Catalogue):
    """The catalogue, and what the reports tell that this transaction has read, by the id of the submission."""

    told: dict[int, ReadReport] = field(default_factory=dict)

    def read(self, submission_ids: Iterable[int]) -> None:
        """Have these at hand in `told`; at most one query."""
        missing = set(submission_ids) - set(self.told)
        if missing:
            self.told |= {one.pk: read(one) for one in _submissions(pks=list(missing))}


@PreparedQuery
def _submissions() -> "QuerySet[Submission]":
    return Submission.objects.filter(AnyOf("pk", "pks"))


# Any number that no other part of the site locks.
_NAMES_LOCK = 7_270_153


def hold_names(*, to_correct: bool = False) -> NameCache:
    """Let nobody correct names until this transaction ends; or, `to_correct`, let nobody file a card meanwhile.

    Taken before any row is locked. Otherwise a card filed during a correction would miss it.
    """
    function = "pg_advisory_xact_lock" if to_correct else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [_NAMES_LOCK])
    return NameCache()


def read(submission: Submission) -> ReadReport:
    """Decode and judge one report, as amended. Raises ReportError when nothing names its card."""
    given = amended(report.parse(bytes(submission.body)), submission.amendments)
    decoded, unreadable = decode_card(given.card)
    given = disclosed(given, decoded)
    told = ReadReport(given, decoded, unreadable, _suspicions_of_report(submission, given, decoded))
    _names(told, given.card)
    return told


def _suspicions_of_report(
    submission: Submission, given: report.Report, decoded: Decoded | None
) -> tuple[Suspicion, ...]:
    """An invented card is above suspicion. Only a whole device has the size its registers tell.

    When the registers are of another card, what is odd about them says nothing of this one.
    """
    if decoded is None or given.simulated:
        return ()
    size_bytes = given.card.size_bytes if given.run.target == "device" else None
    found = find_suspicions(decoded, size_bytes=size_bytes, received_on=submission.received_at.date())
    return tuple(one for one in found if of_another_card([one])) or found


def submitter_key(kind: str, name: str) -> str:
    """Keyed hash that tells submitters apart. kind: account, address, source. The name itself is not kept."""
    return model_names.card_key(settings.IDENTITY_SECRET, b"submitter", kind.encode(), name.encode())


def hold_cards(
    reports: Sequence[tuple[Submission, ReadReport]], *, also: Collection[str], name_cache: NameCache
) -> tuple[list[Card], list[Card]]:
    """The specimen of each report, known or new, and the known ones with the keys `also`; all locked in one order.

    A new one gets its variant from its first report; `settle` has the last word.
    """
    keys = [_card_key(submission, told) for submission, told in reports]
    _make_cards(keys, [told for _, told in reports], name_cache)
    held = _lock_cards({*keys, *also})
    return [held[key] for key in keys], [held[key] for key in also if key in held]


def _make_cards(keys: Sequence[str], reports: Sequence[ReadReport], name_cache: NameCache) -> None:
    """Whatever these reports name is made before any card: whoever has one waits for nobody who names another."""
    places = [_place(told, told.given.card) for told in reports]
    made = zip(keys, reports, places, name_cache.variants_of(places), strict=True)
    known = set(_known_keys(keys=list(keys)))
    new: dict[str, Card] = {}
    for key, told, place, variant in made:
        if key not in known and key not in new:
            new[key] = Card(key=key, variant=variant, manufactured=_manufactured(told.own))
            name_cache.remember(place, variant.card_model)
    bulk.insert_missing(sorted(new.values(), key=attrgetter("key")))


@PreparedQuery
def _known_keys() -> "QuerySet[Card, Any]":
    return Card.objects.filter(AnyOf("key", "keys")).values_list("key", flat=True)


def _manufactured(own: Decoded | None) -> str:
    return (own.cid.mdt or "") if own and own.cid else ""


def _lock_cards(keys: Collection[str]) -> dict[str, Card]:
    """Locked first and read afterwards: a card that moved while we waited for it would fit no variant of before."""
    return {card.key: card for card in _cards(pks=_locked(keys=list(keys)))}


@PreparedQuery
def _locked() -> "QuerySet[Card, Any]":
    cards = Card.objects.select_for_update().filter(AnyOf("key", "keys"))
    return cards.order_by("key").values_list("pk", flat=True)


@PreparedQuery
def _cards() -> "QuerySet[Card]":
    return Card.objects.filter(AnyOf("pk", "pks")).select_related("variant__card_model")


def _card_key(submission: Submission, told: ReadReport) -> str:
    given = told.given
    kind = b"simulated" if given.simulated else b"real"
    cid = _any_cid(told.own)
    if cid:
        identified: tuple[bytes, ...] = (b"cid", identity_bytes(cid.raw))
    elif given.card.specimen:
        label = "|".join(map(str, given.card.label.names))
        identified = (
            b"specimen",
            submission.submitter.encode(),
            label.encode(),
            given.card.specimen.encode(),
        )
    else:
        identified = (b"submission", submission.public_id.encode())
    return model_names.card_key(settings.IDENTITY_SECRET, kind, *identified)


def _any_cid(decoded: Decoded | None) -> Cid | None:
    """The CID, whichever way it is read: its bytes are the same."""
    if decoded is None:
        return None
    return decoded.cid or next((reading.cid for reading in decoded.readings if reading.cid), None)


def settle(cards: Collection[Card], told: Iterable[Run], name_cache: NameCache) -> set[int]:
    """Put cards under the models their runs and the corrections speak for, or away if they have no runs.

    `told`: all their runs, by `holding.runs_of`. Returns the ids of the models touched. A few queries, however many
    cards.
    """
    runs = {card_id: list(group) for card_id, group in groupby(told, key=attrgetter("card_id"))}
    every = {card.pk: card for card in cards}
    before = {pk: card.variant for pk, card in every.items()}
    name_cache.read(run.submission_id for of_card in runs.values() for run in _telling(of_card))
    _place_again([card for pk, card in every.items() if pk in runs], runs, name_cache)
    gone = every.keys() - runs.keys()
    if gone:
        Card.objects.filter(pk__in=gone).delete()
    now = {card.variant for pk, card in every.items() if pk in runs}
    name_cache.prune({*before.values(), *name_cache.made} - now)
    name_cache.write_former_slugs()
    return {variant.card_model_id for variant in (*before.values(), *now)}


def _place_again(cards: Sequence[Card], runs: Mapping[int, Sequence[Run]], name_cache: NameCache) -> None:
    """The first run of a card tells its silicon, the first that knows tells its label."""
    telling = [[name_cache.told[run.submission_id] for run in _telling(runs[card.pk])] for card in cards]
    places = [
        _place(told, msgspec.structs.replace(told.given.card, label=labelled.given.card.label))
        for told, labelled, _ in telling
    ]
    moved = zip(cards, places, name_cache.variants_of(places), telling, strict=True)
    changed = []
    for card, place, variant, (_, _, judged) in moved:
        before = (card.variant_id, card.verdict, card.suspicions)
        name_cache.remember(place, variant.card_model, card.variant.card_model.slug)
        card.variant = variant
        _judge(card, judged, runs[card.pk])
        if before != (card.variant_id, card.verdict, card.suspicions):
            changed.append(card)
    bulk.update(changed, ["variant_id", "verdict", "suspicions"])


def _telling(runs: Sequence[Run]) -> tuple[Run, Run, Run]:
    """The first run of a card, and the first that tells its label, that tells its size; else the first of all."""
    labelled = next((run for run in runs if run.tells_brand), runs[0])
    return runs[0], labelled, next((run for run in runs if run.csd), runs[0])


def _place(told: ReadReport, card: report.Card) -> Place:
    """Where a card belongs as `card` describes it."""
    return Place(_names(told, card), model_names.variant_key(card, told.own), told.given.simulated)


def _names(told: ReadReport, card: report.Card) -> tuple[ModelName, ...]:
    """Names that the reports give the card, the best one last: by registers, by label."""
    simulated = told.given.simulated
    if told.foreign:
        return (model_names.unidentified(card, simulated=simulated),)
    best = model_names.name_model(card, told.own, simulated=simulated)
    if best.named_from == "registers" or not (told.own and told.own.cid):
        return (best,)
    unlabelled = msgspec.structs.replace(card, label=report.Label())
    return model_names.name_model(unlabelled, told.own, simulated=simulated), best


def _judge(card: Card, told: ReadReport, runs: Sequence[Run]) -> None:
    """Everything that speaks against the card: in any of its reports, between them, and against its label.

    Of one rule the first reason counts, in the order of the rules.
    """
    told_again = sorted(chain.from_iterable(run.suspicions for run in runs), key=itemgetter("id", "reason"))
    found: dict[str, dict[str, str]] = {}
    for one in (*_suspicions_of_card(card, told, {run.csd for run in runs}), *told_again):
        found.setdefault(one["id"], one)
    card.suspicions = list(found.values())
    is_judged = bool(found) or bool(told.own and told.own.cid and not told.given.simulated)
    card.verdict = verdict([Suspicion(**one) for one in found.values()]) if is_judged else ""


def _suspicions_of_card(card: Card, told: ReadReport, csds: set[str]) -> list[dict[str, str]]:
    if told.own is None or told.given.simulated:
        return []
    brand = card.variant.card_model.brand
    found = find_suspicions(told.own, label_brand=brand or None, seen_csds=sorted(csds - {""}))
    return [asdict(one) for one in found]
