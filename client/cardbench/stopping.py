"""What ends a run early: Ctrl-C, SIGTERM, and a terminal that is gone. All of them keep what was measured."""

from __future__ import annotations

import os
import signal
import stat
from types import FrameType

INTERRUPTED = 130  # exit status
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # the last one is not on every system
ENDING = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))


def leave_at_once() -> None:
    """Each of them ends the program with the status of Ctrl-C, while nothing is measured yet.

    No KeyboardInterrupt: raised where a class is made, as imports do, Python before 3.12 makes a RuntimeError of it.
    """
    for number in _heeded():
        signal.signal(number, _leave)


def heed() -> None:
    """Makes each of them a KeyboardInterrupt."""
    for number in _heeded():
        signal.signal(number, _interrupt)


def _heeded() -> list[signal.Signals]:
    """All but those that whoever started us has told us to ignore."""
    return [number for number in ENDING if signal.getsignal(number) != signal.SIG_IGN]


def _leave(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    if signal.Signals(number).name == "SIGHUP":
        _leave_terminal()
    raise KeyboardInterrupt


def _leave_terminal() -> None:
    """Nobody is there any more: what is said from here on goes nowhere, instead of failing.

    A terminal that is gone does not even say that it was one.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for handle in (1, 2):
        if stat.S_ISCHR(os.fstat(handle).st_mode):
            os.dup2(nowhere, handle)
