"""Call functions in another process with limited processor time and memory, one at a time; a few calls may wait."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from threading import BoundedSemaphore, Lock
from typing import IO, Any, ParamSpec, TypeAlias, TypeVar

from submissions.domain.errors import ReportError

# The thread that calls waits for the result: a quarter of the threads of a web process may.
MOST_WAITING = 2
NICENESS = 19  # Pages come first, on a busy machine as well.
PATIENCE_S = 20.0  # Of the clock; the processor time of each call is limited.
_ROOT = Path(__file__).parents[2]
Process: TypeAlias = "subprocess.Popen[bytes]"
P = ParamSpec("P")
T = TypeVar("T")


class Busy(ReportError):
    """An error: the function cannot be called now, because too many calls wait or the process was interrupted."""

    code = "busy"


class LimitedProcess:
    """A process with limited processor time and memory, in which functions are called.

    It starts when it is first needed, and again after it has ended.
    """

    def __init__(self) -> None:
        self._turn = Lock()
        self._places = BoundedSemaphore(MOST_WAITING)
        self.process: Process | None = None

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a function. Raise ReportError as it does, or if it exceeds a limit; or raise Busy."""
        if not self._places.acquire(blocking=False):
            raise Busy(
                "Others are being read just now. Nothing of this was stored; send it again in a moment."
            )
        try:
            with self._turn:
                succeeded, result = self._ask(partial(function, *args, **kwargs))
        finally:
            self._places.release()
        if not succeeded:
            raise result
        return result

    def _ask(self, call: Callable[[], object]) -> Any:
        process = self._running()
        try:
            assert process.stdin and process.stdout
            pickle.dump(call, process.stdin)
            process.stdin.flush()
            _await(process.stdout)
            return pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self.close()
            raise Busy("Reading it was interrupted. Nothing of this was stored; send it again.") from error

    def _running(self) -> Process:
        if self.process is None or self.process.poll() is not None:
            self.close()
            command = [sys.executable, "-m", "submissions.sandbox", str(NICENESS)]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=_ROOT, start_new_session=True
            )
        return self.process

    def close(self) -> None:
        """End the process, if it runs."""
        process, self.process = self.process, None
        if process:
            process.kill()
            process.communicate()


def _await(answers: IO[bytes]) -> None:
    with DefaultSelector() as selector:
        selector.register(answers, EVENT_READ)
        if not selector.select(PATIENCE_S):
            raise TimeoutError


call = LimitedProcess().call
