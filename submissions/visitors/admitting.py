"""Accept reports: store them, wake a worker, and delay the answer a little while workers are behind."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from threading import BoundedSemaphore, Lock, Thread, current_thread
from typing import Unpack

from celery import current_app

from submissions import counters
from submissions.domain.errors import ReportError
from submissions.domain.pasting.pasted import Claims
from submissions.writing import ingest

# How long a notice waits, so that others can be delivered with it.
_PAUSE_S = 0.03


def _pause() -> None:
    time.sleep(_PAUSE_S)


class Coalescer:
    """A collector of notices, which it delivers together after a pause, counted by name, in a thread of its own.

    `notify` does not wait. `deliver` never runs twice at a time, and is finished before the process ends.
    """

    def __init__(
        self, deliver: Callable[[Counter[str]], object], *, pause: Callable[[], object] = _pause
    ) -> None:
        self._deliver, self._pause = deliver, pause
        self._lock = Lock()
        self._notices: Counter[str] = Counter()
        self._courier: Thread | None = None

    def notify(self, notice: str) -> None:
        with self._lock:
            self._notices[notice] += 1
            if self._courier is None:
                self._courier = Thread(target=self._deliver_all)
                self._courier.start()

    def wait(self) -> None:
        """Wait until all notices are delivered."""
        while courier := self._courier:
            courier.join()

    def _deliver_all(self) -> None:
        try:
            while notices := self._take_notices():
                self._deliver(notices)
        finally:
            with self._lock:
                if (
                    self._courier is current_thread()
                ):  # `deliver` raised: the next notice starts another thread
                    self._courier = None

    def _take_notices(self) -> Counter[str]:
        self._pause()
        with self._lock:
            notices, self._notices = self._notices, Counter()
            if not notices:
                self._courier = None
        return notices


class BackPressure:
    """A delay of answers to senders while workers are behind, so that the lag stays short.

    The delay is SHARE times the lag beyond FREE_S seconds. At most PLACES threads of a process wait at a time, so that
    other threads can serve pages.
    """

    PLACES, FREE_S, SHARE, MOST_S, MOST_OF_BATCH_S, LASTS_S = 6, 0.5, 0.2, 0.5, 5.0, 1.0

    def __init__(self, *, pause: Callable[[float], object] = time.sleep) -> None:
        self._pause = pause
        self._places = BoundedSemaphore(self.PLACES)
        self._seconds, self._until = 0.0, 0.0

    def set(self, lag_s: float) -> None:
        """Set the lag: the seconds that workers are behind now. The value is used for LASTS_S seconds."""
        behind_s = max(lag_s - self.FREE_S, 0.0)
        self._seconds, self._until = min(self.SHARE * behind_s, self.MOST_S), time.monotonic() + self.LASTS_S

    def wait(self, *, reports: int = 1) -> None:
        """Wait for the delay, once per report of a batch, but at most MOST_OF_BATCH_S seconds."""
        seconds = min(reports * self._seconds, self.MOST_OF_BATCH_S)
        if not seconds or time.monotonic() > self._until or not self._places.acquire(blocking=False):
            return
        try:
            self._pause(seconds)
        finally:
            self._places.release()


def accept_report(body: bytes, **sender: Unpack[ingest.Sender]) -> ingest.Receipt:
    """Accept a report. Raise json_shape.ShapeError, and store nothing, if it has not the shape of a report."""
    receipt = _announce(ingest.receive(body, **sender))
    back_pressure.wait()
    return receipt


def accept_parts(
    text: bytes, claims: Sequence[Claims], **sender: Unpack[ingest.Sender]
) -> list[ingest.Receipt]:
    """Accept the parts of a pasted text, each selected by one of `claims` (statements of the sender about a part).

    Raise ReportError, and store nothing, if a part cannot become a report.
    """
    receipts = [_announce(receipt) for receipt in ingest.receive_parts(text, claims, **sender)]
    back_pressure.wait(reports=len(receipts))
    return receipts


def accept_batch(
    bodies: Iterable[bytes], **sender: Unpack[ingest.Sender]
) -> list[ingest.Receipt | ReportError]:
    """Accept reports one by one. Return the receipt of each report, or the error why it was refused."""
    outcomes = [_receipt_or_error(body, **sender) for body in bodies]
    back_pressure.wait(reports=sum(isinstance(outcome, ingest.Receipt) for outcome in outcomes))
    return outcomes


def admit_stored() -> None:
    """Wake a worker for reports that the caller has stored, and wait a little while workers are behind."""
    _wake_worker(Counter())
    back_pressure.wait()


def _receipt_or_error(body: bytes, **sender: Unpack[ingest.Sender]) -> ingest.Receipt | ReportError:
    try:
        return _announce(ingest.receive(body, **sender))
    except ReportError as error:
        return error


def _announce(receipt: ingest.Receipt) -> ingest.Receipt:
    if receipt.submission.is_waiting:
        arrivals.notify(receipt.submission.channel if receipt.created else "")
    return receipt


def _wake_worker(accepted: Counter[str]) -> None:
    # By the name of the task, because this package must not import the tasks, which import it.
    back_pressure.set(
        counters.call_once(
            counters.WORKER, lambda: current_app.send_task("submissions.process_waiting"), accepted
        )
    )


back_pressure = BackPressure()
arrivals = Coalescer(_wake_worker)
