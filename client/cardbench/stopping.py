"""Handle signals that end a run early: Ctrl-C, SIGTERM, and SIGHUP of a closed terminal. Measurements are kept."""

from __future__ import annotations

import os
import signal
import stat
from types import FrameType

INTERRUPTED = 130  # exit status
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # SIGHUP is not available on every system
ENDING = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))


def leave_at_once() -> None:
    """Make SIGINT, SIGTERM and SIGHUP end the program at once, with the exit status of Ctrl-C.

    For use before measurements. KeyboardInterrupt is not raised: while an import creates a class, Python before 3.12
    turns it into a RuntimeError.
    """
    for number in _list_signals():
        signal.signal(number, _leave)


def interrupt_on_signals() -> None:
    """Make each of SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt."""
    for number in _list_signals():
        signal.signal(number, _interrupt)


def _list_signals() -> list[signal.Signals]:
    # Without signals that the parent process has set to be ignored, as nohup does.
    return [number for number in ENDING if signal.getsignal(number) != signal.SIG_IGN]


def _leave(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    if signal.Signals(number).name == "SIGHUP":
        _leave_terminal()
    raise KeyboardInterrupt


def _leave_terminal() -> None:
    # Later output is discarded instead of failing. A closed terminal no longer answers isatty().
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for handle in (1, 2):
        if stat.S_ISCHR(os.fstat(handle).st_mode):
            os.dup2(nowhere, handle)
