"""manage.py reprocess: when a decoder improves, history improves."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_date

from submissions.models import Submission
from submissions.writing import ingest


def day(text: str) -> datetime:
    """YYYY-MM-DD -> midnight UTC."""
    try:
        date = parse_date(text)
    except ValueError:
        date = None
    if date is None:
        raise CommandError(f"--since must be a date such as 2026-11-20, not {text!r}")
    return datetime(date.year, date.month, date.day, tzinfo=timezone.get_default_timezone())


class Command(BaseCommand):
    help = "Work out stored submissions again, rejected ones too, with the decoders and rules of today."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--since", metavar="YYYY-MM-DD", help="only what was received on this day or later"
        )

    def handle(self, *args: Any, since: str | None, **options: Any) -> None:
        submissions = Submission.objects.all()
        if since:
            submissions = submissions.filter(received_at__gte=day(since))
        count = ingest.reprocess_all(submissions)
        self.stdout.write(f"{count} submissions worked out again")
