"""What processes have taken so far, read off /proc."""

import os
from pathlib import Path
from typing import Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """Of the process and of its children that have ended; 0 when it is gone."""
    fields = _read(pid, "stat").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


def memory_bytes(pid: int) -> int:
    """What it alone has, and its share of what several have; 0 when it is gone."""
    lines = (line.split() for line in _read(pid, "smaps_rollup").splitlines())
    return sum(int(words[1]) * 1024 for words in lines if words[:1] == ["Pss:"])


def name(pid: int) -> str:
    return _read(pid, "comm").strip()


def title(pid: int) -> str:
    """What it calls itself: `postgres: checkpointer`."""
    return _read(pid, "cmdline").replace("\0", " ").strip()


def _read(pid: int, what: str) -> str:
    try:
        return Path(f"/proc/{pid}/{what}").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
