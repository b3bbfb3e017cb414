"""Every question of the table in client/README.md is answered by its command, on a loop device, and reaches a page."""

import json
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

from submissions.writing import ingest
from tests.client.conftest import CLIENT, MIB

pytestmark = pytest.mark.django_db
SIZE = 96 * MIB
TABLE = (
    (CLIENT / "README.md").read_text().partition("## From a question to a command\n")[2].partition("\n## ")[0]
)
ROWS = re.findall(r"^\| ([^|`]+) \| `([^`]+)` \| ([^|]+) \|$", TABLE, re.MULTILINE)


@pytest.fixture
def loop() -> Iterator[str]:
    """A loop device that stands for mmcblk0."""
    if not shutil.which("losetup") or not Path("/dev/shm").is_dir():
        pytest.skip("no losetup, or no memory to keep the image in")
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as image:
        image.truncate(SIZE)
        words = ["losetup", "--find", "--show", image.name]
        attached = subprocess.run(words, capture_output=True, text=True, check=False)
        if attached.returncode:
            pytest.skip(f"no loop device here: {attached.stderr.strip()}")
        yield attached.stdout.strip()
        subprocess.run(["losetup", "--detach", attached.stdout.strip()], check=True)


@pytest.fixture
def card(loop, tmp_path) -> Iterator[Path]:
    """The same, as a mounted card."""
    place = tmp_path / "card"
    place.mkdir()
    for words in (["mkfs.ext4", "-q", loop], ["mount", loop, place]):
        if not shutil.which(words[0]) or subprocess.run(words, check=False, capture_output=True).returncode:
            pytest.skip(f"{words[0]} does not work here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_there_are_rows() -> None:
    assert len(ROWS) >= 12


@pytest.mark.parametrize(("question", "command", "title"), ROWS, ids=[row[1] for row in ROWS])
def test_it_reaches_a_page(cardbench, request, tmp_path, question, command, title):
    words = shlex.split(command)[1:]
    if "/media/card" in words:
        place = request.getfixturevalue("card")
        words = [str(place) if word == "/media/card" else word for word in words]
    else:
        loop = request.getfixturevalue("loop")
        words = [loop if word == "mmcblk0" else word for word in words]
    if "--destructive" in words or words[0] == "compare-filesystems":
        words += ["--even-if-fixed", "--yes", "--confirm-size", str(SIZE)]
    answer = cardbench(*words, "-o", tmp_path / "r.json")
    assert answer.returncode == 0, answer.stderr
    pages = [_page(path) for path in sorted(tmp_path.glob("r*.json"))]
    assert pages
    assert all(title.strip() in page for page in pages), question


_REACHED = {("processed", ""), ("held", "mostly_impossible")}


def _page(path: Path) -> str:
    """The page of the submission's run."""
    document = json.loads(path.read_text())
    document["card"]["label"] = {"brand": "Kingston"}
    receipt = ingest.receive(json.dumps(document).encode(), channel="api", submitter="anybody")
    ingest.process(receipt.submission.pk)
    receipt.submission.refresh_from_db()
    # A loop device in memory may be faster than any card can be, which is held back with the reason, and shown.
    assert (receipt.submission.state, receipt.submission.reason_code) in _REACHED
    assert not receipt.submission.not_understood
    card = receipt.submission.run.card
    pages = (card.get_absolute_url(), receipt.submission.run.get_absolute_url())
    return "".join(Client().get(page).content.decode() for page in pages)
