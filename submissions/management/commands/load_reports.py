"""manage.py load_reports FILE.jsonl…: load one report per line, and process reports like those sent to the API."""

from argparse import ArgumentParser
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.domain.errors import ReportError
from submissions.domain.report import parse
from submissions.management import loading
from submissions.models import keys
from submissions.writing import ingest

# Reports kept in one statement, and worked out in one transaction with --here.
BATCH = 500


class Command(BaseCommand):
    help = (
        "Submit reports from JSON Lines files. You can repeat an interrupted load: it skips what is loaded."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE.jsonl")
        loading.add_options(parser)

    def handle(self, *args: Any, files: list[Path], here: bool, unvouched: bool, **options: Any) -> None:
        outcomes: Counter[str] = Counter()
        for file in files:
            outcomes += self._load(file, vouched=not unvouched)
        loading.process_reports(here=here, batch=BATCH)
        self.stdout.write(
            ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) or "no reports"
        )
        if outcomes["refused"]:
            raise CommandError("some lines were refused; see the reasons above")

    def _load(self, file: Path, *, vouched: bool) -> Counter[str]:
        outcomes: Counter[str] = Counter()
        with loading.convert_errors(file), file.open("rb") as lines:
            numbered = ((number, line.strip()) for number, line in enumerate(lines, start=1))
            filled = ((number, line) for number, line in numbered if line)
            while some := list(islice(filled, BATCH)):
                outcomes += self._accept(some, file, vouched=vouched)
        return outcomes

    def _accept(self, lines: list[tuple[int, bytes]], file: Path, *, vouched: bool) -> Counter[str]:
        taken = []
        for number, line in lines:
            try:
                taken.append((line, _name_submitter(line)))
            except ReportError as error:
                where = f" (at {error.field})" if error.field else ""
                self.stderr.write(f"{file}:{number}: {error.detail}{where}")
        new = ingest.receive_all(taken, channel="bulk", vouched=vouched)
        return +Counter(new=new, known=len(taken) - new, refused=len(lines) - len(taken))


def _name_submitter(line: bytes) -> str:
    # All reports of one published source count as one submitter.
    source = parse(line).source
    return keys.submitter_key("source", (source.author or source.title) if source else "bulk")
