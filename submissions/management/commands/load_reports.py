"""manage.py load_reports FILE.jsonl…: one report per line, through the same door as everybody's."""

from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions import ingest, tasks
from submissions.domain.errors import ReportError
from submissions.domain.report import parse


class Command(BaseCommand):
    help = "Hand in reports from JSON Lines files. What was loaded is known: repeat a load that broke off."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE.jsonl")

    def handle(self, *args: Any, files: list[Path], **options: Any) -> None:
        outcomes: Counter[str] = Counter()
        for file in files:
            outcomes += self._load(file)
        self.stdout.write(
            ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) or "no reports"
        )
        if outcomes["refused"]:
            raise CommandError("some lines were refused; the reasons stand above")

    def _load(self, file: Path) -> Counter[str]:
        outcomes: Counter[str] = Counter()
        try:
            with file.open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    if line.strip():
                        outcomes[self._accept(line, where=f"{file}:{number}")] += 1
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}") from error
        return outcomes

    def _accept(self, line: bytes, *, where: str) -> str:
        try:
            receipt = tasks.accept(line.strip(), channel="bulk", submitter=_submitter(line))
        except ReportError as error:
            self.stderr.write(f"{where}: {error.detail}" + (f" (at {error.field})" if error.field else ""))
            return "refused"
        return "new" if receipt.created else "known"


def _submitter(line: bytes) -> str:
    """Whoever published it counts as one submitter."""
    source = parse(line).source
    return ingest.submitter_key("source", (source.author or source.title) if source else "bulk")
