"""manage.py import_offers FILE…: prices of products in shops, from CSV tables."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.domain.errors import ReportError
from submissions.domain.ranking.offers import COLUMNS, read_offers
from submissions.writing.offers import store_offers


class Command(BaseCommand):
    help = (
        f"Store offers of CSV tables with the columns {', '.join(COLUMNS)}. date: YYYY-MM-DD, YYYY-MM or YYYY;"
        " amount: in units of the currency, such as 19.99. Importing again changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="CSV in UTF-8")

    def handle(self, *args: Any, files: list[Path], **options: Any) -> None:
        for file in files:
            try:
                offers = read_offers(file.read_text(encoding="utf-8").splitlines())
            except OSError as error:
                raise CommandError(f"{file} cannot be read: {error.strerror or error}") from error
            except UnicodeDecodeError as error:
                raise CommandError(
                    f"{file} is no UTF-8 text: {error.reason} at byte {error.start}"
                ) from error
            except ReportError as error:
                raise CommandError(
                    f"{file}: {error.detail.rstrip('.')}. Nothing of it was stored."
                ) from error
            models = store_offers(offers)
            self.stdout.write(f"{file.name}: {len(offers)} offers, {models} tested models have one now")
