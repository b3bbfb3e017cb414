"""A line on the terminal that says what is going on; silence anywhere else."""

import shutil
import sys
from collections.abc import Sequence
from typing import TextIO

from cardbench.plan import Cell

_WIDTH = 24


class Progress:
    """A bar on a terminal. `quiet`, or anything but a terminal, shows nothing."""

    def __init__(self, table: Sequence[Cell], *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._shown = not quiet and self._stream.isatty()
        self._weights = [cell.repeats * (1 if cell.align_bytes else 8) for cell in table]

    def __call__(self, number: int, cell: Cell) -> None:
        """Says that the cell of this number begins."""
        if self._shown:
            done = sum(self._weights[:number]) / sum(self._weights)
            bar = "█" * round(done * _WIDTH)
            line = f"{bar:░<{_WIDTH}} {done:4.0%}  {cell.title}"[: shutil.get_terminal_size().columns - 1]
            print(f"\r\x1b[K{line}", end="", file=self._stream, flush=True)

    def finish(self) -> None:
        """Takes the line away."""
        if self._shown:
            print("\r\x1b[K", end="", file=self._stream, flush=True)
