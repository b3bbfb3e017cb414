"""manage.py repeat_scores DIRECTORY: whether the scores of a dump follow from what is in it. Asks no database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.dumps import performances_from_dump, scores_from_dump

MOST_SHOWN = 20


class Command(BaseCommand):
    help = (
        "Work the scores of a dump out again from its Parquet files, and compare them with those published."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "directory", type=Path, metavar="DIRECTORY", help="where the files of the dump are"
        )

    def handle(self, *args: Any, directory: Path, **options: Any) -> None:
        try:
            differences = list(scores_from_dump.differences(directory))
            number = scores_from_dump.count(directory)
            changed = list(performances_from_dump.find_differences(directory))
            performances = performances_from_dump.count(directory)
        except OSError as error:
            raise CommandError(f"{directory} holds no complete dump: {error}") from error
        for line in (*changed, *differences)[:MOST_SHOWN]:
            self.stderr.write(line)
        if changed:
            raise CommandError(
                f"{len(changed)} of {performances} performances come out otherwise than published"
            )
        if differences:
            raise CommandError(f"{len(differences)} of {number} scores come out otherwise than published")
        self.stdout.write(f"{performances} performances estimated again from the dump: all as published")
        self.stdout.write(f"{number} scores worked out again from the dump: all as published")
