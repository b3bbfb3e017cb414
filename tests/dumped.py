"""Write a data dump, for tests of its files."""

from pathlib import Path

from django.core.files.storage import default_storage

from submissions.dumps import shelf


def add_dump() -> Path:
    """Write a data dump of the database; return the folder of its files."""
    return Path(default_storage.path(str(shelf.add_dump())))
