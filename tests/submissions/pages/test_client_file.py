"""The client is downloaded from the site as one file, and runs with only Python and a compiler."""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from submissions.management.commands import publish_client
from submissions.models import Publication, Submission

pytestmark = pytest.mark.django_db(transaction=True)
CLIENT = publish_client.CLIENT
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def release(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of the folder for a release, which does not exist yet."""
    settings.MEDIA_ROOT = str(tmp_path / "files")
    monkeypatch.setattr(publish_client, "RELEASE", tmp_path / "release")
    return tmp_path / "release"


@pytest.fixture(scope="session")
def client_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pack the sources of the client into one file, and return its path."""
    file = tmp_path_factory.mktemp("packed") / "cardbench.pyz"
    subprocess.run([sys.executable, CLIENT / "pack.py", file], check=True)
    return file


@pytest.fixture
def place(tmp_path: Path, client_file: Path) -> Path:
    """Return a directory that contains only the file from the site."""
    (tmp_path / "here").mkdir()
    shutil.copy(client_file, tmp_path / "here")
    return tmp_path / "here"


def fetch(client: Client, name: str) -> bytes:
    answer: Any = client.get(f"/{name}", follow=True)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


@pytest.fixture
def run(place: Path) -> Run:
    def cardbench(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "cardbench.pyz", *map(str, words)]
        usual = {"PATH": os.defpath, "HOME": str(place)}
        return subprocess.run(
            command, cwd=place, env=usual | environment, capture_output=True, text=True, check=False
        )

    return cardbench


@pytest.fixture
def card() -> Iterator[Path]:
    """Yield a directory on a disk, because /tmp is in memory on many machines, which is faster than any card."""
    directory = CLIENT.parent / f".card-{os.getpid()}"
    directory.mkdir()
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def remove_engine(place: Path) -> None:
    """Replace the client's file by one without any compiled engine."""
    whole = zipfile.ZipFile(place / "cardbench.pyz")
    bare = place / "bare.zip"
    with zipfile.ZipFile(bare, "w") as archive:
        for name in whole.namelist():
            if not name.startswith("engine/build/"):
                archive.writestr(name, whole.read(name))
    bare.replace(place / "cardbench.pyz")


def test_it_works(run: Run, place: Path, card: Path, client: Client, live_server: Any) -> None:
    call_command("publish_client")
    (place / "cardbench.pyz").write_bytes(fetch(client, "cardbench.pyz"))
    words = ("run", card, "--workload", "align", "--brand", "Kingston", "--even-if-no-card")
    done = run(*words, "--submit", "--server", live_server.url)
    assert done.returncode == 0, done.stderr
    submission = Submission.objects.get()
    assert f"{live_server.url}/submissions/{submission.public_id}/" in done.stdout
    assert "delete key" in done.stdout
    assert {path.suffix for path in place.iterdir()} == {".pyz", ".json"}, "report, receipt, and nothing else"
    assert not list(card.iterdir())


def test_what_nobody_could_name_is_not_measured_to_be_sent(run: Run, place: Path, card: Path) -> None:
    done = run("run", card, "--submit")
    assert (done.returncode, "--brand" in done.stderr) == (2, True)
    assert not list(card.iterdir())
    assert [path.name for path in place.iterdir()] == ["cardbench.pyz"]


def test_a_server_that_is_not_there_costs_no_result(run: Run, place: Path, card: Path) -> None:
    words = [
        "run",
        card,
        "--workload",
        "align",
        "--brand",
        "Kingston",
        "--even-if-no-card",
        "-o",
        "kept.json",
    ]
    done = run(*words, "--submit", "--server", "http://127.0.0.1:1", "--attempts", "1")
    assert (done.returncode, (place / "kept.json").is_file()) == (6, True)
    assert "send the report again later" in done.stdout


def test_a_wrong_address_is_said_before_measuring(run: Run, place: Path, card: Path) -> None:
    done = run("run", card, "--brand", "Kingston", "--submit", "--server", "flashdb.example")
    assert (done.returncode, "https://" in done.stderr) == (2, True)
    assert [path.name for path in place.iterdir()] == ["cardbench.pyz"]


def test_a_card_can_be_tried_out_without_a_compiler(run: Run) -> None:
    assert "Simulated" in run("demo", PATH="").stdout


@pytest.mark.skipif(
    not list((CLIENT / "engine/build").rglob("cardbench-engine")), reason="no engine was built"
)
def test_a_machine_like_the_site_needs_no_compiler(run: Run, card: Path) -> None:
    assert run("run", card, "--workload", "align", PATH="/nowhere").returncode == 0


@pytest.mark.usefixtures("remove_engine")
def test_it_is_compiled_where_no_engine_fits(run: Run, card: Path) -> None:
    assert run("run", card, "--workload", "align").returncode == 0


def test_an_engine_that_does_not_start_here_is_compiled(run: Run, place: Path, card: Path) -> None:
    name = f"engine/build/{platform.machine()}/cardbench-engine"
    with (
        zipfile.ZipFile(place / "cardbench.pyz", "a") as archive,
        pytest.warns(UserWarning, match="Duplicate"),
    ):
        archive.writestr(name, "#!/nowhere\n")
    assert run("run", card, "--workload", "align").returncode == 0


@pytest.mark.usefixtures("remove_engine")
def test_without_a_compiler_it_says_what_to_do(run: Run, place: Path) -> None:
    done = run("run", place, PATH="/nowhere")
    assert done.returncode == 2
    assert "apt install gcc" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("remove_engine")
def test_a_compiler_that_fails_is_said(run: Run, place: Path) -> None:
    done = run("run", place, CC="false")
    assert (done.returncode, "apt install libc6-dev" in done.stderr) == (2, True)


def test_it_is_a_program_of_its_own(place: Path) -> None:
    (place / "cardbench.pyz").chmod(0o755)
    said = subprocess.run([place / "cardbench.pyz", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("cardbench ")


def test_nothing_else_goes_along(client_file: Path) -> None:
    names = zipfile.ZipFile(client_file).namelist()
    assert len(names) == len(set(names))
    assert {"__main__.py", "LICENSE", "cardbench/cli/main.py", "engine/main.c"} <= set(names)
    assert not [name for name in names if name.endswith((".pyc", ".json", "build/cardbench-engine"))]


def test_the_same_sources_make_the_same_file(client_file: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, CLIENT / "pack.py", tmp_path / "again.pyz"], check=True)
    assert (tmp_path / "again.pyz").read_bytes() == client_file.read_bytes()


def test_every_site_gives_out_the_same_file(client: Client, client_file: Path) -> None:
    """All sites offer the same file, so that people can compare its checksum."""
    call_command("publish_client")
    for host in ("localhost", "127.0.0.1"):
        answer = client.get("/cardbench.pyz", headers={"host": host})
        assert (answer.status_code, answer["Location"]) == (
            302,
            Publication.objects.get().url("cardbench.pyz"),
        )
    assert fetch(client, "cardbench.pyz") == client_file.read_bytes()
    assert client.get("/cardbench.pyz.sig").status_code == 404


def test_the_page_says_the_command_and_the_checksum(client: Client) -> None:
    assert "SHA-256" not in client.get("/submit/").content.decode()
    call_command("publish_client")
    page = client.get("/submit/").content.decode()
    assert "curl -fsSLO http://testserver/cardbench.pyz" in page
    assert "cardbench.pyz run ~ --submit --server http://testserver<" in page
    assert f"SHA-256 {hashlib.sha256(fetch(client, 'cardbench.pyz')).hexdigest()}<" in page
    assert "cardbench.pyz.sig" not in page


def test_a_release_is_given_out_as_it_was_signed(client: Client, release: Path, client_file: Path) -> None:
    release.mkdir()
    shutil.copy(client_file, release)
    call_command("publish_client")
    (release / "cardbench.pyz.sig").write_text("a signature")
    call_command("publish_client")
    assert fetch(client, "cardbench.pyz.sig") == b"a signature"
    assert "http://testserver/cardbench.pyz.sig" in client.get("/submit/").content.decode()


def test_the_newest_is_what_was_published_last(client: Client, release: Path) -> None:
    """This also holds if an older version comes back.

    Two are kept, because a visitor may be downloading the previous one.
    """
    release.mkdir()
    for version in (b"1", b"2", b"3", b"2"):
        for name in publish_client.NAMES:
            (release / name).write_bytes(version)
        call_command("publish_client")
        assert fetch(client, "cardbench.pyz") == version
    assert Publication.objects.count() == 2
