"""The only code that writes results.

    receive   keeps a report verbatim and answers with a receipt (receiving.py)
    process   works reports out; the first time, after a fault, and whenever a decoder improves
    delete    removes a submission and all that came of it

Reports are worked out many at a time, in one transaction of nine steps, whose locks follow the order of `sql.locks`:

    1 hold names          filing.hold_names         no name is corrected until the transaction ends
    2 lock submissions    _locked                   in the order of their ids
    3 read reports        _read                     raw report -> card, measurements, geometry; or why it is refused
    4 hold cards          filing.hold_cards         those of these reports, and those of the former runs
    5 replace runs        recording.record_runs     for the former runs, one per report with all that was measured
    6 place cards         filing.place_cards        under models, by all runs each card has now -> models touched
    7 hold submissions    holding.hold_submissions  by the same runs -> what stays out of the rankings, and why
    8 judge models        observing.observe         what is believed of these cards, as the judgement reads it
                          scoring.changed           the models of which that changes what is judged
                          scoring.refresh           the scores of each of them, once; or scoring.mark: soon after
    9 finish submissions  _finish                   processed, held or rejected

The caller of `_file` has done steps 1 to 3: `process_begun`, `delete` (nothing to read), or `rework` for `decisions`.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from django.db import OperationalError, transaction
from django.db.models import F, Min, QuerySet
from django.db.models.functions import Length
from django.utils import timezone

from submissions.domain import geometry, report
from submissions.domain.errors import ReportError
from submissions.domain.measuring import normalize
from submissions.domain.measuring.holds import Hold
from submissions.domain.pasting import pasted
from submissions.models import Run, Submission
from submissions.sql import bulk
from submissions.sql.prepared import AnyOf, PreparedQuery
from submissions.writing import filing, holding, observing, recording, same_result, scoring
from submissions.writing.receiving import Receipt, Sender, receive, receive_all, receive_text
from submissions.writing.recording import MeasuredReport

__all__ = ["Receipt", "Sender", "receive", "receive_all", "receive_text"]  # besides what stands below
logger = logging.getLogger(__name__)

# Called with the ids of the models that are to be judged, and of those of which the same is judged as before.
Judge = Callable[[Collection[int], Collection[int]], None]
MOST_ATTEMPTS = 5
# How much is worked out in one transaction at most: while few wait, and when many do. More reports share lookups; fewer
# appear sooner.
BATCH, LARGE_BATCH, BATCH_BYTES = 25, 250, 4 * 2**20


def begin(*, most: int | None = None, most_bytes: int = BATCH_BYTES) -> list[int]:
    """Ids of the oldest submissions that no worker has begun, counted as begun now. Each goes to one worker only.

    `most`: by default half of what waits, which leaves as much to another worker, but no less than BATCH and no more
    than LARGE_BATCH. Those that were begun before are left to `begin_again` and `retry`.
    """
    if most is None:
        most = min(max(BATCH, _untouched()[: 2 * LARGE_BATCH].count() // 2), LARGE_BATCH)
    with transaction.atomic():
        sizes = _untouched().select_for_update(skip_locked=True).values_list("pk", Length("body"))
        pks = _fitting(sizes[:most], most_bytes)
        Submission.objects.filter(pk__in=pks).update(attempts=F("attempts") + 1)
    return pks


def waited_s(pks: Collection[int]) -> float:
    """How long the oldest of these submissions has waited, in seconds; 0 when all are gone."""
    oldest = Submission.objects.filter(pk__in=pks).aggregate(at=Min("received_at"))["at"]
    return max((timezone.now() - oldest).total_seconds(), 0.0) if oldest else 0.0


def begin_again(pks: Collection[int]) -> list[int]:
    """Those of these submissions that were begun once, not brought to an end, and that no worker has locked; counted as
    begun again. Who was begun more often is left to `retry`, each alone: one of them may be what killed a worker.
    """
    with transaction.atomic():
        begun = Submission.objects.waiting().filter(pk__in=pks, attempts=1)
        again = list(begun.select_for_update(skip_locked=True).values_list("pk", flat=True))
        Submission.objects.filter(pk__in=again).update(attempts=F("attempts") + 1)
    return again


def is_busy() -> bool:
    """Whether reports wait that no worker has begun."""
    return _untouched().exists()


def _untouched() -> "QuerySet[Submission]":
    return Submission.objects.waiting().filter(attempts=0)


def _fitting(sizes: Iterable[tuple[int, int]], most_bytes: int) -> list[int]:
    """As many ids as fit, at least one."""
    pks: list[int] = []
    for pk, size_bytes in sizes:
        most_bytes -= size_bytes
        if pks and most_bytes < 0:
            break
        pks.append(pk)
    return pks


def process(pk: int, *, judge: Judge = scoring.refresh) -> None:
    """Work out one submission; first run, retry and reprocessing alike. Nothing when there is no such submission."""
    Submission.objects.filter(pk=pk, state=Submission.State.RECEIVED).update(attempts=F("attempts") + 1)
    try:
        process_begun([pk], judge=judge)
    except OperationalError:
        give_back([pk])
        raise


def give_back(pks: Collection[int]) -> None:
    """Count these as not begun: the database broke the attempt off (it restarted, its disk is full)."""
    begun = Submission.objects.waiting().filter(pk__in=pks, attempts__gt=0)
    begun.update(attempts=F("attempts") - 1)


def process_begun(pks: Collection[int], *, judge: Judge = scoring.refresh) -> dict[str, int]:
    """Work out several submissions in one transaction: if one of them breaks, none is changed.

    `judge`: scoring.postpone leaves the models to a full fit that follows. Returns how many came to which state.
    """
    with transaction.atomic():
        name_cache = filing.hold_names()
        batch = _read(_locked(pks=list(pks)))
        _file(batch, name_cache, judge)
    return {"processed": len(batch.reports), "rejected": len(batch.refused)}


@PreparedQuery
def _locked() -> QuerySet[Submission]:
    return Submission.objects.select_for_update().filter(AnyOf("pk", "pks")).order_by("pk")


def process_together(
    pks: Collection[int], *, alone: Callable[[int], None], judge: Judge = scoring.refresh
) -> dict[str, int]:
    """Work out several submissions in one transaction. If it breaks, `alone` is called with each, and nothing returned.

    Raises OperationalError when the database broke it off; none counts as begun then.
    """
    try:
        return process_begun(pks, judge=judge)
    except OperationalError:
        give_back(pks)
        raise
    except Exception:  # the worker's edge: a defect that one report uncovers must not stop the others
        logger.exception("a batch of %d submissions broke; each is tried alone", len(pks))
    for pk in pks:
        alone(pk)
    return {}


def process_again(submissions: QuerySet[Submission]) -> int:
    """Work out all of these again, a batch at a time. Returns how many.

    A submission that breaks its batch is tried alone, and raises when it breaks again.
    """
    count, last = 0, 0
    in_order = submissions.order_by("pk").values_list("pk", Length("body"))
    while pks := _fitting(in_order.filter(pk__gt=last)[:BATCH], BATCH_BYTES):
        Submission.objects.waiting().filter(pk__in=pks).update(attempts=F("attempts") + 1)
        process_together(pks, alone=process)
        count, last = count + len(pks), pks[-1]
    return count


def work_off(*, most: int) -> None:
    """Work out everything that no worker has begun, `most` reports at a time; judging is left to `refit.catch_up`.

    A report that breaks even alone is left to the sweep. Raises OperationalError when the database goes on refusing.
    """
    refusals = 0
    while pks := begin(most=most):
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
    """Work out again a submission that this transaction has locked, after a decision about it. Raises ReportError."""
    _file(Batch([_read_report(submission)]), name_cache)


def put_right(*, since: datetime) -> None:
    """Work out again what is held, or not held, wrongly since other cards of its submitter came or went."""
    for pk in holding.misplaced(since=since):
        process(pk)


def retry(pk: int) -> None:
    """Begin again what was begun and not finished; after MOST_ATTEMPTS attempts it is rejected instead.

    Nothing when another worker has locked the submission at this moment, or when it is finished.
    """
    with transaction.atomic():
        waiting = Submission.objects.waiting().select_for_update(skip_locked=True)
        submission = waiting.filter(pk=pk).first()
        if submission is None:
            return
        if submission.attempts >= MOST_ATTEMPTS:
            return _quarantine(submission)
    process(pk, judge=scoring.refresh_rested)


def _quarantine(submission: Submission) -> None:
    reason = "Working it out failed repeatedly. That is our fault, not yours: the report is kept and tried again later."
    why = ReportError(reason, code="processing_failed")
    _write_states([_finished(submission, Submission.State.REJECTED, why=why)])
    logger.error("submission %s is given up after %d attempts", submission, submission.attempts)


def delete(submission: Submission) -> None:
    """Remove a submission, its raw report and all that came of it; scores become what they were without it."""
    with transaction.atomic():
        name_cache = filing.hold_names()
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        _file(Batch(withdrawn=[locked]), name_cache)
        locked.delete()


@dataclass(frozen=True, slots=True)
class Batch:
    """Submissions that one transaction has locked, by what their raw reports came to. `withdrawn`: to be deleted."""

    reports: Sequence[MeasuredReport] = ()
    refused: Sequence[tuple[Submission, ReportError]] = ()
    withdrawn: Sequence[Submission] = ()

    @property
    def worked_out_before(self) -> list[int]:
        """Ids of the submissions that may have runs."""
        read = (report.submission for report in self.reports)
        every = chain(read, (row for row, _ in self.refused), self.withdrawn)
        return [submission.pk for submission in every if not submission.is_waiting]


def _read(submissions: Iterable[Submission]) -> Batch:
    """Step 3; those whose report cannot be read are `refused`."""
    reports, refused = [], []
    for submission in submissions:
        try:
            reports.append(_read_report(submission))
        except ReportError as error:
            refused.append((submission, error))
    return Batch(reports, refused)


def _read_report(submission: Submission) -> MeasuredReport:
    """Raises ReportError."""
    if submission.pasted is not None and not submission.is_waiting:
        _parse_again(submission, bytes(submission.pasted))
    read = filing.read(submission)
    bus = read.decoded.bus if read.decoded else read.report.card.bus
    measurements, missed = normalize.normalize(read.report, bus=bus)
    quantities = (
        *geometry.stated(read.report, measurements),
        *geometry.infer(measurements, size_bytes=read.size_bytes),
    )
    left_out = () if submission.pasted is None else pasted.omitted_contents(read.report)
    return MeasuredReport(read, measurements, quantities, (*read.unreadable, *missed, *left_out))


def _file(batch: Batch, name_cache: filing.NameCache, judge: Judge = scoring.refresh) -> None:
    """Steps 4 to 9: put what comes of the batch in the place of what came of its submissions before."""
    reports = [report.read for report in batch.reports]
    name_cache.reports |= {report.submission.pk: report for report in reports}
    results = [(report.submission.submitter, report.fingerprints) for report in batch.reports]
    same_result.lock_results(results)
    worked_out = batch.worked_out_before
    former = _former_results(submissions=worked_out) if worked_out else []
    former_keys = {key for key, *_ in former}
    same_keys = set(same_result.find_runs([*(result for _, *result in former), *results]).values())
    cards, former_cards = filing.hold_cards(reports, also=former_keys | same_keys, name_cache=name_cache)
    if former_keys:
        Run.objects.filter(submission__in=worked_out).delete()
    new_runs = recording.record_runs(batch.reports, cards)
    every_card = [*former_cards, *cards]
    runs = holding.runs_of(every_card)
    touched = filing.place_cards(every_card, runs, name_cache)
    held = holding.hold_submissions(every_card, runs, new=new_runs)
    changed = scoring.changed(touched, observing.observe(every_card))
    judge(changed, touched - changed)
    _finish(batch, held)


@PreparedQuery
def _former_results() -> "QuerySet[Run, Any]":
    runs = Run.objects.filter(AnyOf("submission", "submissions"))
    return runs.values_list("card__key", "submission__submitter", "result")


def _parse_again(submission: Submission, text: bytes) -> None:
    """When a parser improves, so does the report that an old text becomes."""
    claims = pasted.claims_in(report.parse(bytes(submission.body)))
    taken = pasted.take(text, claims=claims, again=True)
    submission.body, submission.published = taken.body, taken.published
    submission.save(update_fields=["body", "published"])


def _finish(batch: Batch, held: Mapping[int, Hold]) -> None:
    """Step 9: write the states of all that is not withdrawn."""
    worked_out = [_worked_out(report, held.get(report.submission.pk)) for report in batch.reports]
    _write_states([*worked_out, *(_refused(submission, why) for submission, why in batch.refused)])


def _worked_out(report: MeasuredReport, hold: Hold | None) -> Submission:
    if hold is None:
        return _finished(report.submission, Submission.State.PROCESSED, remarks=report.remarks)
    why = ReportError(hold.reason, code=hold.code)
    return _finished(report.submission, Submission.State.HELD, why=why, remarks=report.remarks)


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
    """The submission with its new state, not written yet."""
    submission.state, submission.finished_at = state, timezone.now()
    submission.not_understood = [asdict(remark) for remark in remarks]
    submission.reason_code = why.code[:64] if why else ""
    submission.reason_detail = why.detail if why else ""
    submission.reason_field = why.field[:200] if why else ""
    return submission


def _write_states(submissions: Sequence[Submission]) -> None:
    bulk.update(
        submissions,
        ["state", "finished_at", "not_understood", "reason_code", "reason_detail", "reason_field"],
    )
