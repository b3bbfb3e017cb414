"""Read the CPU time and the memory of processes from /proc."""

import os
from pathlib import Path
from typing import Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process and of its ended children; 0 if the process is gone."""
    fields = _read(pid, "stat").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


def memory_bytes(pid: int) -> int:
    """Return the memory of a process with its share of shared memory; 0 if the process is gone."""
    lines = (line.split() for line in _read(pid, "smaps_rollup").splitlines())
    return sum(int(words[1]) * 1024 for words in lines if words[:1] == ["Pss:"])


def name(pid: int) -> str:
    return _read(pid, "comm").strip()


def title(pid: int) -> str:
    """Return the command line of a process, such as `postgres: checkpointer`."""
    return _read(pid, "cmdline").replace("\0", " ").strip()


def _read(pid: int, what: str) -> str:
    try:
        return Path(f"/proc/{pid}/{what}").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
