"""manage.py write_site DIRECTORY: the public site as files, for any web server or a USB stick."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.domain.errors import ReportError
from submissions.pages.mirror import site


class Command(BaseCommand):
    help = "Write every public page, an index that browsers search by themselves, and the newest dump into DIRECTORY."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path, metavar="DIRECTORY", help="a new folder, or an empty one")

    def handle(self, *args: Any, directory: Path, **options: Any) -> None:
        try:
            self.stdout.write(f"{site.write(directory)} files in {directory}: open index.html")
        except ReportError as error:
            raise CommandError(error.detail) from error
        except OSError as error:
            raise CommandError(f"{directory} cannot be written: {error.strerror or error}") from error
