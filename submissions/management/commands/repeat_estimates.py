"""manage.py repeat_estimates DIRECTORY: estimate the performances of a dump again, and compare; needs no database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.dumps import performances_from_dump

MOST_SHOWN = 20


class Command(BaseCommand):
    help = (
        "Estimate the performances in a dump again from its Parquet files, and compare them with the"
        " published ones."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "directory", type=Path, metavar="DIRECTORY", help="directory with the files of the dump"
        )

    def handle(self, *args: Any, directory: Path, **options: Any) -> None:
        try:
            differences = list(performances_from_dump.find_differences(directory))
            number = performances_from_dump.count(directory)
        except OSError as error:
            raise CommandError(f"{directory} contains no complete dump: {error}") from error
        for line in differences[:MOST_SHOWN]:
            self.stderr.write(line)
        if differences:
            raise CommandError(f"{len(differences)} of {number} performances differ from the published ones")
        self.stdout.write(
            f"estimated {number} performances again from the dump: all match the published ones"
        )
