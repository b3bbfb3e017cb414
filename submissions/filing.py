"""Under which card, variant and model a report is filed, and what speaks against the card. Called by `ingest`.

The earliest submission that tells the label names the model; without any, the registers do; what people have decided
(`Correction`) stands above both. So the outcome does not depend on the order in which submissions are processed.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, groupby
from operator import attrgetter, itemgetter

import msgspec
from django.conf import settings
from django.db import connection

from submissions.domain import identity, report
from submissions.domain.amendment import amended
from submissions.domain.card_registers import decode_card
from submissions.domain.corrections import Correction as Decision
from submissions.domain.corrections import correct
from submissions.domain.disclosure import disclosed
from submissions.domain.identity import ModelName, VariantKey
from submissions.domain.normalize import NotUnderstood
from submissions.domain.registers import Cid, Decoded, identity_bytes
from submissions.domain.suspicions import Suspicion, find_suspicions, of_another_card, verdict
from submissions.models import Card, CardModel, Correction, FormerSlug, Run, Submission, Variant


@dataclass(frozen=True, slots=True)
class Told:
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
class Lookups:
    """What one transaction has read or made already. Nobody corrects names meanwhile, so that once is enough."""

    decisions: dict[str, list[Decision]] = field(default_factory=dict)
    models: dict[str, CardModel] = field(default_factory=dict)
    variants: dict[tuple[int, VariantKey], Variant] = field(default_factory=dict)
    moves: set[tuple[str, str]] = field(default_factory=set)
    told: dict[int, Told] = field(default_factory=dict)  # by the id of the submission

    def decisions_of(self, slug: str) -> list[Decision]:
        if slug not in self.decisions:
            self.decisions[slug] = Correction.objects.of(slug)
        return self.decisions[slug]

    def read(self, submission_ids: Iterable[int]) -> None:
        """Have these at hand in `told`; at most one query."""
        missing = set(submission_ids) - set(self.told)
        if missing:
            self.told |= {one.pk: read(one) for one in Submission.objects.filter(pk__in=missing)}

    def look_ahead(self, reports: Collection[Told]) -> None:
        """Have at hand what is there already of models and silicon that these reports name; four queries."""
        slugs = {name.slug for told in reports for name in _names(told, told.given.card)}
        self.decisions |= Correction.objects.of_each(slugs)
        self.models |= {model.slug: model for model in CardModel.objects.filter(slug__in=slugs)}
        self.moves |= set(FormerSlug.objects.filter(slug__in=slugs).values_list("slug", "to_slug"))
        by_pk = {model.pk: model for model in self.models.values()}
        for variant in Variant.objects.filter(card_model__in=by_pk):
            variant.card_model = by_pk[variant.card_model_id]
            self.variants[variant.card_model_id, variant.silicon] = variant


# Any number that no other part of the site locks.
_NAMES_LOCK = 7_270_153


def hold_names(*, to_correct: bool = False) -> Lookups:
    """Let nobody correct names until this transaction ends; or, `to_correct`, let nobody file a card meanwhile.

    Taken before any row is locked. Otherwise a card filed during a correction would miss it.
    """
    function = "pg_advisory_xact_lock" if to_correct else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [_NAMES_LOCK])
    return Lookups()


def read(submission: Submission) -> Told:
    """Decode and judge one report, as amended. Raises ReportError when nothing names its card."""
    given = amended(report.parse(bytes(submission.body)), submission.amendments)
    decoded, unreadable = decode_card(given.card)
    given = disclosed(given, decoded)
    told = Told(given, decoded, unreadable, _suspicions_of_report(submission, given, decoded))
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
    return identity.card_key(settings.IDENTITY_SECRET, b"submitter", kind.encode(), name.encode())


def hold_cards(
    reports: Sequence[tuple[Submission, Told]], *, also: Collection[str], lookups: Lookups
) -> tuple[list[Card], list[Card]]:
    """The specimen of each report, known or new, and the known ones with the keys `also`; all locked in one order.

    A new one gets its variant from its first report; `settle` has the last word.
    """
    keys = [_card_key(submission, told) for submission, told in reports]
    first: dict[str, Told] = {}
    for key, (_, told) in zip(keys, reports, strict=True):
        first.setdefault(key, told)
    held = _lock_cards({*keys, *also})
    new = {key: told for key, told in first.items() if key not in held}
    if new:
        _make_cards(new, lookups)
        held |= _lock_cards(new)
    return [held[key] for key in keys], [held[key] for key in also if key in held]


def _lock_cards(keys: Collection[str]) -> dict[str, Card]:
    cards = Card.objects.select_for_update(of=["self"]).select_related("variant__card_model")
    return {card.key: card for card in cards.filter(key__in=keys).order_by("key")}


def _make_cards(new: Mapping[str, Told], lookups: Lookups) -> None:
    """Models and variants are made in the order of their names: two workers never wait for each other in a ring."""
    named = sorted(new.items(), key=lambda one: (_names(one[1], one[1].given.card)[-1].slug, one[0]))
    cards = [
        Card(
            key=key,
            variant=_variant(told, told.given.card, lookups),
            manufactured=(told.own.cid.mdt or "") if told.own and told.own.cid else "",
        )
        for key, told in named
    ]
    Card.objects.bulk_create(sorted(cards, key=attrgetter("key")), ignore_conflicts=True)


def _card_key(submission: Submission, told: Told) -> str:
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
    return identity.card_key(settings.IDENTITY_SECRET, kind, *identified)


def _any_cid(decoded: Decoded | None) -> Cid | None:
    """The CID, whichever way it is read: its bytes are the same."""
    if decoded is None:
        return None
    return decoded.cid or next((reading.cid for reading in decoded.readings if reading.cid), None)


def settle(cards: Collection[Card], lookups: Lookups) -> set[int]:
    """Put cards under the models their runs and the corrections speak for, or away if they have no runs; one query.

    Returns the ids of the models touched.
    """
    told = Run.objects.filter(card__in=cards).only("card_id", "submission_id", "label", "csd", "suspicions")
    by_card = groupby(told.order_by("card_id", "submission_id"), key=attrgetter("card_id"))
    runs = {card_id: list(group) for card_id, group in by_card}
    lookups.read(run.submission_id for of_card in runs.values() for run in _telling(of_card))
    touched: set[int] = set()
    for card in {card.pk: card for card in cards}.values():
        touched |= _settle(card, runs.get(card.pk, []), lookups)
    return touched


def _settle(card: Card, runs: Sequence[Run], lookups: Lookups) -> set[int]:
    """`runs` of the card in the order in which their reports came."""
    before = card.variant
    if not runs:
        card.delete()
        _prune(before, lookups)
        return {before.card_model_id}
    found = (card.variant_id, card.verdict, card.suspicions)
    told, labelled, judged = (lookups.told[run.submission_id] for run in _telling(runs))
    card_told = msgspec.structs.replace(told.given.card, label=labelled.given.card.label)
    card.variant = _variant(told, card_told, lookups)
    _judge(card, judged, runs)
    if found != (card.variant_id, card.verdict, card.suspicions):
        card.save(update_fields=["variant", "verdict", "suspicions"])
    if card.variant != before:
        _remember([before.card_model.slug], led_to=card.variant.card_model.slug, lookups=lookups)
        _prune(before, lookups)
    return {before.card_model_id, card.variant.card_model_id}


def _telling(runs: Sequence[Run]) -> tuple[Run, Run, Run]:
    """The first run of a card, and the first that tells its label, that tells its size; else the first of all."""
    labelled = next((run for run in runs if run.tells_brand), runs[0])
    return runs[0], labelled, next((run for run in runs if run.csd), runs[0])


def _variant(told: Told, card: report.Card, lookups: Lookups) -> Variant:
    """Variant and model of a card as `card` describes it, after all corrections; made when they are not there."""
    silicon = identity.variant_key(card, told.own)
    names = _names(told, card)
    name = correct(names[-1], silicon, lookups.decisions_of)
    model = _model(name, simulated=told.given.simulated, lookups=lookups)
    _remember([one.slug for one in names], led_to=model.slug, lookups=lookups)
    key = (model.pk, silicon)
    if key not in lookups.variants:
        lookups.variants[key], _ = Variant.objects.get_or_create(card_model=model, **asdict(silicon))
    return lookups.variants[key]


def _names(told: Told, card: report.Card) -> list[ModelName]:
    """Names that the reports give the card, the best one last: by registers, by label."""
    simulated = told.given.simulated
    if told.foreign:
        return [identity.unidentified(card, simulated=simulated)]
    best = identity.name_model(card, told.own, simulated=simulated)
    if best.named_from == "registers" or not (told.own and told.own.cid):
        return [best]
    unlabelled = msgspec.structs.replace(card, label=report.Label())
    return [identity.name_model(unlabelled, told.own, simulated=simulated), best]


def _model(name: ModelName, *, simulated: bool, lookups: Lookups) -> CardModel:
    """The model of this name. How a name is written is the affair of whoever wrote it first, or of a correction."""
    if name.slug not in lookups.models:
        fields = asdict(name) | {"simulated": simulated}
        slug = fields.pop("slug")
        lookups.models[slug], _ = CardModel.objects.get_or_create(slug=slug, defaults=fields)
    return lookups.models[name.slug]


def _remember(slugs: Iterable[str], *, led_to: str, lookups: Lookups) -> None:
    """Old addresses go on leading to the card."""
    for slug in slugs:
        if slug != led_to and (slug, led_to) not in lookups.moves:
            FormerSlug.objects.get_or_create(slug=slug, to_slug=led_to)
            lookups.moves.add((slug, led_to))


def _judge(card: Card, told: Told, runs: Sequence[Run]) -> None:
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


def _suspicions_of_card(card: Card, told: Told, csds: set[str]) -> list[dict[str, str]]:
    if told.own is None or told.given.simulated:
        return []
    brand = card.variant.card_model.brand
    found = find_suspicions(told.own, label_brand=brand or None, seen_csds=sorted(csds - {""}))
    return [asdict(one) for one in found]


def _prune(variant: Variant, lookups: Lookups) -> None:
    """A variant without cards and a model without variants go, from what was looked up as well.

    Should another worker fill one at this moment, the foreign key makes one of the two fail and be retried.
    """
    Variant.objects.filter(pk=variant.pk, cards=None).delete()
    CardModel.objects.filter(pk=variant.card_model_id, variants=None).delete()
    lookups.variants.clear()
    lookups.models.clear()
