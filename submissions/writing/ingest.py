"""Process reports to results, in transactions; no other code writes results.

    receive   stores a report verbatim and answers with a receipt (receiving.py)
    process   turns reports into results: the first time, after a fault, and whenever a decoder improves
    delete    removes a submission and all of its results

Reports are processed many at a time, in one transaction of nine steps, which takes its locks in the order of
`sql.locks`:

    1 lock names          filing.lock_names          no name is corrected until the transaction ends
    2 lock submissions    _lock_submissions          in the order of their ids
    3 read reports        _prepare_batch             raw report -> card, measurements, findings …; or a reason to refuse
    4 lock cards          filing.lock_or_make_cards  the cards of these reports, of the former runs and of equal results
    5 replace runs        recording.record_runs      one per report with all measurements, in place of the former runs
    6 place cards         filing.place_cards         under models, by all runs each card has now -> touched models
    7 hold submissions    holding.hold_submissions   by the same runs -> reasons to keep some out of the rankings
    8 judge models        observing.copy_values      copies the believable values of these cards into `Observation`
                          scoring.changed_models     finds the models with a change in their judged values
                          scoring.refresh            judges them now; scoring.mark lets them be judged soon after
    9 finish submissions  _finish                    processed, held or rejected

Callers of `_file` do steps 1 to 3: `process_batch`, `delete` (nothing to read), and `reprocess_locked` for `decisions`.
To judge a model is to estimate its abilities (see scoring.py).
"""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from django.db import OperationalError, transaction
from django.db.models import F, Min, QuerySet
from django.db.models.functions import Length
from django.utils import timezone

from submissions.domain import report
from submissions.domain.errors import ReportError
from submissions.domain.findings import find_findings
from submissions.domain.findings.examined_report import examine_decoded
from submissions.domain.measuring import normalize
from submissions.domain.measuring.holds import Hold
from submissions.domain.pasting import pasted
from submissions.models import Run, Submission
from submissions.sql import bulk
from submissions.sql.prepared import AnyOf, PreparedQuery
from submissions.writing import filing, holding, observing, recording, same_result, scoring
from submissions.writing.receiving import (
    Receipt,
    Sender,
    receive,
    receive_all,
    receive_parts,
)
from submissions.writing.recording import MeasuredReport

__all__ = [
    "Receipt",
    "Sender",
    "receive",
    "receive_all",
    "receive_parts",
]  # and the functions below
logger = logging.getLogger(__name__)

# A function of the ids of models to judge, and of the ids of touched models that are only to be described.
Judge = Callable[[Collection[int], Collection[int]], None]
MOST_ATTEMPTS = 5
# The most reports of a transaction that also judges their models; the most reports and bytes of any. A report costs no
# less in larger ones.
FEW, BATCH, BATCH_BYTES = 5, 50, 4 * 2**20


def take_batch(*, most: int | None = None, most_bytes: int = BATCH_BYTES) -> list[int]:
    """Return the ids of at most BATCH new submissions for this worker, the oldest first; count an attempt for each.

    `most` replaces BATCH. Submissions with an earlier attempt are left out: see `take_again` and `retry`.
    """
    with transaction.atomic():
        sizes = _new_submissions().select_for_update(skip_locked=True).values_list("pk", Length("body"))
        pks = _limit_bytes(sizes[: most or BATCH], most_bytes)
        Submission.objects.filter(pk__in=pks).update(attempts=F("attempts") + 1)
    return pks


def longest_wait_s(pks: Collection[int]) -> float:
    """Return the seconds that the oldest of these submissions has waited; 0 if all were deleted."""
    oldest = Submission.objects.filter(pk__in=pks).aggregate(at=Min("received_at"))["at"]
    return max((timezone.now() - oldest).total_seconds(), 0.0) if oldest else 0.0


def take_again(pks: Collection[int]) -> list[int]:
    """Return the ids of submissions that one attempt did not finish and no worker has locked; count another attempt.

    After two attempts `retry` takes submissions one at a time, because one of them may have killed a worker.
    """
    with transaction.atomic():
        unfinished = Submission.objects.waiting().filter(pk__in=pks, attempts=1)
        again = list(unfinished.select_for_update(skip_locked=True).values_list("pk", flat=True))
        Submission.objects.filter(pk__in=again).update(attempts=F("attempts") + 1)
    return again


def is_busy() -> bool:
    """Return whether any report waits for the first attempt to process it."""
    return _new_submissions().exists()


def _new_submissions() -> "QuerySet[Submission]":
    return Submission.objects.waiting().filter(attempts=0)


def _limit_bytes(sizes: Iterable[tuple[int, int]], most_bytes: int) -> list[int]:
    pks: list[int] = []
    for pk, size_bytes in sizes:
        most_bytes -= size_bytes
        if pks and most_bytes < 0:
            break
        pks.append(pk)
    return pks


def process(pk: int, *, judge: Judge = scoring.refresh) -> None:
    """Process one submission, the first time or again. Do nothing if there is no such submission."""
    Submission.objects.filter(pk=pk, state=Submission.State.RECEIVED).update(attempts=F("attempts") + 1)
    try:
        process_batch([pk], judge=judge)
    except OperationalError:
        uncount_attempt([pk])
        raise


def uncount_attempt(pks: Collection[int]) -> None:
    """Subtract an attempt to process submissions that the database interrupted (a restart, a full disk)."""
    tried = Submission.objects.waiting().filter(pk__in=pks, attempts__gt=0)
    tried.update(attempts=F("attempts") - 1)


def process_batch(pks: Collection[int], *, judge: Judge = scoring.refresh) -> dict[str, int]:
    """Process submissions in one transaction, and return their number by state. An exception undoes everything.

    `judge` estimates the models; with `scoring.postpone` the models wait for the next full fit.
    """
    with transaction.atomic():
        name_cache = filing.lock_names()
        batch = _prepare_batch(_lock_submissions(pks=list(pks)))
        _file(batch, name_cache, judge)
    return {"processed": len(batch.reports), "rejected": len(batch.refused)}


@PreparedQuery
def _lock_submissions() -> QuerySet[Submission]:
    return Submission.objects.select_for_update().filter(AnyOf("pk", "pks")).order_by("pk")


def process_with_fallback(
    pks: Collection[int], *, fallback: Callable[[int], None], judge: Judge = scoring.refresh
) -> dict[str, int]:
    """Process submissions as `process_batch` does; after an exception, call `fallback` with the id of each.

    Raise OperationalError if the database interrupted the transaction; then the attempt does not count.
    """
    try:
        return process_batch(pks, judge=judge)
    except OperationalError:
        uncount_attempt(pks)
        raise
    except Exception:  # a defect that one report uncovers must not stop the others
        logger.exception("a batch of %d submissions broke; each is tried by itself", len(pks))
    for pk in pks:
        fallback(pk)
    return {}


def reprocess_all(submissions: QuerySet[Submission]) -> int:
    """Process all of these submissions again, in batches, and return their number.

    If a batch raises an exception, its submissions are processed one by one, and the next exception ends the call.
    """
    count, last = 0, 0
    in_order = submissions.order_by("pk").values_list("pk", Length("body"))
    while pks := _limit_bytes(in_order.filter(pk__gt=last)[:BATCH], BATCH_BYTES):
        Submission.objects.waiting().filter(pk__in=pks).update(attempts=F("attempts") + 1)
        process_with_fallback(pks, fallback=process)
        count, last = count + len(pks), pks[-1]
    return count


def process_all_waiting(*, most: int) -> None:
    """Process all new submissions, `most` at a time, without estimating models: call `refit.refit_after_load` next.

    A report that raises an exception waits for the sweep (a periodic task). Raise OperationalError if MOST_ATTEMPTS
    batches in a row fail with it.
    """
    refusals = 0
    while pks := take_batch(most=most):
        try:
            process_with_fallback(pks, fallback=_process_one, judge=scoring.postpone)
            refusals = 0
        except OperationalError as error:
            refusals += 1
            if refusals == MOST_ATTEMPTS:
                raise
            logger.warning("a batch is processed once more: %s", error)


def _process_one(pk: int) -> None:
    process_with_fallback([pk], fallback=lambda _: None, judge=scoring.postpone)


def reprocess_locked(submission: Submission, name_cache: filing.NameCache) -> None:
    """Process a submission again after a decision; this transaction must have locked it. Raise ReportError."""
    _file(Batch([_prepare_report(submission)]), name_cache)


def reprocess_misplaced(*, since: datetime) -> None:
    """Process submissions again that the limit of cards in a day wrongly holds back, or wrongly lets pass."""
    for pk in holding.find_misplaced(since=since):
        process(pk)


def retry(pk: int) -> None:
    """Process an unfinished submission again, or reject it after MOST_ATTEMPTS attempts.

    Do nothing if the submission is finished, or if another worker has locked it at this moment.
    """
    with transaction.atomic():
        waiting = Submission.objects.waiting().select_for_update(skip_locked=True)
        submission = waiting.filter(pk=pk).first()
        if submission is None:
            return
        if submission.attempts >= MOST_ATTEMPTS:
            return _give_up(submission)
    process(pk, judge=scoring.refresh_or_mark)


def _give_up(submission: Submission) -> None:
    reason = (
        "Processing this report failed repeatedly. That is our fault: we keep the report and try again later."
    )
    why = ReportError(reason, code="processing_failed")
    _write_states([_set_state(submission, Submission.State.REJECTED, why=why)])
    logger.error("submission %s is given up after %d attempts", submission, submission.attempts)


def delete(submission: Submission) -> None:
    """Delete a submission, its raw report and all of its results, and estimate its models without them."""
    with transaction.atomic():
        name_cache = filing.lock_names()
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        _file(Batch(withdrawn=[locked]), name_cache)
        locked.delete()


class Batch(NamedTuple):
    """The submissions of one transaction: `reports` that were read, `refused` ones, and `withdrawn` ones to delete."""

    reports: Sequence[MeasuredReport] = ()
    refused: Sequence[tuple[Submission, ReportError]] = ()
    withdrawn: Sequence[Submission] = ()

    @property
    def finished_ids(self) -> list[int]:
        """Return the ids of submissions that were processed before, and so may have runs."""
        read = (report.submission for report in self.reports)
        every = chain(read, (row for row, _ in self.refused), self.withdrawn)
        return [submission.pk for submission in every if not submission.is_waiting]


def _prepare_batch(submissions: Iterable[Submission]) -> Batch:
    reports, refused = [], []
    for submission in submissions:
        try:
            reports.append(_prepare_report(submission))
        except ReportError as error:
            refused.append((submission, error))
    return Batch(reports, refused)


def _prepare_report(submission: Submission) -> MeasuredReport:
    """Decode and normalize a report, or raise ReportError.

    A report of a pasted text that is processed again is first made of that text again, because parsers improve.
    """
    if submission.pasted is not None and not submission.is_waiting:
        _update_body(submission, bytes(submission.pasted))
    read = filing.read_report(submission)
    examined = examine_decoded(
        read.report, read.decoded, read.suspicions, read.unreadable, size_bytes=read.size_bytes
    )
    left_out = () if submission.pasted is None else pasted.omitted_contents(read.report)
    remarks = (*examined.not_understood, *left_out)
    return MeasuredReport(read, examined.measured, examined.geometry, find_findings(examined), remarks)


def _file(batch: Batch, name_cache: filing.NameCache, judge: Judge = scoring.refresh) -> None:
    """Take steps 4 to 9 of the transaction that the module describes."""
    reports = [report.read for report in batch.reports]
    name_cache.reports |= {report.submission.pk: report for report in reports}
    results = [(report.submission.submitter, report.fingerprints) for report in batch.reports]
    same_result.lock_results(results)
    finished = batch.finished_ids
    former = _former_results(submissions=finished) if finished else []
    former_keys = {key for key, *_ in former}
    same_keys = set(same_result.find_runs([*(result for _, *result in former), *results]).values())
    cards, former_cards = filing.lock_or_make_cards(
        reports, also=former_keys | same_keys, name_cache=name_cache
    )
    if former_keys:
        Run.objects.filter(submission__in=finished).delete()
    new_runs = recording.record_runs(batch.reports, cards)
    every_card = [*former_cards, *cards]
    runs = holding.load_runs(every_card)
    touched = filing.place_cards(every_card, runs, name_cache)
    held = holding.hold_submissions(every_card, runs, new=new_runs)
    changed = scoring.changed_models(touched, observing.copy_values(every_card))
    judge(changed, touched - changed)
    _finish(batch, held)


@PreparedQuery
def _former_results() -> "QuerySet[Run, Any]":
    runs = Run.objects.filter(AnyOf("submission", "submissions"))
    return runs.values_list("card__key", "submission__submitter", "result")


def _update_body(submission: Submission, text: bytes) -> None:
    # The parser may have improved since.
    claims = pasted.claims_in(report.parse(bytes(submission.body)))
    taken = pasted.take(text, claims=claims, again=True)
    submission.body, submission.published = taken.body, taken.published
    submission.save(update_fields=["body", "published"])


def _finish(batch: Batch, held: Mapping[int, Hold]) -> None:
    processed = [_finish_report(report, held.get(report.submission.pk)) for report in batch.reports]
    _write_states([*processed, *(_reject(submission, why) for submission, why in batch.refused)])


def _finish_report(report: MeasuredReport, hold: Hold | None) -> Submission:
    state = Submission.State.HELD if hold else Submission.State.PROCESSED
    why = ReportError(hold.reason, code=hold.code) if hold else None
    return _set_state(report.submission, state, why=why, remarks=report.remarks)


def _reject(submission: Submission, why: ReportError) -> Submission:
    extra = {"submission": submission.public_id}
    logger.info("submission %s rejected: %s", submission.public_id, why.code, extra=extra)
    return _set_state(submission, Submission.State.REJECTED, why=why)


def _set_state(
    submission: Submission,
    state: Submission.State,
    *,
    why: ReportError | None = None,
    remarks: Sequence[normalize.NotUnderstood] = (),
) -> Submission:
    # The caller writes the row.
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
