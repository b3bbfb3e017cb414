"""The examples of CONTRIBUTING.md, followed in a copy of the project, pass the tests that they name."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import PROJECT

TEXT = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
_EDIT = re.compile(
    r"^In `([^`]+)`, (below|above) `+ ?([^\n]+?) ?`+:\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
_NEW = re.compile(r"^New file `([^`]+)`:\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


_COPIED = ("api", "submissions/domain")
_TESTS = re.findall(r"Test: `(tests/[\w/]+\.py)`", TEXT)
# To compare each figure with all others takes long, so here only the new one is compared.
_CHOICE = "not one_way_of_measuring or rand_read_16k"


def test_the_examples_pass_the_tests_that_they_name(tmp_path: Path) -> None:
    assert len(_TESTS) == TEXT.count("\n## Add a ")
    follow(tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-k", _CHOICE, *_TESTS, "tests/contributed.py"]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr


def follow(copy: Path) -> None:
    """Make every change that CONTRIBUTING.md shows in a copy of the project; all files but `_COPIED` are links."""
    for name in _COPIED:
        shutil.copytree(PROJECT / name, copy / name)
    for path in (*PROJECT.iterdir(), *(PROJECT / "submissions").iterdir()):
        link = copy / path.relative_to(PROJECT)
        if not link.exists() and not path.name.startswith("."):
            link.symlink_to(path)
    for path, content in _NEW.findall(TEXT):
        assert not (copy / path).exists(), f"{path} is not new"
        (copy / path).write_text(content, encoding="utf-8")
    for path, where, anchor, block in _EDIT.findall(TEXT):
        insert(copy / path, block, anchor=anchor, below=where == "below")


def insert(path: Path, block: str, *, anchor: str, below: bool) -> None:
    """Insert a block of text above or below the only line of a file that begins with the anchor."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (at,) = [number for number, line in enumerate(lines) if line.strip().startswith(anchor)]
    lines.insert(at + below, block)
    path.write_text("".join(lines), encoding="utf-8")


def test_every_example_is_followed() -> None:
    assert len(_NEW.findall(TEXT)) + len(_EDIT.findall(TEXT)) == TEXT.count("\n```\n") == 10


def test_every_path_exists() -> None:
    examples = {path for path, _ in _NEW.findall(TEXT)}
    paths = {
        path for path in re.findall(r"`([\w./-]+/[\w./-]*)`", TEXT) if not path.startswith((".venv", "/"))
    }
    paths |= set(re.findall(r"tests/[\w/]+\.py", TEXT))
    assert [path for path in sorted(paths - examples) if not (PROJECT / path).exists()] == []
