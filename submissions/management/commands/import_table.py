"""manage.py import_table FILE…: import published results from CSV; rows of one card, host and run make a report."""

import gzip
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from submissions.domain.intake.published.reports import Drafted, Origin, Taken, reasons, states, take
from submissions.domain.intake.published.table import rows_of
from submissions.management import loading
from submissions.writing import published

_MOST_SHOWN = 20


class Command(BaseCommand):
    help = (
        "Submit tables of published results (see api/v1/TABLE.md). Importing a table again changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files", nargs="+", type=Path, metavar="FILE", help="CSV file; can be compressed with gzip"
        )
        parser.add_argument(
            "--source", default="", help="title of the source, if data/sources.csv has no row for it"
        )
        parser.add_argument("--author", default="", help="who made the measurements")
        parser.add_argument("--licence", default="", help="licence of the values, as the source states it")
        parser.add_argument("--url", default="", help="URL of the source")
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="show what we understand, ask and refuse, but store nothing",
        )
        loading.add_options(parser)

    def handle(
        self, *args: Any, files: list[Path], dry_run: bool, here: bool, unvouched: bool, **options: Any
    ) -> None:
        origin = Origin(options["source"], options["author"], options["url"], options["licence"])
        taken = [self._take(file, origin) for file in files]
        if not dry_run:
            self._keep([report for one in taken for report in one.reports], here=here, vouched=not unvouched)

    def _take(self, file: Path, origin: Origin) -> Taken:
        """Read a table of published results.

        Raise CommandError if the file is no table, but not if single rows are wrong.
        """
        with loading.convert_errors(file):
            text = _text(file)
            source_id = origin.title and file.name.split(".")[0]
            taken = take(rows_of(text, source_id=source_id), origin if origin.title else None)
        self._preview(file, taken)
        return taken

    def _preview(self, file: Path, taken: Taken) -> None:
        counts = ", ".join(f"{count} {state}" for state, count in states(taken.lines).items())
        self.stdout.write(f"{file.name}: {len(taken.lines)} rows, {counts}; {len(taken.reports)} reports")
        for one in reasons(taken.lines)[:_MOST_SHOWN]:
            self.stdout.write(f"  {one.lines} {one.state}, first in line {one.first}: {one.words}")

    def _keep(self, reports: list[Drafted], *, here: bool, vouched: bool) -> None:
        new = published.store_table(reports, vouched=vouched)
        self.stdout.write(f"{new} new, {len(reports) - new} known")
        loading.process_reports(here=here, batch=published.BATCH)


def _text(file: Path) -> str:
    packed = file.read_bytes()
    return (gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed).decode("utf-8")
