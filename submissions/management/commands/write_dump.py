"""manage.py write_dump: write all public data as JSON Lines, CSV and Parquet."""

from typing import Any

from django.core.files.storage import default_storage
from django.core.management.base import BaseCommand, CommandError

from submissions.domain.errors import ReportError
from submissions.dumps import shelf


class Command(BaseCommand):
    help = "Write a bulk dump into the file storage, and delete the oldest dumps beyond DUMPS_KEPT."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(default_storage.url(str(shelf.add_dump())))
        except ReportError as error:
            raise CommandError(error.detail) from error
        except OSError as error:
            raise CommandError(f"Cannot write the dump to FILES_DIR: {error.strerror or error}") from error
