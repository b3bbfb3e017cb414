"""Publish files: they are made on the disk of one host, kept in Django's default storage, listed in the database.

The storage is a folder that nginx serves, or a bucket. SHA256SUMS is stored last and removed first, so a folder with a
SHA256SUMS is complete: it is listed again if its row was lost, for example by restoring an older backup. Other folders
are removed.
"""

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.utils import timezone

from submissions.domain.errors import ReportError
from submissions.dumps import description, seal
from submissions.dumps.minisign import parse_key
from submissions.models import Publication
from submissions.sql import locks

VERSION = "%Y-%m-%dT%H%M%SZ"
_LOCKS = {"dumps": locks.DUMP_LOCK, "mirror": locks.MIRROR_LOCK, "client": locks.CLIENT_LOCK}


class _MovableFile(File):
    # A storage that is a folder on the same disk renames it instead of copying.
    def temporary_file_path(self) -> str:
        return str(self.name)


@contextmanager
def hold_folder(kind: str) -> Iterator[Path]:
    """Yield an empty folder in which files of a kind (dumps, mirror, client) are made, by one host at a time.

    Raise ReportError if another host is making files of this kind, OSError if the disk is full.
    """
    with locks.try_hold_for_session(_LOCKS[kind]) as is_alone:
        if not is_alone:
            raise ReportError(
                f"Another process is writing files of the kind {kind}. Wait until it has finished.",
                code="busy",
            )
        _tidy(kind)
        folder = Path(settings.MEDIA_ROOT) / f".partial-{kind}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def publish(kind: str, version: str, folder: Path) -> Publication:
    """Store the files of a sealed folder and list them in the database; do not store a version twice."""
    if not default_storage.exists(f"{kind}/{version}/{seal.SUMS}"):
        for path in sorted(folder.iterdir(), key=lambda path: path.name == seal.SUMS):
            with path.open("rb") as content:
                default_storage.save(f"{kind}/{version}/{path.name}", _MovableFile(content, str(path)))
    return _enlist(kind, version)


def remove(publications: Iterable[Publication]) -> None:
    """Remove publications and their files; running downloads are not cut off."""
    for row in publications:
        row.delete()
        _delete_files(row.path(""), [seal.SUMS, *row.files])


def newest(kind: str) -> Publication | None:
    """Return the newest publication of a kind; one query."""
    return Publication.objects.filter(kind=kind).first()


def read_file(path: str) -> bytes:
    """Return the content of a file of the storage."""
    with default_storage.open(path) as file:
        return bytes(file.read())


def _tidy(kind: str) -> None:
    listed = set(Publication.objects.filter(kind=kind).values_list("version", flat=True))
    for version in set(_list_names(kind)[0]) - listed:
        if default_storage.exists(f"{kind}/{version}/{seal.SUMS}"):
            _enlist(kind, version)
        else:
            folder = f"{kind}/{version}/"
            _delete_files(folder, _list_names(folder)[1])


def _list_names(folder: str) -> tuple[list[str], list[str]]:
    """Return the names of folders and files in a folder of the storage, even if the folder is missing."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return [], []
    return folders, files


def _delete_files(folder: str, names: Iterable[str]) -> None:
    for name in names:
        default_storage.delete(f"{folder}{name}")
    default_storage.delete(folder.rstrip("/"))


def _enlist(kind: str, version: str) -> Publication:
    row = Publication(kind=kind, version=version)
    sums = read_file(row.path(seal.SUMS))
    checksums = seal.parse_sums(sums.decode()) | {seal.SUMS: hashlib.sha256(sums).hexdigest()}
    present = set(_list_names(row.path(""))[1])
    values = {
        "made_at": _parse_version(version),
        "files": {
            name: {"size_bytes": default_storage.size(row.path(name)), "sha256": checksums.get(name, "")}
            for name in sorted(present & {*checksums, seal.SIGNATURE})
        },
        "package": msgspec.json.decode(read_file(row.path(description.NAME)))
        if description.NAME in present
        else {},
        "public_key": str(parse_key(read_file(row.path(seal.KEY)).decode())) if seal.KEY in present else "",
    }
    return Publication.objects.update_or_create(kind=kind, version=version, defaults=values)[0]


def _parse_version(version: str) -> datetime:
    # A version of the client is no time: the time of its publication decides which is the newest.
    try:
        return datetime.strptime(version, VERSION).replace(tzinfo=UTC)
    except ValueError:
        return timezone.now()
