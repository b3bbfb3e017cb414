"""The client as one file: taken from the site, and run as somebody who has nothing but Python and a compiler would."""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from submissions.models import Submission
from submissions.pages.views import client as client_file

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def place(tmp_path: Path, client: Client) -> Path:
    """A directory with nothing in it but what the site gave."""
    (tmp_path / "cardbench.pyz").write_bytes(client.get("/cardbench.pyz").content)
    return tmp_path


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
    """A directory on a disk: /tmp is memory on many machines, and no card is as fast as that."""
    directory = client_file.CLIENT.parent / f".card-{os.getpid()}"
    directory.mkdir()
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def without_engine(place: Path) -> None:
    """The file as a site without any compiled engine gives it."""
    whole = zipfile.ZipFile(place / "cardbench.pyz")
    bare = place / "bare.zip"
    with zipfile.ZipFile(bare, "w") as archive:
        for name in whole.namelist():
            if not name.startswith("engine/build/"):
                archive.writestr(name, whole.read(name))
    bare.replace(place / "cardbench.pyz")


@pytest.mark.django_db(transaction=True)
def test_it_works(run: Run, place: Path, card: Path, client: Client, live_server: Any) -> None:
    given = client.get("/cardbench.pyz", headers={"host": live_server.url.removeprefix("http://")})
    (place / "cardbench.pyz").write_bytes(given.content)
    words = ("run", card, "--workload", "align", "--brand", "Kingston", "--even-if-no-card")
    done = run(*words, "--submit")
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
    assert "send it again later" in done.stdout


def test_a_wrong_address_is_said_before_measuring(run: Run, place: Path, card: Path) -> None:
    done = run("run", card, "--brand", "Kingston", "--submit", "--server", "flashdb.example")
    assert (done.returncode, "https://" in done.stderr) == (2, True)
    assert [path.name for path in place.iterdir()] == ["cardbench.pyz"]


def test_a_card_can_be_tried_out_without_a_compiler(run: Run) -> None:
    assert "Simulated" in run("demo", PATH="").stdout


@pytest.mark.skipif(
    not (client_file.CLIENT / client_file._OWN_ENGINE).is_file(), reason="no engine was built"
)
def test_a_machine_like_the_site_needs_no_compiler(run: Run, card: Path) -> None:
    assert run("run", card, "--workload", "align", PATH="/nowhere").returncode == 0


@pytest.mark.usefixtures("without_engine")
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


@pytest.mark.usefixtures("without_engine")
def test_without_a_compiler_it_says_what_to_do(run: Run, place: Path) -> None:
    done = run("run", place, PATH="/nowhere")
    assert done.returncode == 2
    assert "apt install gcc" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("without_engine")
def test_a_compiler_that_fails_is_said(run: Run, place: Path) -> None:
    done = run("run", place, CC="false")
    assert (done.returncode, "apt install libc6-dev" in done.stderr) == (2, True)


def test_it_is_a_program_of_its_own(place: Path) -> None:
    (place / "cardbench.pyz").chmod(0o755)
    said = subprocess.run([place / "cardbench.pyz", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("cardbench ")


def test_nothing_else_goes_along() -> None:
    names = zipfile.ZipFile(BytesIO(client_file.pack("http://testserver"))).namelist()
    assert len(names) == len(set(names))
    assert {"__main__.py", "LICENSE", "cardbench/cli/main.py", "engine/main.c"} <= set(names)
    assert not [name for name in names if name.endswith((".pyc", ".json", "build/cardbench-engine"))]


def test_the_same_sources_make_the_same_file() -> None:
    again = client_file.pack.__wrapped__("http://testserver")
    assert again == client_file.pack("http://testserver")


def test_who_has_it_is_not_sent_it_again(client: Client) -> None:
    first = client.get("/cardbench.pyz")
    assert first["Content-Disposition"] == 'attachment; filename="cardbench.pyz"'
    assert client.get("/cardbench.pyz", headers={"if-none-match": first["ETag"]}).status_code == 304


@pytest.mark.django_db
def test_the_page_says_the_command_with_its_own_address(client: Client) -> None:
    page = client.get("/submit/").content.decode()
    assert "curl -fsSLO http://testserver/cardbench.pyz" in page
    given = client.get("/cardbench.pyz").content
    assert f"SHA-256 {hashlib.sha256(given).hexdigest()}<" in page


def test_it_sends_to_the_site_that_gave_it(run: Run) -> None:
    assert "http://testserver" in run("submit", "--help").stdout
