"""manage.py import_offers FILE…: import prices of products in shops from CSV tables."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from submissions.domain.ranking.offers import COLUMNS, read_offers
from submissions.management import loading
from submissions.writing.offers import store_offers


class Command(BaseCommand):
    help = (
        f"Store the offers in CSV tables that have the columns {', '.join(COLUMNS)}. date: YYYY-MM-DD,"
        " YYYY-MM or YYYY; amount: in units of the currency, such as 19.99. Importing again changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="CSV in UTF-8")

    def handle(self, *args: Any, files: list[Path], **options: Any) -> None:
        for file in files:
            with loading.convert_errors(file, outcome=" Nothing from it was stored."):
                offers = read_offers(file.read_text(encoding="utf-8").splitlines())
            models = store_offers(offers)
            self.stdout.write(f"{file.name}: {len(offers)} offers; {models} tested models now have one")
