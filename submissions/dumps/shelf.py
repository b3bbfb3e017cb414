"""List, find and add the dumps that the site publishes, each named by the time it was made.

The first dump of each quarter is never removed and also has the name of its quarter, so that it can be cited.
"""

from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.utils import timezone

from submissions.dumps import seal, store
from submissions.models import Publication

KIND = "dumps"


class Dump(NamedTuple):
    """A published dump. `quarter`: such as “2026-Q4” for the first dump of a quarter, "" for later dumps."""

    row: Publication
    quarter: str


def dumps() -> list[Dump]:
    """Return every published dump, the newest first; one query."""
    rows = list(Publication.objects.filter(kind=KIND))
    first = {_quarter(row): row for row in rows}
    return [Dump(row, quarter if first[quarter := _quarter(row)] is row else "") for row in rows]


def find_dump(version: str) -> Publication | None:
    """Return the dump of a version or a quarter, or None."""
    return next((dump.row for dump in dumps() if version in (dump.row.version, dump.quarter or None)), None)


def add_dump(*, every: timedelta = timedelta()) -> Publication:
    """Write and return a dump, or return the newest dump if it is younger than `every`; remove old dumps.

    The newest DUMPS_KEPT dumps, and the first dump of each quarter, are kept. Raise ReportError if another host is
    writing a dump, OSError if the disk is full.
    """
    with store.hold_folder(KIND) as folder:
        newest = store.newest(KIND)
        if newest and timezone.now() - newest.made_at < every:
            return newest
        from submissions.dumps import writer  # noqa: PLC0415  # DuckDB: 11 MB of every process that writes none

        previous = None
        if newest:
            previous = {"version": newest.version, "sha256": newest.files[seal.SUMS]["sha256"]}
        made = store.publish(
            KIND, writer.write_dump(folder, previous=previous, secret=settings.DUMP_KEY), folder
        )
        store.remove(dump.row for dump in dumps()[settings.DUMPS_KEPT :] if not dump.quarter)
        return made


def _quarter(row: Publication) -> str:
    return f"{row.made_at.year}-Q{(row.made_at.month + 2) // 3}"
