"""Run each function call from `limited_call.py` in a fork, which the kernel limits in processor time and memory.

A module is imported once, when a call first names it.
"""

import gc
import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from submissions.domain.errors import ReportError

# The longest log seen in public (17,000 lines, a night of flashbench) takes .4 s, on a small or busy server over 1.
CPU_S = 2.0
MEMORY_BYTES = 320 * 2**20
_TOO_MUCH = ReportError(
    "The text takes too long to read. Paste the part with the measurements, or several parts.",
    field="text",
    code="too_large",
)


def main() -> None:
    """Read function calls from stdin and write their results to stdout, until the web process ends."""
    calls, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # Otherwise whatever prints would write between the answers.
    os.nice(int(sys.argv[1]))
    while True:
        try:
            call = pickle.load(calls)
        except EOFError:
            return
        gc.freeze()  # The fork copies no memory to collect garbage.
        child = os.fork()
        if not child:
            _answer(call, answers)
        if os.waitpid(child, 0)[1]:
            pickle.dump((False, _TOO_MUCH), answers)
            answers.flush()


def _answer(call: Callable[[], object], answers: BinaryIO) -> None:
    gc.disable()
    try:
        _limit()
        packed = pickle.dumps(_result(call))
    except MemoryError:
        os._exit(1)
    signal.setitimer(signal.ITIMER_PROF, 0)  # An alarm now would leave half an answer.
    answers.write(packed)
    answers.flush()
    os._exit(0)


def _limit() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    signal.setitimer(signal.ITIMER_PROF, CPU_S)  # Nothing handles its alarm, which ends the process.


def _result(call: Callable[[], object]) -> tuple[bool, object]:
    try:
        return True, call()
    except ReportError as refusal:
        return False, refusal


if __name__ == "__main__":
    main()
