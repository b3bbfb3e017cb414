"""The only code that writes results.

    receive   keeps a report verbatim and answers with a receipt
    process   works it out: decode, identify, normalize, judge; then one transaction. Run it as often as you like
    delete    removes a submission and everything that came of it

`filing` says under which card and model a report goes.
Locks are taken in one order, so that workers never wait for each other in a ring: names, submission, card, models
by id.
"""

import logging
from dataclasses import asdict, dataclass

import msgspec
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from submissions import filing, scoring
from submissions.domain import identity, normalize, pasted, report
from submissions.domain.errors import ReportError
from submissions.domain.registers import identity_bytes
from submissions.models import Card, Host, Measurement, Run, Submission

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
    uuid = report.parse(body).uuid
    found = Submission(uuid=uuid, content_hash=report.content_hash(body), body=body)
    return _keep(found, channel=channel, submitter=submitter)


def receive_text(text: bytes, *, said: pasted.Said, channel: str, submitter: str) -> Receipt:
    """Keep what another tool printed, verbatim, beside the report it becomes. The same text is the same submission.

    Raises ReportError when nothing in it is understood or nothing names the card, storing nothing.
    """
    content_hash = pasted.content_hash(text, said)
    if known := Submission.objects.filter(content_hash=content_hash).first():
        return Receipt(known, created=False, delete_key=None)
    body = pasted.as_report(text, said=said)
    report.parse(body)
    found = Submission(content_hash=content_hash, body=body, pasted=text)
    return _keep(found, channel=channel, submitter=submitter)


def _keep(submission: Submission, *, channel: str, submitter: str) -> Receipt:
    submission.channel, submission.submitter = channel, submitter
    try:
        with transaction.atomic():
            submission.save(force_insert=True)
    except IntegrityError:
        uuid = submission.uuid
        known = Submission.objects.get_same(uuid=uuid, content_hash=submission.content_hash)
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
            filing.hold_names()
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
        filing.hold_names()
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        touched = _withdraw(locked)
        locked.delete()
        scoring.refresh(touched)


def _file(submission: Submission) -> None:
    if submission.pasted is not None and not submission.is_waiting:
        _understand_again(submission, bytes(submission.pasted))
    told = filing.read(submission)
    measured, missed = normalize.normalize(
        told.given, bus=told.decoded.bus if told.decoded else told.given.card.bus
    )
    card = filing.find_card(submission, told)
    touched = _withdraw(submission, unless_card=card)
    run = _run(submission, told, card=card)
    Measurement.objects.bulk_create(
        Measurement(run=run, position=position, **asdict(one)) for position, one in enumerate(measured)
    )
    scoring.refresh(touched | filing.settle(card))
    submission.not_understood = [asdict(one) for one in (*told.unreadable, *missed)]
    _finish(submission, Submission.State.PROCESSED)


def _understand_again(submission: Submission, text: bytes) -> None:
    """When a parser improves, so does what was pasted long ago."""
    said = pasted.said_in(report.parse(bytes(submission.body)))
    submission.body = pasted.as_report(text, said=said)
    submission.save(update_fields=["body"])


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
        filing.hold_names()
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
    return set() if card == unless_card else filing.settle(card)


def _run(submission: Submission, told: filing.Told, *, card: Card) -> Run:
    given, decoded = told.given, told.decoded
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
        csd=identity_bytes(decoded.csd.raw).hex() if decoded and decoded.csd else "",
        suspicions=[asdict(one) for one in told.suspicions],
        excluded=told.foreign,
        started_at=given.run.started_at,
        duration_ns=given.run.duration_ns,
        source_title=source.title,
        source_author=source.author,
        source_url=source.url,
        source_licence=source.licence,
        note=given.note,
        doubts=list(given.run.doubts),
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
