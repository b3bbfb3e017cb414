"""Under which card, variant and model a report is filed, and what speaks against the card. Called by `ingest`.

The earliest submission that tells the label names the model; without any, the registers do; what people have decided
(`Correction`) stands above both. So the outcome does not depend on the order in which submissions are processed.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import chain
from operator import itemgetter

import msgspec
from django.conf import settings
from django.db import connection

from submissions.domain import identity, report
from submissions.domain.card_registers import decode_card
from submissions.domain.corrections import correct
from submissions.domain.identity import ModelName
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


# Any number that no other part of the site locks.
_NAMES_LOCK = 7_270_153


def hold_names(*, to_correct: bool = False) -> None:
    """Let nobody correct names until this transaction ends; or, `to_correct`, let nobody file a card meanwhile.

    Taken before any row is locked. Otherwise a card filed during a correction would miss it.
    """
    function = "pg_advisory_xact_lock" if to_correct else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [_NAMES_LOCK])


def read(submission: Submission) -> Told:
    """Decode and judge one report. Raises ReportError when nothing names its card."""
    given = report.parse(bytes(submission.body))
    decoded, unreadable = decode_card(given.card)
    return Told(given, decoded, unreadable, _suspicions_of_report(submission, given, decoded))


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


def find_card(submission: Submission, told: Told) -> Card:
    """The specimen, known or new, locked. A new one gets its variant from this report; `settle` has the last word."""
    key = _card_key(submission, told)
    card = Card.objects.select_for_update().filter(key=key).first()
    if card is None:
        variant = _variant(told, told.given.card)
        manufactured = (told.own.cid.mdt or "") if told.own and told.own.cid else ""
        Card.objects.get_or_create(key=key, defaults={"variant": variant, "manufactured": manufactured})
        card = Card.objects.select_for_update().get(key=key)
    return card


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


def settle(card: Card) -> set[int]:
    """Put a card under the model its runs and the corrections speak for, or away if it has no runs.

    Returns the ids of the models touched.
    """
    before = card.variant
    touched = {before.card_model_id}
    runs = Run.objects.filter(card=card).order_by("submission_id").select_related("submission")
    first = runs.first()
    if first is None:
        card.delete()
    else:
        told = read(first.submission)
        labelled = runs.labelled().first() or first
        label = told.given.card.label if labelled == first else read(labelled.submission).given.card.label
        card.variant = _variant(told, msgspec.structs.replace(told.given.card, label=label))
        judged = runs.exclude(csd="").first() or first
        _judge(card, told if judged == first else read(judged.submission))
        card.save(update_fields=["variant", "verdict", "suspicions"])
        touched.add(card.variant.card_model_id)
        _remember([before.card_model.slug], led_to=card.variant.card_model.slug)
    _prune(before)
    return touched


def _variant(told: Told, card: report.Card) -> Variant:
    """Variant and model of a card as `card` describes it, after all corrections; made when they are not there."""
    silicon = identity.variant_key(card, told.own)
    names = _names(told, card)
    name = correct(names[-1], silicon, Correction.objects.of)
    model = _model(name, simulated=told.given.simulated)
    _remember([one.slug for one in names], led_to=model.slug)
    variant, _ = Variant.objects.get_or_create(card_model=model, **asdict(silicon))
    return variant


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


def _model(name: ModelName, *, simulated: bool) -> CardModel:
    """The model of this name. How a name is written is the affair of whoever wrote it first, or of a correction."""
    fields = asdict(name) | {"simulated": simulated}
    slug = fields.pop("slug")
    model, _ = CardModel.objects.get_or_create(slug=slug, defaults=fields)
    return model


def _remember(slugs: Iterable[str], *, led_to: str) -> None:
    """Old addresses go on leading to the card."""
    for slug in slugs:
        if slug != led_to:
            FormerSlug.objects.get_or_create(slug=slug, to_slug=led_to)


def _judge(card: Card, told: Told) -> None:
    """Everything that speaks against the card: in any of its reports, between them, and against its label.

    Of one rule the first reason counts, in the order of the rules.
    """
    reports = list(Run.objects.filter(card=card).values_list("csd", "suspicions"))
    told_again = sorted(chain.from_iterable(one for _, one in reports), key=itemgetter("id", "reason"))
    found: dict[str, dict[str, str]] = {}
    for one in (*_suspicions_of_card(card, told, {csd for csd, _ in reports}), *told_again):
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


def _prune(variant: Variant) -> None:
    """A variant without cards and a model without variants go.

    Should another worker fill one at this moment, the foreign key makes one of the two fail and be retried.
    """
    Variant.objects.filter(pk=variant.pk, cards=None).delete()
    CardModel.objects.filter(pk=variant.card_model_id, variants=None).delete()
