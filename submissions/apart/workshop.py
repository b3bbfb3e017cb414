"""Hands tasks to the process beside this one: one at a time, a few may wait."""

import pickle
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from threading import BoundedSemaphore, Lock
from typing import IO, Any, Final, TypeAlias

from submissions.domain.errors import ReportError
from submissions.domain.pasting.dry_run import Preview
from submissions.domain.pasting.inspection import Inspection
from submissions.domain.pasting.pasted import Claims, PastedReport

# The thread that hands a task over waits for it: a quarter of those of a web process may.
MOST_WAITING: Final = 2
NICENESS = 19  # pages come first, on a busy machine as well
PATIENCE_S: Final = 20.0  # of the clock; the processor time is limited for each task
_ROOT: Final = Path(__file__).parents[2]
Process: TypeAlias = "subprocess.Popen[bytes]"


class Busy(ReportError):
    """Nobody is free for it now."""

    code = "busy"


def preview(text: bytes, *, answers: Mapping[str, str]) -> Preview:
    """As `dry_run.preview`. Raises ReportError, here and below also for what takes too much, and Busy."""
    return _workshop.do("preview", text, dict(answers))


def take(text: bytes, claims: Claims) -> PastedReport:
    """As `pasted.take`."""
    return _workshop.do("take", text, claims)


def inspect(text: bytes, claims: Claims) -> Inspection:
    """As `inspection.inspect`."""
    return _workshop.do("inspect", text, claims)


class Workshop:
    """`process` is started when it is first needed, and again where it has ended."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._places = BoundedSemaphore(MOST_WAITING)
        self.process: Process | None = None

    def do(self, name: str, *arguments: object) -> Any:
        """What the task returns. Raises what it raises, and Busy."""
        if not self._places.acquire(blocking=False):
            raise Busy(
                "Others are being read just now. Nothing of this was stored; send it again in a moment."
            )
        try:
            with self._turn:
                succeeded, result = self._ask((name, arguments))
        finally:
            self._places.release()
        if succeeded:
            return result
        raise result

    def _ask(self, request: object) -> Any:
        process = self._running()
        try:
            assert process.stdin and process.stdout
            pickle.dump(request, process.stdin)
            process.stdin.flush()
            _await(process.stdout)
            return pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self.close()
            raise Busy("Reading it was interrupted. Nothing of this was stored; send it again.") from error

    def _running(self) -> Process:
        if self.process is None or self.process.poll() is not None:
            self.close()
            command = [sys.executable, "-m", "submissions.apart", str(NICENESS)]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=_ROOT, start_new_session=True
            )
        return self.process

    def close(self) -> None:
        """End the process, if there is one, and what it has begun."""
        process, self.process = self.process, None
        if process:
            process.kill()
            process.communicate()


def _await(answers: IO[bytes]) -> None:
    """Raises TimeoutError."""
    with DefaultSelector() as selector:
        selector.register(answers, EVENT_READ)
        if not selector.select(PATIENCE_S):
            raise TimeoutError


_workshop = Workshop()
