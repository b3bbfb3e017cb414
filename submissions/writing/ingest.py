"""The only code that writes results.

    receive   keeps a report verbatim and answers with a receipt
    process   works them out: decode, identify, normalize, judge; then one transaction. Run it as often as you like
    delete    removes a submission and everything that came of it

`filing` says under which card and model a report goes, `recording` writes its rows. Several reports worked out
together share their lookups, and each model they touch is scored once.
Locks are taken in one order, so that workers never wait for each other in a ring: names, submissions by id, what is
new (models by name, silicon, cards by key), cards by key, models by id.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import OperationalError, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Length
from django.utils import timezone

from submissions import keys
from submissions.domain import geometry, report
from submissions.domain.errors import ReportError
from submissions.domain.holds import Hold
from submissions.domain.intake import pasted
from submissions.domain.measuring import normalize
from submissions.models import Run, Submission
from submissions.sql import bulk
from submissions.sql.prepared import AnyOf, PreparedQuery
from submissions.writing import filing, holding, recording, scoring
from submissions.writing.recording import Understood

logger = logging.getLogger(__name__)

# Fields with which a submission arrives; the others begin with their defaults.
_BROUGHT = (
    *("public_id", "uuid", "content_hash", "body", "pasted", "published"),
    *("channel", "submitter", "account", "received_at"),
)
MOST_ATTEMPTS = 5
# How much is worked out in one transaction at most. More reports share lookups; fewer are seen sooner.
BATCH, BATCH_BYTES = 25, 2 * 2**20


@dataclass(frozen=True, slots=True)
class Receipt:
    """`delete_key` is None for somebody who sends a report that was there already and does not know its uuid."""

    submission: Submission
    created: bool
    delete_key: str | None


def receive(body: bytes, *, channel: str, submitter: str, account: User | None = None) -> Receipt:
    """Keep a report. The same uuid or the same content is the same submission.

    Raises report.ShapeError, storing nothing.
    """
    uuid = report.parse(body).uuid
    found = Submission(uuid=uuid, content_hash=report.content_hash(body), body=body)
    return _keep(found, channel=channel, submitter=submitter, account=account)


def receive_text(
    text: bytes, *, claims: pasted.Claims, channel: str, submitter: str, account: User | None = None
) -> Receipt:
    """Keep what another tool printed, verbatim, beside the report it becomes. The same text is the same submission.

    Raises ReportError when nothing in it is understood or nothing names the card, storing nothing.
    """
    content_hash = pasted.content_hash(text, claims)
    if known := Submission.objects.filter(content_hash=content_hash).first():
        return Receipt(known, created=False, delete_key=None)
    taken = pasted.take(text, claims=claims)
    report.parse(taken.body)
    found = Submission(content_hash=content_hash, body=taken.body, pasted=text, published=taken.published)
    return _keep(found, channel=channel, submitter=submitter, account=account)


def receive_all(reports: Sequence[tuple[bytes, str]], *, channel: str) -> int:
    """Keep many reports, each with its submitter; two queries. Returns how many are new.

    Raises report.ShapeError, storing nothing of any.
    """
    found = [
        Submission(
            uuid=report.parse(body).uuid,
            content_hash=report.content_hash(body),
            body=body,
            channel=channel,
            submitter=submitter,
        )
        for body, submitter in reports
    ]
    hashes = [one.content_hash for one in found]
    uuids = [one.uuid for one in found if one.uuid]
    known = Submission.objects.filter(Q(content_hash__in=hashes) | Q(uuid__in=uuids))
    before = known.count()
    Submission.objects.bulk_create(found, ignore_conflicts=True)
    return known.count() - before


def _keep(submission: Submission, *, channel: str, submitter: str, account: User | None) -> Receipt:
    submission.channel, submission.submitter, submission.account = channel, submitter, account
    if bulk.insert_if_new(submission, _BROUGHT):
        return Receipt(submission, created=True, delete_key=keys.delete_key(submission.public_id))
    known = Submission.objects.get_same(uuid=submission.uuid, content_hash=submission.content_hash)
    knows_uuid = submission.uuid is not None and known.uuid == submission.uuid
    return Receipt(known, created=False, delete_key=keys.delete_key(known.public_id) if knows_uuid else None)


def begin(*, most: int = BATCH, most_bytes: int = BATCH_BYTES) -> list[int]:
    """Ids of the oldest submissions that nobody has begun yet, counted as begun now. Workers do not get the same ones.

    Those that were begun before are left to `process` one by one: one of them may be what killed a worker.
    """
    with transaction.atomic():
        untouched = Submission.objects.waiting().filter(attempts=0).select_for_update(skip_locked=True)
        pks = _fitting(untouched.values_list("pk", Length("body"))[:most], most_bytes)
        Submission.objects.filter(pk__in=pks).update(attempts=F("attempts") + 1)
    return pks


def _fitting(sizes: Iterable[tuple[int, int]], most_bytes: int) -> list[int]:
    """As many ids as fit, at least one."""
    pks: list[int] = []
    for pk, size_bytes in sizes:
        most_bytes -= size_bytes
        if pks and most_bytes < 0:
            break
        pks.append(pk)
    return pks


def process(pk: int) -> None:
    """Work out one submission; first run, retry and reprocessing alike. A missing one is none of our business."""
    Submission.objects.filter(pk=pk, state=Submission.State.RECEIVED).update(attempts=F("attempts") + 1)
    try:
        process_begun([pk])
    except OperationalError:
        give_back([pk])
        raise


def give_back(pks: Collection[int]) -> None:
    """The database broke the attempt off (it restarted, its disk is full): that is no fault of these reports."""
    begun = Submission.objects.waiting().filter(pk__in=pks, attempts__gt=0)
    begun.update(attempts=F("attempts") - 1)


def process_begun(
    pks: Collection[int], *, judge: Callable[[Iterable[int]], None] = scoring.refresh
) -> dict[str, int]:
    """Work out several submissions in one transaction: if one of them breaks, nothing has happened to any.

    `judge` is called with the models touched; scoring.postpone leaves them to a full fit that follows.
    Returns how many came to which state.
    """
    with transaction.atomic():
        name_cache = filing.hold_names()
        understood, refused = [], []
        for submission in _held(pks=list(pks)):
            try:
                understood.append(_understand(submission))
            except ReportError as error:
                refused.append((submission, error))
        _file(understood, [submission for submission, _ in refused], name_cache, judge)
        _write([_refused(submission, why) for submission, why in refused])
    return {"processed": len(understood), "rejected": len(refused)}


@PreparedQuery
def _held() -> QuerySet[Submission]:
    return Submission.objects.select_for_update().filter(AnyOf("pk", "pks")).order_by("pk")


def process_together(
    pks: Collection[int],
    *,
    alone: Callable[[int], None],
    judge: Callable[[Iterable[int]], None] = scoring.refresh,
) -> dict[str, int]:
    """As `process_begun`. What breaks several belongs to one: `alone` is called with each, nothing returned.

    Raises OperationalError when the database broke it off; none counts as begun then.
    """
    try:
        return process_begun(pks, judge=judge)
    except OperationalError:
        give_back(pks)
        raise
    except Exception:  # the worker's edge: whatever it is, it is no fault of the neighbours
        logger.exception("a batch of %d submissions broke; each is tried alone", len(pks))
    for pk in pks:
        alone(pk)
    return {}


def process_again(submissions: QuerySet[Submission]) -> int:
    """Work out all of these, whatever came of them before, a batch at a time. Returns how many.

    One that breaks its batch is tried alone, and raises when it breaks then, too.
    """
    count, last = 0, 0
    in_order = submissions.order_by("pk").values_list("pk", Length("body"))
    while pks := _fitting(in_order.filter(pk__gt=last)[:BATCH], BATCH_BYTES):
        Submission.objects.waiting().filter(pk__in=pks).update(attempts=F("attempts") + 1)
        process_together(pks, alone=process)
        count, last = count + len(pks), pks[-1]
    return count


def work_off(*, most: int) -> None:
    """Work out everything that nobody has begun, `most` reports at a time; judging is left to `refit.catch_up`.

    A report that breaks even alone is left to the sweep. Raises OperationalError when the database goes on refusing.
    """
    refusals = 0
    while pks := begin(most=most, most_bytes=most * BATCH_BYTES):
        try:
            process_together(pks, alone=_process_alone, judge=scoring.postpone)
            refusals = 0
        except OperationalError as error:
            refusals += 1
            if refusals == MOST_ATTEMPTS:
                raise
            logger.warning("a batch is worked out once more: %s", error)


def _process_alone(pk: int) -> None:
    process_together([pk], alone=lambda _: None, judge=scoring.postpone)


def rework(submission: Submission, name_cache: filing.NameCache) -> None:
    """Work out again one that this transaction holds, after something was decided about it. Raises ReportError."""
    _file([_understand(submission)], [], name_cache)


def put_right(*, since: datetime) -> None:
    """Work out again what is held, or is not, because others came into its crowd or left it since."""
    for pk in holding.misplaced(since=since):
        process(pk)


def retry(pk: int) -> None:
    """Begin again what was begun and not brought to an end, or give up on it: after so many attempts it is quarantined.

    One that somebody has in hand at this moment, or is done with, is left alone.
    """
    with transaction.atomic():
        waiting = Submission.objects.waiting().select_for_update(skip_locked=True)
        submission = waiting.filter(pk=pk).first()
        if submission is None:
            return
        if submission.attempts >= MOST_ATTEMPTS:
            return _quarantine(submission)
    process(pk)


def _quarantine(submission: Submission) -> None:
    reason = "Working it out failed repeatedly. That is our fault, not yours: the report is kept and tried again later."
    why = ReportError(reason, code="processing_failed")
    _write([_finished(submission, Submission.State.REJECTED, why=why)])
    logger.error("submission %s is given up after %d attempts", submission, submission.attempts)


def delete(submission: Submission) -> None:
    """Remove a submission, its raw report and all that came of it; scores become what they were without it."""
    with transaction.atomic():
        name_cache = filing.hold_names()
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        _file([], [locked], name_cache)
        locked.delete()


def _understand(submission: Submission) -> Understood:
    """Raises ReportError."""
    if submission.pasted is not None and not submission.is_waiting:
        _understand_again(submission, bytes(submission.pasted))
    told = filing.read(submission)
    bus = told.decoded.bus if told.decoded else told.given.card.bus
    measured, missed = normalize.normalize(told.given, bus=bus)
    inside = (*geometry.stated(told.given, measured), *geometry.infer(measured, size_bytes=told.size_bytes))
    left_out = () if submission.pasted is None else pasted.left_out(told.given)
    return Understood(submission, told, measured, inside, (*told.unreadable, *missed, *left_out))


def _file(
    understood: Sequence[Understood],
    withdrawn: Sequence[Submission],
    name_cache: filing.NameCache,
    judge: Callable[[Iterable[int]], None] = scoring.refresh,
) -> None:
    """Write what came of these reports in place of what came of them and of the withdrawn ones before."""
    name_cache.told |= {one.submission.pk: one.told for one in understood}
    submissions = [one.pk for one in (*(one.submission for one in understood), *withdrawn)]
    left = set(_keys_of_cards(submissions=submissions))
    reports = [(one.submission, one.told) for one in understood]
    cards, left_cards = filing.hold_cards(reports, also=left, name_cache=name_cache)
    if left:
        Run.objects.filter(submission__in=submissions).delete()
    runs = recording.record(understood, cards)
    every = [*left_cards, *cards]
    told = holding.runs_of(every)
    touched = filing.settle(every, told, name_cache)
    held = holding.settle(every, told, new=runs)
    judge(touched)
    _write([_worked_out(one, held.get(one.submission.pk)) for one in understood])


@PreparedQuery
def _keys_of_cards() -> "QuerySet[Run, Any]":
    return Run.objects.filter(AnyOf("submission", "submissions")).values_list("card__key", flat=True)


def _understand_again(submission: Submission, text: bytes) -> None:
    """When a parser improves, so does what was pasted long ago."""
    claims = pasted.claims_in(report.parse(bytes(submission.body)))
    taken = pasted.take(text, claims=claims, again=True)
    submission.body, submission.published = taken.body, taken.published
    submission.save(update_fields=["body", "published"])


def _worked_out(one: Understood, hold: Hold | None) -> Submission:
    if hold is None:
        return _finished(one.submission, Submission.State.PROCESSED, remarks=one.remarks)
    why = ReportError(hold.reason, code=hold.code)
    return _finished(one.submission, Submission.State.HELD, why=why, remarks=one.remarks)


def _refused(submission: Submission, why: ReportError) -> Submission:
    extra = {"submission": submission.public_id}
    logger.info("submission %s rejected: %s", submission.public_id, why.code, extra=extra)
    return _finished(submission, Submission.State.REJECTED, why=why)


def _finished(
    submission: Submission,
    state: Submission.State,
    *,
    why: ReportError | None = None,
    remarks: Sequence[normalize.NotUnderstood] = (),
) -> Submission:
    """With what came of it, not written yet."""
    submission.state, submission.finished_at = state, timezone.now()
    submission.not_understood = [asdict(one) for one in remarks]
    submission.reason_code = why.code[:64] if why else ""
    submission.reason_detail = why.detail if why else ""
    submission.reason_field = why.field[:200] if why else ""
    return submission


def _write(finished: Sequence[Submission]) -> None:
    bulk.update(
        finished,
        ["state", "finished_at", "not_understood", "reason_code", "reason_detail", "reason_field"],
    )
