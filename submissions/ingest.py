"""The only code that writes results.

    receive   keeps a report verbatim and answers with a receipt
    process   works it out: decode, identify, normalize, judge; then one transaction. Run it as often as you like
    delete    removes a submission and everything that came of it

Locks are taken in one order, so that workers never wait for each other in a ring: submission, card, models by id.
"""

import logging
from dataclasses import asdict, dataclass

import msgspec
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from submissions import scoring
from submissions.domain import identity, normalize, report
from submissions.domain.errors import DecodeError, ReportError
from submissions.domain.normalize import NotUnderstood
from submissions.domain.registers import Cid, Decoded, decode, identity_bytes
from submissions.models import Card, CardModel, Host, Measurement, Run, Submission, Variant

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Receipt:
    """`delete_key` is None for somebody who sends a report that was there already and does not know its uuid."""

    submission: Submission
    created: bool
    delete_key: str | None


def receive(body: bytes, *, channel: str, submitter: str) -> Receipt:
    """Keep a report. The same uuid or the same content is the same submission.

    Raises report.ShapeError, storing nothing.
    """
    uuid, content_hash = report.parse(body).uuid, report.content_hash(body)
    try:
        with transaction.atomic():
            submission = Submission.objects.create(
                uuid=uuid, content_hash=content_hash, body=body, channel=channel, submitter=submitter
            )
    except IntegrityError:
        known = Submission.objects.get_same(uuid=uuid, content_hash=content_hash)
        knows_uuid = uuid is not None and known.uuid == uuid
        return Receipt(known, created=False, delete_key=delete_key(known) if knows_uuid else None)
    return Receipt(submission, created=True, delete_key=delete_key(submission))


def submitter_key(kind: str, name: str) -> str:
    """Keyed hash that tells submitters apart. kind: address, source. The name itself is not kept."""
    return identity.card_key(settings.IDENTITY_SECRET, b"submitter", kind.encode(), name.encode())


def delete_key(submission: Submission) -> str:
    """Derived, not stored: whoever holds it may delete the submission."""
    return salted_hmac(
        "flashdb.delete-key", submission.public_id, secret=settings.IDENTITY_SECRET, algorithm="sha256"
    ).hexdigest()[:32]


def may_delete(submission: Submission, key: str) -> bool:
    return constant_time_compare(key.encode(), delete_key(submission).encode())


def process(pk: int) -> None:
    """Work out one submission; first run, retry and reprocessing alike. A missing one is none of our business."""
    Submission.objects.filter(pk=pk, state=Submission.State.RECEIVED).update(attempts=F("attempts") + 1)
    try:
        with transaction.atomic():
            submission = Submission.objects.select_for_update().filter(pk=pk).first()
            if submission is not None:
                _file(submission)
    except ReportError as error:
        _reject(pk, error)


def quarantine(pk: int) -> None:
    """Give up on a submission that was begun too often without coming to an end; it is kept, with the reason."""
    reason = "Working it out failed repeatedly. That is our fault, not yours: the report is kept and tried again later."
    _reject(pk, ReportError(reason, code="processing_failed"))


def delete(submission: Submission) -> None:
    """Remove a submission, its raw report and all that came of it; scores become what they were without it."""
    with transaction.atomic():
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        touched = _withdraw(locked)
        locked.delete()
        scoring.refresh(touched)


def _file(submission: Submission) -> None:
    given = report.parse(bytes(submission.body))
    decoded, unreadable = _decode(given)
    measured, missed = normalize.normalize(given, bus=decoded.bus if decoded else given.card.bus)
    card = _card(submission, given, decoded)
    touched = _withdraw(submission, unless_card=card)
    run = _run(submission, given, decoded=decoded, card=card)
    Measurement.objects.bulk_create(
        Measurement(run=run, position=position, **asdict(one)) for position, one in enumerate(measured)
    )
    scoring.refresh(touched | _settle(card))
    submission.not_understood = [asdict(one) for one in (*unreadable, *missed)]
    _finish(submission, Submission.State.PROCESSED)


def _decode(given: report.Report) -> tuple[Decoded | None, list[NotUnderstood]]:
    """Every register that can be read, and those that cannot.

    Raises DecodeError for a CID when nothing else names the card.
    """
    registers = {name: text for name, text in msgspec.structs.asdict(given.card.registers).items() if text}
    bus = given.card.bus if given.card.bus in ("SD", "MMC") else None
    unreadable: list[NotUnderstood] = []
    while registers:
        try:
            return decode(registers, bus=bus), unreadable
        except DecodeError as error:
            field = f"card.registers.{error.field}"
            if error.field == "cid" and not given.card.label.brand.strip():
                raise DecodeError(error.detail, field=field) from error
            unreadable.append(NotUnderstood(field, error.code, error.detail))
            del registers[error.field]
    return None, unreadable


def _finish(submission: Submission, state: Submission.State, error: ReportError | None = None) -> None:
    submission.state = state
    submission.finished_at = timezone.now()
    submission.reason_code = error.code[:64] if error else ""
    submission.reason_detail = error.detail if error else ""
    submission.reason_field = error.field[:200] if error else ""
    submission.save(
        update_fields=[
            "state",
            "finished_at",
            "not_understood",
            "reason_code",
            "reason_detail",
            "reason_field",
        ]
    )


def _reject(pk: int, error: ReportError) -> None:
    """Keep the report with its reason; what an earlier version made of it goes."""
    with transaction.atomic():
        submission = Submission.objects.select_for_update().filter(pk=pk).first()
        if submission is None:
            return
        scoring.refresh(_withdraw(submission))
        _finish(submission, Submission.State.REJECTED, error)
    logger.info("submission %s rejected: %s", submission.public_id, error.code)


def _withdraw(submission: Submission, *, unless_card: Card | None = None) -> set[int]:
    """Take the run of a submission out and settle its card, `unless_card` is that card: whoever asks settles it later.

    Returns the ids of the models touched.
    """
    run = Run.objects.filter(submission=submission).first()
    if run is None:
        return set()
    card = Card.objects.select_for_update().get(pk=run.card_id)
    run.delete()
    return set() if card == unless_card else _settle(card)


def _card(submission: Submission, given: report.Report, decoded: Decoded | None) -> Card:
    """The specimen, known or new, locked. A new one gets its variant from this report; `_settle` has the last word."""
    key = _card_key(submission, given, decoded)
    card = Card.objects.select_for_update().filter(key=key).first()
    if card is None:
        variant = _variant(given.card, decoded, simulated=given.simulated)
        manufactured = (decoded.cid.mdt or "") if decoded and decoded.cid else ""
        Card.objects.get_or_create(key=key, defaults={"variant": variant, "manufactured": manufactured})
        card = Card.objects.select_for_update().get(key=key)
    return card


def _card_key(submission: Submission, given: report.Report, decoded: Decoded | None) -> str:
    kind = b"simulated" if given.simulated else b"real"
    cid = _any_cid(decoded)
    if cid:
        identified: tuple[bytes, ...] = (b"cid", identity_bytes(cid.raw))
    elif given.card.specimen:
        label = "|".join(map(str, msgspec.structs.astuple(given.card.label)))
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


def _variant(card: report.Card, decoded: Decoded | None, *, simulated: bool) -> Variant:
    name = identity.name_model(card, decoded, simulated=simulated)
    defaults = asdict(name) | {"simulated": simulated}
    model, _ = CardModel.objects.get_or_create(slug=defaults.pop("slug"), defaults=defaults)
    variant, _ = Variant.objects.get_or_create(
        card_model=model, **asdict(identity.variant_key(card, decoded))
    )
    return variant


def _run(submission: Submission, given: report.Report, *, decoded: Decoded | None, card: Card) -> Run:
    source = given.source or report.Source(title="")
    return Run.objects.create(
        submission=submission,
        card=card,
        host=_host(given.host),
        suite=given.run.suite,
        tool=given.run.tool,
        tool_version=given.run.tool_version,
        target=given.run.target,
        filesystem=given.host.filesystem,
        condition=given.card.condition,
        label=msgspec.structs.asdict(given.card.label) if given.card.label != report.Label() else {},
        registers=decoded.as_dict() if decoded else {},
        started_at=given.run.started_at,
        duration_ns=given.run.duration_ns,
        source_title=source.title,
        source_author=source.author,
        source_url=source.url,
        source_licence=source.licence,
        note=given.note,
    )


def _host(host: report.Host) -> Host:
    known, _ = Host.objects.get_or_create(
        board=host.board,
        machine=host.machine,
        kernel=host.kernel,
        interface=host.interface,
        driver=host.driver,
        reader=host.reader,
        bus_mode=host.bus_mode.name,
        clock_hz=host.bus_mode.clock_hz,
        width_bits=host.bus_mode.width_bits,
    )
    return known


def _settle(card: Card) -> set[int]:
    """Put a card under the model its runs speak for, or away if it has none. Returns the ids of the models touched.

    The earliest submission that tells the label names the model; without any, the registers do. So the outcome does
    not depend on the order in which submissions are processed.
    """
    before = card.variant
    touched = {before.card_model_id}
    runs = Run.objects.filter(card=card).order_by("submission_id").select_related("submission")
    first = runs.first()
    if first is None:
        card.delete()
    else:
        labelled = runs.labelled().first() or first
        card.variant = _variant_of(first, labelled)
        card.save(update_fields=["variant"])
        touched.add(card.variant.card_model_id)
    _prune(before)
    return touched


def _variant_of(first: Run, labelled: Run) -> Variant:
    given = report.parse(bytes(first.submission.body))
    label = (
        report.parse(bytes(labelled.submission.body)).card.label if labelled != first else given.card.label
    )
    card = msgspec.structs.replace(given.card, label=label)
    decoded, _ = _decode(given)
    return _variant(card, decoded, simulated=given.simulated)


def _prune(variant: Variant) -> None:
    """A variant without cards and a model without variants go.

    Should another worker fill one at this moment, the foreign key makes one of the two fail and be retried.
    """
    Variant.objects.filter(pk=variant.pk, cards=None).delete()
    CardModel.objects.filter(pk=variant.card_model_id, variants=None).delete()
