"""Show the current step and the remaining time in a line on the terminal; print nothing anywhere else."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol, TextIO

_WIDTH = 24
_TICK_S = 0.5
_ENOUGH_SHARE, _ENOUGH_S = 0.03, 3.0  # share of the bar and seconds before the remaining time is shown


class Step(Protocol):
    """A part of a run in the progress bar, such as an access pattern of the plan."""

    @property
    def title(self) -> str:
        """Return the name of the step, as shown beside the bar."""

    @property
    def weight(self) -> int:
        """Return the share of the step in the bar, relative to the other steps."""


class Progress:
    """A progress bar on a terminal. If `quiet`, or if the output is no terminal, nothing is shown."""

    def __init__(
        self,
        table: Sequence[Step],
        *,
        quiet: bool = False,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = stream or sys.stderr
        self._shown = not quiet and self._stream.isatty()
        self._weights = [step.weight for step in table]
        self._clock, self._begin_s = clock, clock()
        self._number, self._title, self._since_s = 0, "", clock()
        self._ended = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def __call__(self, number: int, step: Step) -> None:
        """Show the step of the run with this number as the current step."""
        self._number, self._title, self._since_s = number, step.title, self._clock()
        if self._shown:
            self._draw()
            if not self._ticker.is_alive() and not self._ended.is_set():
                self._ticker.start()

    def finish(self) -> None:
        """Remove the progress line from the terminal."""
        self._ended.set()
        if self._ticker.is_alive():
            self._ticker.join()
        if self._shown:
            self._print("")

    @property
    def share(self) -> float:
        """Return the share of the run that is done.

        Within a step it grows with time, quickly at first, and never reaches the end. A step is expected to take as
        long per unit of weight as the steps before it; the first step, a second per unit.
        """
        whole, before = sum(self._weights) or 1, sum(self._weights[: self._number])
        weight = self._weights[self._number] if self._number < len(self._weights) else 0
        pace_s = (self._since_s - self._begin_s) / before if before else 1.0
        passed_s = self._clock() - self._since_s
        usual_s = max(1e-3, pace_s * weight)
        return (before + weight * passed_s / (passed_s + usual_s)) / whole

    @property
    def line(self) -> str:
        """Return the progress line: the bar, the percentage, the remaining time and the current step."""
        share = self.share
        drawn = "█" * int(share * _WIDTH)
        rest = _format_remaining(self._clock() - self._begin_s, share)
        return f"{drawn:░<{_WIDTH}} {share:4.0%} {rest:>11}  {self._title}"

    def _tick(self) -> None:
        while not self._ended.wait(_TICK_S):
            self._draw()

    def _draw(self) -> None:
        columns = shutil.get_terminal_size().columns - 1
        line = self.line
        self._print(line if len(line) <= columns else f"{line[: columns - 1]}…")

    def _print(self, line: str) -> None:
        with suppress(OSError):  # a terminal that is gone
            print(f"\r\x1b[K{line}", end="", file=self._stream, flush=True)


def _format_remaining(passed_s: float, share: float) -> str:
    if share < _ENOUGH_SHARE or passed_s < _ENOUGH_S:
        return ""
    left_s = passed_s * (1 - share) / share
    return f"{left_s:.0f} s left" if left_s < 100 else f"{left_s / 60:.0f} min left"
