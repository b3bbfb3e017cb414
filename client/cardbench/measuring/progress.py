"""A line on the terminal that says what is going on; silence anywhere else."""

import shutil
import sys
from collections.abc import Sequence
from typing import Protocol, TextIO

_WIDTH = 24


class Step(Protocol):
    """Part of a run, such as a cell of the plan."""

    @property
    def title(self) -> str:
        """What is going on."""

    @property
    def weight(self) -> int:
        """Its share of the bar."""


class Progress:
    """A bar on a terminal. `quiet`, or anything but a terminal, shows nothing."""

    def __init__(self, table: Sequence[Step], *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._shown = not quiet and self._stream.isatty()
        self._weights = [step.weight for step in table]

    def __call__(self, number: int, step: Step) -> None:
        """Says that the step of this number begins."""
        if self._shown:
            done = sum(self._weights[:number]) / sum(self._weights)
            bar = "█" * round(done * _WIDTH)
            line = f"{bar:░<{_WIDTH}} {done:4.0%}  {step.title}"[: shutil.get_terminal_size().columns - 1]
            print(f"\r\x1b[K{line}", end="", file=self._stream, flush=True)

    def finish(self) -> None:
        """Takes the line away."""
        if self._shown:
            print("\r\x1b[K", end="", file=self._stream, flush=True)
