"""The worked examples of CONTRIBUTING.md do what they promise: each is followed on a copy of the core."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT

TEXT = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
_EDIT = re.compile(r"^In `([^`]+)`, (below|above) `([^`\n]+)`:\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NEW = re.compile(r"^New file `([^`]+)`:\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with the core alone, in which every example was followed."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(PROJECT / "submissions" / "domain", folder / "submissions" / "domain")
    (folder / "submissions" / "__init__.py").touch()
    for path, content in _NEW.findall(TEXT):
        assert not (folder / path).exists(), f"{path} is not new"
        (folder / path).write_text(content, encoding="utf-8")
    for path, where, anchor, block in _EDIT.findall(TEXT):
        insert(folder / path, block, anchor=anchor, below=where == "below")
    return folder


def insert(path: Path, block: str, *, anchor: str, below: bool) -> None:
    """Puts a block beside the one line that begins with the anchor."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (at,) = [number for number, line in enumerate(lines) if line.strip().startswith(anchor)]
    lines.insert(at + below, block)
    path.write_text("".join(lines), encoding="utf-8")


def printed(copy: Path, program: str) -> list[str]:
    """What a program prints that imports the changed core and nothing of this checkout."""
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, cwd=copy, capture_output=True, text=True
    )
    assert not done.returncode, done.stderr
    return done.stdout.splitlines()


def test_every_example_is_followed() -> None:
    assert len(_NEW.findall(TEXT)) + len(_EDIT.findall(TEXT)) == TEXT.count("\n```\n") == 8


def test_a_new_tool_is_read(copy: Path) -> None:
    program = """
from submissions.domain.intake.compose import compose
from submissions.domain.intake.paste import read
report = compose(read("sdspeed write: 21.4 MB/s in blocks of 4 MiB"))
(measurement,) = report["measurements"]
print(report["run"]["tool"], report["run"]["target"], measurement["values"], measurement["unit"])
"""
    assert printed(copy, program) == ["sdspeed file [21.4] MB/s"]


def test_a_new_maker_is_found(copy: Path) -> None:
    program = """
from submissions.domain.identity.makers import find_maker
maker = find_maker("SD", 0x77, 0x4142)
print(maker.manufacturer, maker.brands, maker.confidence)
"""
    assert printed(copy, program) == ["Example Flash ('Example',) low"]


def test_a_new_metric_and_a_new_figure_are_measured(copy: Path) -> None:
    program = """
from submissions.domain import report
from submissions.domain.measuring.normalize import normalize
pattern = '"direction": "read", "order": "random", "block_size_bytes": 16384, "queue_depth": 1, "io": "direct"'
rows = [("iops", "1/s", 900), ("latency_p90", "ms", 2)]
measurements = ", ".join(
    f'{{"workload": "stream", "metric": "{metric}", "unit": "{unit}", "values": [{value}],'
    f' "parameters": {{{pattern}}}}}'
    for metric, unit, value in rows
)
head = '"format": "flashdb-report", "format_version": 1, "client": {"name": "x"}, "card": {}'
body = f'{{{head}, "run": {{"suite": "x", "tool": "x"}}, "measurements": [{measurements}]}}'
measured, missed = normalize(report.parse(body.encode()), bus="SD")
print([(row.metric, row.value, row.figure) for row in measured], missed)
"""
    assert printed(copy, program) == ["[('iops', 900.0, 'rand_read_16k'), ('latency_p90', 2000000.0, '')] ()"]


def test_a_new_board_is_listed_with_its_slot(copy: Path) -> None:
    program = """
from submissions.domain.ranking import boards
board = boards.all_boards()["example-board-2"]
print(board.title, board.interface.name)
"""
    assert printed(copy, program) == ["Example Board 2 sdr104"]


def test_every_path_exists() -> None:
    examples = {path for path, _ in _NEW.findall(TEXT)}
    paths = {
        path for path in re.findall(r"`([\w./-]+/[\w./-]*)`", TEXT) if not path.startswith((".venv", "/"))
    }
    paths |= set(re.findall(r"tests/[\w/]+\.py", TEXT))
    assert [path for path in sorted(paths - examples) if not (PROJECT / path).exists()] == []


def test_every_make_target_exists() -> None:
    for target in set(re.findall(r"(?:^ {4}|`)make ([a-z-]+)", TEXT, re.MULTILINE)):
        subprocess.run(["make", "--dry-run", target], cwd=PROJECT, check=True, capture_output=True)
