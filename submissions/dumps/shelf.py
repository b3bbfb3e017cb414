"""The dumps that the site gives out, each named by the time it was made.

The first of each quarter stays for good, also under the name of its quarter: what is cited goes on being there.
"""

from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.utils import timezone

from submissions.dumps import seal, store
from submissions.models import Publication

KIND = "dumps"


class Dump(NamedTuple):
    """`quarter`: as “2026-Q4”, of the first dump in it; "" of any other."""

    row: Publication
    quarter: str


def dumps() -> list[Dump]:
    """Return every dump, newest first; one query."""
    rows = list(Publication.objects.filter(kind=KIND))
    first = {_quarter(row): row for row in rows}
    return [Dump(row, quarter if first[quarter := _quarter(row)] is row else "") for row in rows]


def find(version: str) -> Publication | None:
    """Return the dump of a version or a quarter."""
    return next((dump.row for dump in dumps() if version in (dump.row.version, dump.quarter or None)), None)


def add(*, every: timedelta = timedelta()) -> Publication:
    """Return a new dump, or the newest one if it is younger than `every`; remove those beyond DUMPS_KEPT.

    Raise ReportError if another host is writing one, OSError if the disk is full.
    """
    with store.hold_folder(KIND) as folder:
        newest = store.newest(KIND)
        if newest and timezone.now() - newest.made_at < every:
            return newest
        from submissions.dumps import writer  # noqa: PLC0415  # DuckDB: 11 MB of every process that writes none

        previous = None
        if newest:
            previous = {"version": newest.version, "sha256": newest.files[seal.SUMS]["sha256"]}
        made = store.publish(KIND, writer.write(folder, previous=previous, secret=settings.DUMP_KEY), folder)
        store.remove(dump.row for dump in dumps()[settings.DUMPS_KEPT :] if not dump.quarter)
        return made


def _quarter(row: Publication) -> str:
    return f"{row.made_at.year}-Q{(row.made_at.month + 2) // 3}"
