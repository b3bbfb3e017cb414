"""manage.py repeat_estimates DIRECTORY: check that the estimates in a dump follow from its measurements.

The command needs no database.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.dumps import performances_from_dump

MOST_SHOWN = 20


class Command(BaseCommand):
    help = "Recalculate the performances of a dump from its Parquet files, and compare them with the published ones."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "directory", type=Path, metavar="DIRECTORY", help="directory with the files of the dump"
        )

    def handle(self, *args: Any, directory: Path, **options: Any) -> None:
        try:
            differences = list(performances_from_dump.find_differences(directory))
            number = performances_from_dump.count_performances(directory)
        except OSError as error:
            raise CommandError(f"{directory} contains no complete dump: {error}") from error
        for line in differences[:MOST_SHOWN]:
            self.stderr.write(line)
        if differences:
            raise CommandError(f"{len(differences)} of {number} performances differ from the published ones")
        self.stdout.write(
            f"{number} performances recalculated from the dump: all agree with the published ones"
        )
