"""Data dumps are signed and chained: any changed byte is found, and its file is named."""

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.wish import Wish
from submissions.dumps import seal, shelf, store
from submissions.dumps.minisign import SecretKey, WrongSignature, parse_key, verify
from submissions.models import Performance, Publication
from tests.api.test_lists import card
from tests.dumped import add_dump

pytestmark = pytest.mark.django_db(transaction=True)
SECRET = "of tests alone: 1c04be77f2a96d35"
KEY = SecretKey(SECRET).public


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT, settings.DUMP_KEY = str(tmp_path), SECRET
    return tmp_path


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that keeps the first data dump of this module for all tests."""
    return tmp_path_factory.mktemp("first")


@pytest.fixture
def dump(home: Path, first: Path) -> Path:
    """Return the folder of a data dump of two cards that are no longer in the database."""
    if not list(first.iterdir()):
        made = write_dump()
        shutil.copytree(made, first / made.name)
    shutil.copytree(first, home / "dumps", dirs_exist_ok=True)
    return home / "dumps" / next(first.iterdir()).name


def write_dump() -> Path:
    card(1, "Kingston")
    card(2, "Transcend")
    return add_dump()


def copy_dump(dump: Path, name: str) -> Path:
    return shutil.copytree(dump, dump.parents[1] / name)


def test_it_works(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("verify_dump", str(dump), key=str(KEY))
    assert (
        capsys.readouterr().out == f"{len(list(dump.iterdir()))} files are unchanged since they were signed\n"
    )
    assert {"CITATION.cff", "README.md", "datapackage.json", "ranking.py", "minisign.pub"} < seal.list_names(
        dump
    )


@pytest.mark.skipif(shutil.which("minisign") is None, reason="no minisign on this machine")
def test_minisign_itself_verifies_it(dump: Path) -> None:
    for how in (["-P", str(KEY)], ["-p", seal.KEY]):
        command = ["minisign", "-V", "-m", seal.SUMS, *how]
        done = subprocess.run(command, cwd=dump, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert f"Trusted comment: {dump.name}" in done.stdout


def test_a_changed_byte_anywhere_is_found_and_named(dump: Path) -> None:
    lots = Random(1)
    for name in sorted(seal.list_names(dump)):
        content = (dump / name).read_bytes()
        for at in {0, len(content) - 1, *lots.sample(range(len(content)), 12)}:
            changed = bytearray(content)
            changed[at] ^= lots.choice((1, 2, 4, 32, 128))
            (dump / name).write_bytes(changed)
            said = "\n".join(seal.find_faults(dump, KEY))
            assert name in said, (name, at, said)
        (dump / name).write_bytes(content)
    assert not list(seal.find_faults(dump, KEY))


@pytest.mark.parametrize(("end", "said"), [(b"\r\n", "other bytes of the"), (b"\n\n", "not a minisign")])
def test_a_signature_has_one_spelling(dump: Path, end: bytes, said: str) -> None:
    path = dump / seal.SIGNATURE
    path.write_bytes(path.read_bytes().replace(b"\n", end))
    assert said in "".join(seal.find_faults(dump, KEY))


def test_what_is_missing_added_or_another_ones_is_said(dump: Path) -> None:
    (dump / "performances.parquet").unlink()
    (dump / "more.csv").write_text("x")
    assert [*seal.find_faults(dump, SecretKey("another").public)] == [
        "SHA256SUMS.minisig does not fit SHA256SUMS: it was signed with a different key",
        "performances.parquet is missing",
        "more.csv does not belong to the dump",
    ]


def test_who_forges_checksums_cannot_sign_them(dump: Path) -> None:
    (dump / "performances.parquet").write_bytes(b"forged")
    sums = dump / seal.SUMS
    lines = [line for line in sums.read_text().splitlines() if "performances.parquet" not in line]
    sums.write_text(
        "\n".join([*lines, f"{seal.sha256(dump / 'performances.parquet')}  performances.parquet"]) + "\n"
    )
    (fault,) = seal.find_faults(dump, None)
    assert "the signed file or the signature was changed" in fault
    (dump / seal.SIGNATURE).unlink()
    assert "it is missing" in "".join(seal.find_faults(dump, KEY))


def test_a_trusted_comment_is_signed_too() -> None:
    signed = SecretKey(SECRET).sign(b"text", comment="made in May")
    assert verify(b"text", signed, KEY) == "made in May"
    with pytest.raises(WrongSignature, match="was changed"):
        verify(b"text", signed.replace("May", "June"), KEY)


@pytest.mark.parametrize("text", ["", "no key", "RWQ=", str(KEY)[:-4] + "****"])
def test_a_wrong_key_is_refused(dump: Path, text: str) -> None:
    with pytest.raises(WrongSignature):
        parse_key(text)
    if text:
        with pytest.raises(CommandError, match="--key: this is not a minisign public key"):
            call_command("verify_dump", str(dump), key=text)


def test_no_dump_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="contains no complete dump"):
        call_command("verify_dump", str(tmp_path))


def test_each_names_the_one_before(dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = dump.rename(dump.with_name("2026-11-01T000000Z"))
    Publication.objects.all().delete()
    second = add_dump()
    package = json.loads((second / "datapackage.json").read_text())
    assert package["previous"] == {"version": first.name, "sha256": seal.sha256(first / seal.SUMS)}
    assert not list(seal.find_broken_links(second))
    (first / seal.SUMS).write_text("")
    assert list(seal.find_broken_links(second)) == [
        f"{first.name} is not the dump that {second.name} names as the one before it"
    ]
    with pytest.raises(CommandError, match="has changed since it was signed"):
        call_command("verify_dump", str(second))
    shutil.rmtree(first)
    call_command("verify_dump", str(second))


def test_the_first_of_each_quarter_stays(dump: Path, settings: Any, client: Client) -> None:
    settings.DUMPS_KEPT = 1
    for name in ("2026-03-31T230000Z", "2026-04-01T000000Z", "2026-05-01T000000Z"):
        copy_dump(dump, name).rename(dump.with_name(name))
    shutil.rmtree(dump)
    Publication.objects.all().delete()
    newest = add_dump()
    today = datetime.now(UTC)
    assert [(made.row.version, made.quarter) for made in shelf.dumps()] == [
        (newest.name, f"{today.year}-Q{(today.month + 2) // 3}"),
        ("2026-04-01T000000Z", "2026-Q2"),
        ("2026-03-31T230000Z", "2026-Q1"),
    ]
    for version in ("2026-Q2", "2026-04-01T000000Z"):
        assert client.get(f"/api/v1/dumps/{version}/SHA256SUMS", follow=True).status_code == 200
    assert client.get("/api/v1/dumps/2026-Q3/SHA256SUMS").status_code == 404
    assert client.get("/api/v1/dumps//SHA256SUMS").status_code == 404


def test_the_list_names_key_and_signature(dump: Path, client: Client) -> None:
    store._enlist("dumps", dump.name)
    (row,) = client.get("/api/v1/dumps/").json()["results"]
    assert row["public_key"] == str(KEY)
    address = row["signature"].removeprefix("http://testserver")
    assert b"".join(client.get(address)).decode() == (dump / seal.SIGNATURE).read_text()
    assert client.get(f"{address}x").status_code == 404


def test_everything_that_the_checksums_name_is_listed(dump: Path, client: Client, tmp_path: Path) -> None:
    """As a stranger does it: download all files of the list, then `sha256sum --check`."""
    store._enlist("dumps", dump.name)
    (row,) = client.get("/api/v1/dumps/").json()["results"]
    listed = {file["name"]: file for file in (*row["files"], *row["documents"])}
    fetched = tmp_path / "fetched"
    fetched.mkdir()
    for name, address in {
        seal.SUMS: row["checksums"],
        **{name: file["url"] for name, file in listed.items()},
    }.items():
        (fetched / name).write_bytes(b"".join(client.get(address.removeprefix("http://testserver"))))
    checked = subprocess.run(["sha256sum", "--check", "--quiet", seal.SUMS], cwd=fetched, check=False)
    assert checked.returncode == 0
    assert {"README.md", "minisign.pub", "ranking.py", "CITATION.cff", "datapackage.json"} <= {*listed}
    assert all(listed[name]["sha256"] == seal.sha256(fetched / name) for name in listed)


def test_without_a_secret_nothing_is_signed(settings: Any, client: Client) -> None:
    settings.DUMP_KEY = ""
    made = add_dump()
    assert not (made / seal.SIGNATURE).exists() and not (made / seal.KEY).exists()
    (row,) = client.get("/api/v1/dumps/").json()["results"]
    assert (row["public_key"], row["signature"]) == (None, None)
    with pytest.raises(CommandError):
        call_command("verify_dump", str(made))


def test_its_script_repeats_every_ranking() -> None:
    dump = write_dump()
    """From the dump alone, in a folder of its own, without the site."""
    alone = copy_dump(dump, "elsewhere")
    nothing = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    places = 0
    for board in boards.all_boards().values():
        for use in uses.uses_in(board.interface).values():
            command = [sys.executable, str(alone / "ranking.py"), board.slug, use.name]
            if board.slug not in ("raspberry-pi-5", "dashcam", "nintendo-switch"):
                continue
            printed = subprocess.run(command, env=nothing, capture_output=True, text=True, check=True).stdout
            listed = [line.split("\t")[1] for line in printed.splitlines()[1:]]
            wanted = Performance.objects.wanted(Wish(board, use))
            assert listed == list(wanted.values_list("card_model__slug", flat=True))
            places += len(listed)
    assert places
