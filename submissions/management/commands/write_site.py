"""manage.py write_site [DIRECTORY]: write the public site as files, for any web server or a USB stick."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from submissions.domain.errors import ReportError
from submissions.pages.mirror import site


class Command(BaseCommand):
    help = "Write all public pages, an index for browsers and the newest dump into DIRECTORY, or /mirror.zip."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "directory", nargs="?", type=Path, metavar="DIRECTORY", help="a new or empty directory"
        )

    def handle(self, *args: Any, directory: Path | None, **options: Any) -> None:
        try:
            if directory is None:
                self.stdout.write(site.publish_mirror().url("mirror.zip"))
            else:
                self.stdout.write(f"{site.write_mirror(directory)} files in {directory}: open index.html")
        except ReportError as error:
            raise CommandError(error.detail) from error
        except OSError as error:
            raise CommandError(
                f"{directory or settings.MEDIA_ROOT} cannot be written: {error.strerror or error}"
            ) from error
