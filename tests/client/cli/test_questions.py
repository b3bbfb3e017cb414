"""Every question of the table in client/README.md is answered by its command, on a loop device, and reaches a page."""

import json
import re
import shlex
from pathlib import Path

import pytest
from django.test import Client

from submissions.writing import ingest
from tests.client.conftest import CLIENT, LOOP_BYTES

pytestmark = pytest.mark.django_db
TABLE = (
    (CLIENT / "README.md").read_text().partition("## From a question to a command\n")[2].partition("\n## ")[0]
)
ROWS = re.findall(r"^\| ([^|`]+) \| `([^`]+)` \| ([^|]+) \|$", TABLE, re.MULTILINE)


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
        if words[0] == "compare-filesystems":
            request.getfixturevalue("mkfs_ext4")
        words = [loop if word == "mmcblk0" else word for word in words]
    if "--destructive" in words or words[0] == "compare-filesystems":
        words += ["--even-if-fixed", "--yes", "--confirm-size", str(LOOP_BYTES)]
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
