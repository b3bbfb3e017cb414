"""Put the parameters of a test into words, except parameters that the table with the test shows already."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from submissions.domain.measuring.metrics import WORKLOADS
from submissions.models import Measurement
from submissions.pages import wording

SYNC = {
    "fsync_at_end": gettext_noop("final fsync"),
    "fsync_each": gettext_noop("fsync after each write or file"),
    "dsync": gettext_noop("O_DSYNC"),
    "osync": gettext_noop("O_SYNC"),
    "sync_mount": gettext_noop("mounted with sync"),
    "background": gettext_noop("background sync after each file"),
    "remount_each": gettext_noop("remounted after each file"),
    "remount_at_end": gettext_noop("remounted at the end"),
    "remount_and_sync": gettext_noop("remounted and synced at the end"),
    "background_and_remount": gettext_noop("background sync, remounted at the end"),
}
_DATA = {
    "random": gettext_noop("random data"),
    "constant": gettext_noop("one pattern"),
    "zeros": gettext_noop("zeros"),
}
_MIXED_DIRECTIONS = {"read": gettext_noop("what was read"), "write": gettext_noop("what was written")}
_ORDERS = {"sequential": gettext_noop("sequential"), "random": gettext_noop("random")}
_IO = {"buffered": gettext_noop("buffered"), "cached": gettext_noop("from the host’s memory")}
_QUEUES = {True: gettext_noop("command queue on"), False: gettext_noop("command queue off")}


def count_threads(count: int) -> str:
    """Return a number of threads, such as "4 threads"."""
    return ngettext("%(count)s thread", "%(count)s threads", count) % {"count": count}


def count_files(count: int) -> str:
    """Return a number of files, such as "1,000 files"."""
    return ngettext("%(count)s file", "%(count)s files", count) % {"count": wording.localize(f"{count:,}")}


def say_sync(sync: str) -> str:
    """Return the way in which a test syncs its writes, in words, "" if it does not."""
    return _(SYNC[sync]) if sync in SYNC else ""


def _choose(words: Mapping[Any, str]) -> Callable[[Any], str]:
    return lambda value: _(words[value]) if value in words else ""


def _size(words: str) -> Callable[[int], str]:
    return lambda size_bytes: _(words) % {"size": wording.size(size_bytes)}


# Parameter -> its words, in this order. Titles and rows show the parameters that a workload requires, and titles show
# the kind of access or of capacity, except for mixed work.
_SAID: Mapping[str, Callable[[Any], str]] = {
    "io": _choose(_IO),
    "variant": str,
    "queue_depth": lambda depth: _("queue depth %(depth)s") % {"depth": depth} if depth > 1 else "",
    "sync": say_sync,
    "command_queue": _choose(_QUEUES),
    "file_count": count_files,
    "threads": count_threads,
    "block_size_bytes": _size(gettext_noop("blocks of %(size)s")),
    "align_bytes": _size(gettext_noop("multiples of %(size)s")),
    "offset_bytes": _size(gettext_noop("from an offset of %(size)s")),
    "open_au": lambda count: _("%(open_au)s open") % {"open_au": count},
    "erase_block_index": lambda index: _("Block %(erase_block_index)s") % {"erase_block_index": index},
    "file_size_bytes": _size(gettext_noop("file of %(size)s")),
    "span_bytes": _size(gettext_noop("within %(size)s")),
    "erase_size_bytes": _size(gettext_noop("AUs of %(size)s")),
    "order": _choose(_ORDERS),
    "data": _choose(_DATA),
    "weights": str,
}
_OF_MIXED_WORK = {"direction": _choose(_MIXED_DIRECTIONS)}


def add_parameters(words: str, measurement: Measurement) -> str:
    """Return the title of a test with its further parameters, so that no table mixes incomparable values."""
    others = ", ".join(_say_others(measurement))
    return f"{words} ({others})" if others else words


def _say_others(measurement: Measurement) -> Iterator[str]:
    parameters, stated = measurement.parameters, WORKLOADS[measurement.workload].required
    said = _SAID if measurement.workload != "mixed" else {**_OF_MIXED_WORK, **_SAID}
    for name, say in said.items():
        is_whole_file = name == "span_bytes" and parameters.get(name) == parameters.get("file_size_bytes")
        if (
            name in parameters
            and name not in stated
            and not is_whole_file
            and (words := say(parameters[name]))
        ):
            yield words
