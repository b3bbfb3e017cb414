"""Arrange the values of one card in a table with a column for each file system, and one without a file system."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from submissions.domain.measuring.metrics import WORKLOADS
from submissions.models import Measurement, Run
from submissions.pages import wording
from submissions.pages.content.figure_tables import Table, describe_measurement

_METRICS = ("throughput", "iops")


def compare_filesystems(runs: Sequence[Run]) -> Table | None:
    """Return a table of the tests that ran through several file systems, None if there is none; at most one query."""
    through = {run.pk: name_filesystem(run) for run in reversed(runs)}
    if len(set(through.values())) < 2 or not any(run.filesystem for run in runs):
        return None
    measured = Measurement.objects.filter(run__in=through, metric__in=_METRICS, value__isnull=False)
    return _table(measured.order_by("run_id", "position"), through)


def name_filesystem(run: Run) -> str:
    """Return the file system of a run with its options, such as "ext2, blocks of 1 KiB, rw,relatime,sync"."""
    if not run.filesystem:
        return _("no file system")
    block = run.circumstances.get("filesystem_block_bytes")
    size = _("blocks of %(size)s") % {"size": wording.size(block)} if block else ""
    return ", ".join(filter(None, (run.filesystem, size, run.circumstances.get("mount_options", ""))))


def _table(measured: Iterable[Measurement], through: dict[int, str]) -> Table | None:
    columns = [*dict.fromkeys(through.values())]
    rows: dict[str, list[list[Measurement]]] = {}
    for one in measured:
        cells = rows.setdefault(_test(one), [[] for _ in columns])
        cells[columns.index(through[one.run_id])].append(one)
    compared = tuple((words, tuple(cells)) for words, cells in rows.items() if sum(map(bool, cells)) > 1)
    return Table(_("Results through each file system"), "", tuple(columns), compared) if compared else None


def _test(one: Measurement) -> str:
    """Return a test in words, but without the area that it used: a bare card has more room than a file on it."""
    parameters = dict(one.parameters)
    area = parameters.pop("span_bytes", None)
    is_named = "file_size_bytes" in WORKLOADS[one.workload].required
    if area and not is_named and parameters.get("file_size_bytes", 0) >= area:
        del parameters["file_size_bytes"]
    like = Measurement(workload=one.workload, metric=one.metric, parameters=parameters)
    return describe_measurement(like)
