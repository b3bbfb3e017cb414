"""Memory of processes that run for weeks: what was imported is shared, what is freed goes back to the system."""

import ctypes
import gc
from typing import Final

# mallopt(3) of glibc. Without them each thread takes a heap of its own, and after the first body of 8 MB blocks of that
# size are cut out of the heaps, which never shrink again.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
_MAPPED_BYTES: Final = 128 * 1024
_MOST_HEAPS: Final = 2


def share_imports() -> None:
    """Before processes fork: the collector leaves what is there alone, so its pages stay shared, and looks at less."""
    gc.freeze()
    gc.collect()  # counts anew what lives long: a quarter more of that lets the collector look at all


def return_freed() -> None:
    """Before threads start. Other C libraries than glibc do as they please."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        mallopt(_MMAP_THRESHOLD, _MAPPED_BYTES)
        mallopt(_ARENA_MAX, _MOST_HEAPS)
