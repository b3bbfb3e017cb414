"""manage.py reprocess: process stored submissions again with the decoders and rules of today."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_date

from submissions.models import Submission
from submissions.writing import ingest


def read_day(text: str) -> datetime:
    """Return midnight UTC of a day written as YYYY-MM-DD. Raise CommandError for any other text."""
    try:
        date = parse_date(text)
    except ValueError:
        date = None
    if date is None:
        raise CommandError(f"--since must be a date such as 2026-11-20, not {text!r}")
    return datetime(date.year, date.month, date.day, tzinfo=timezone.get_default_timezone())


class Command(BaseCommand):
    help = "Process stored submissions again, including rejected ones, with the current decoders and rules."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--since", metavar="YYYY-MM-DD", help="only those received on this day or later")

    def handle(self, *args: Any, since: str | None, **options: Any) -> None:
        submissions = Submission.objects.all()
        if since:
            submissions = submissions.filter(received_at__gte=read_day(since))
        count = ingest.reprocess_all(submissions)
        self.stdout.write(f"{count} submissions processed again")
