"""Every question in the table of client/README.md is answered by its command, on a loop device, and shown on a page."""

import json
import re
import shlex
import shutil
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from submissions.models import Submission
from submissions.writing import ingest
from tests import corpus
from tests.client.conftest import CLIENT, LOOP_BYTES

pytestmark = pytest.mark.django_db(transaction=True)
TABLE = (
    (CLIENT / "README.md").read_text().partition("## From a question to a command\n")[2].partition("\n## ")[0]
)
ROWS = re.findall(r"^\| (\d+) \| [^|]+ \| `([^`]+)` \| ([^|]+) \| `([^`]+)` \|$", TABLE, re.MULTILINE)
COMMANDS = [(command, [*rows]) for command, rows in groupby(sorted(ROWS, key=itemgetter(1)), itemgetter(1))]
# The files that commands of the table name.
FILES = {
    "report.json": CLIENT.parent / "tests" / "client" / "golden" / "demo-seed-1.json",
    "drivespeed.txt": corpus.LOGS / "drivespeed" / "001-longbottom-extreme-fat-rpi.txt",
}
DD = (
    "$ dd if=/dev/zero of=/dev/mmcblk0 bs=1M count=100 oflag=direct\n100+0 records in\n100+0 records out\n"
    "104857600 bytes (105 MB, 100 MiB) copied, 5.24288 s, 20.0 MB/s\n"
)
# A loop device in memory may be faster than any card can be, which is held back with the reason, and shown.
REACHED = {("processed", ""), ("held", "mostly_impossible"), ("received", "")}


def test_there_is_a_row_for_each_question() -> None:
    assert [int(number) for number, *_ in ROWS] == list(range(1, 27))


@pytest.mark.parametrize(("command", "rows"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_it_reaches_a_page(
    cardbench: Any, request: Any, tmp_path: Path, command: str, rows: list[tuple[str, ...]]
) -> None:
    words = [_prepare_word(word, request, tmp_path) for word in shlex.split(command)[1:]]
    if words[0] in ("run", "compare-filesystems"):
        words += ["-o", str(tmp_path / "r.json")]
    if "--destructive" in words or words[0] == "compare-filesystems":
        words += ["--even-if-fixed", "--yes", "--confirm-size", str(LOOP_BYTES)]
    answer = cardbench(*words)
    assert answer.returncode == 0, answer.stderr
    outcomes = [_read_pages(name) for name in _send_reports(tmp_path, words)]
    for number, _, title, field in rows:
        assert any(title.strip() in page for page, _ in outcomes), number
        assert any(_find_field(run, field) for _, run in outcomes), number


def _prepare_word(word: str, request: Any, tmp_path: Path) -> str:
    if word == "mmcblk0":
        request.getfixturevalue("mkfs_ext4")
        return str(request.getfixturevalue("loop"))
    if word == "/media/card":
        return str(request.getfixturevalue("card"))
    if word == "https://…":
        return str(request.getfixturevalue("live_server").url)
    if word == "dd.txt":
        (tmp_path / word).write_text(DD)
    if word in FILES:
        shutil.copy(FILES[word], tmp_path / word)
    return str(tmp_path / word) if (tmp_path / word).exists() else word


def _send_reports(tmp_path: Path, words: list[str]) -> list[str]:
    if words[0] == "submit":
        sent = Submission.objects.get()
        ingest.process(sent.pk)
        return [sent.public_id]
    paths = sorted(path for path in tmp_path.glob("*r*.json") if "receipt" not in path.name)
    assert paths
    return [_file(path) for path in paths]


def _file(path: Path) -> str:
    document = json.loads(path.read_text())
    document["card"] |= {"label": {"brand": "Kingston"}, "specimen": "one"}
    receipt = ingest.receive(json.dumps(document).encode(), channel="api", submitter="anybody")
    ingest.process(receipt.submission.pk)
    receipt.submission.refresh_from_db()
    assert (receipt.submission.state, receipt.submission.reason_code) in REACHED
    assert not receipt.submission.not_understood
    return str(receipt.submission.public_id)


def _read_pages(name: str) -> tuple[str, dict[str, Any]]:
    run = Submission.objects.get(public_id=name).run
    model = run.card.variant.card_model
    addresses = (run.get_absolute_url(), run.card.get_absolute_url(), model.get_absolute_url())
    pages = "".join(Client().get(address).content.decode() for address in addresses)
    return pages, Client().get(f"/api/v1/runs/{name}/").json()


def _find_field(run: dict[str, Any], field: str) -> Any:
    # "host", "circumstances.before", or workload and metric.
    if " " in field:
        workload, metric = field.split()
        return [
            row
            for row in run["measurements"]
            if (row["workload"], row["metric"]) == (workload, metric) and row["repeats"]
        ]
    value: Any = run
    for name in field.split("."):
        value = value.get(name)
    return value
