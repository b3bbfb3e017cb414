"""Published files are made by one host, listed in the database, kept in any Django storage, and sent by any host."""

import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test import Client

from submissions.dumps import seal, shelf, store
from submissions.models import Publication
from submissions.sql import locks
from tests.dumped import add_dump

pytestmark = pytest.mark.django_db(transaction=True)
IN_MEMORY = {"default": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = str(tmp_path)
    return tmp_path


def publish(kind: str, version: str) -> Publication:
    with store.hold_folder(kind) as folder:
        (folder / "file").write_text(f"of {version}")
        seal.seal_folder(folder, {}, secret="", comment="")
        return store.publish(kind, version, folder)


def test_it_works(client: Client, home: Path) -> None:
    made = publish("client", "abc")
    assert {name: row["size_bytes"] for name, row in made.files.items()} == {"SHA256SUMS": 71, "file": 6}
    answer: Any = client.get(made.url("file"))
    assert (b"".join(answer.streaming_content), answer["Cache-Control"]) == (
        b"of abc",
        "public, max-age=604800, immutable",
    )
    assert {path.name for path in home.iterdir()} == {"client"}, "what it was made in is gone"


def test_every_host_answers_the_same_list(client: Client, settings: Any, tmp_path: Path) -> None:
    """Each host reads the list of dumps in the database, not the files on its own disk."""
    dump = add_dump()
    settings.MEDIA_ROOT = str(tmp_path / "another host")
    (listed,) = client.get("/api/v1/dumps/").json()["results"]
    assert listed["version"] == dump.name


def test_a_bucket_is_enough(settings: Any, client: Client, home: Path) -> None:
    """Any Django storage can keep the published files, here a dictionary in memory."""
    settings.STORAGES = settings.STORAGES | IN_MEMORY
    dump = shelf.add_dump()
    assert not list(home.rglob("*.parquet"))
    (listed,) = client.get("/api/v1/dumps/").json()["results"]
    answer: Any = client.get(listed["checksums"])
    assert b"models.parquet" in b"".join(answer.streaming_content)
    call_command("write_site", str(home / "mirror"))
    assert (home / "mirror/dump/datapackage.json").is_file()
    store.remove([dump])
    assert default_storage.listdir("dumps") == ([], [])


@pytest.mark.parametrize(
    "path",
    [
        *(".partial-dumps/x/y", "client/abc/other", "client/../file", "dumps/abc/file"),
        *("%00/abc/other", "client/%00/other", "client/abc/%00"),
    ],
)
def test_only_what_is_listed_is_sent(client: Client, home: Path, path: str) -> None:
    publish("client", "abc")
    (home / "client/abc/other").write_text("not listed")
    assert client.get(f"/files/{path}").status_code == 404


def test_what_was_stored_is_listed_again(home: Path) -> None:
    """After an older backup of the database was restored, the stored files are listed again."""
    made = publish("mirror", "2026-11-28T000000Z")
    Publication.objects.all().delete()
    with store.hold_folder("mirror"):
        again = Publication.objects.get()
    assert (again.files, again.made_at) == (made.files, made.made_at)


def test_what_a_killed_host_left_is_removed(home: Path) -> None:
    """The checksums are stored last and removed first, so files without checksums are incomplete."""
    publish("mirror", "2026-11-28T000000Z")
    (home / "mirror/2026-11-28T000000Z/SHA256SUMS").unlink()
    Publication.objects.all().delete()
    with store.hold_folder("mirror") as folder:
        assert list(folder.iterdir()) == []
    assert not list((home / "mirror").iterdir())


def test_the_checksums_are_stored_last(monkeypatch: pytest.MonkeyPatch) -> None:
    stored, save = list[str](), default_storage.save

    def save_and_tell(name: str, content: Any) -> str:
        stored.append(Path(name).name)
        return save(name, content)

    monkeypatch.setattr(default_storage, "save", save_and_tell)
    publish("client", "abc")
    assert stored == ["file", "SHA256SUMS"]


def test_hosts_wait_for_those_who_make_the_same_kind_only() -> None:
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [locks.CLIENT_LOCK])
            with pytest.raises(CommandError, match="Another process is writing files of the kind client"):
                call_command("publish_client")
            publish("mirror", "2026-11-28T000000Z")
    finally:
        other.close()


def test_the_mirror_is_one_archive_and_replaces_the_last(client: Client, home: Path, settings: Any) -> None:
    settings.DUMP_KEY = "of tests alone: 1c04be77f2a96d35"
    publish("mirror", "2026-11-28T000000Z")
    call_command("write_site")
    row = Publication.objects.get()
    assert client.get("/mirror.zip")["Location"] == row.url("mirror.zip")
    names = zipfile.ZipFile(home / row.path("mirror.zip")).namelist()
    assert {"index.html", "boards.html"} <= set(names)
    assert not list(seal.find_faults(home / row.path(""), None))
