"""A dump as a folder, for tests that look into its files."""

from pathlib import Path

from django.core.files.storage import default_storage

from submissions.dumps import shelf


def add_dump() -> Path:
    """Write a dump; return the folder of its files."""
    return Path(default_storage.path(str(shelf.add())))
