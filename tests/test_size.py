"""`make size` counts tokens, statements and lines of each package, and compares with another commit."""

from collections import Counter
from pathlib import Path

import pytest

from tests import size


def test_it_works() -> None:
    source = '"""Say hello."""\n\n# a comment\nif True:\n    print(\n        "hello",\n    )\n'
    assert size.measure(source) == Counter(tokens=9, statements=3, lines=7)


def test_layout_does_not_count() -> None:
    assert size.measure("a = [1, 2]\n")["tokens"] == size.measure("a = [\n    1,\n    2\n]\n")["tokens"]


def test_migrations_and_other_folders_do_not_count(tmp_path: Path) -> None:
    for name in ("submissions/card.py", "submissions/migrations/0001_first.py", "tests/test_card.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("card = 1\n")
    assert size.measure_packages(tmp_path) == {"submissions": Counter(tokens=3, statements=1, lines=1)}


def test_an_unknown_commit_is_refused() -> None:
    with pytest.raises(SystemExit, match="is no commit of this repository"):
        size.measure_commit("nonsense")


def test_a_package_that_went_counts_as_less() -> None:
    before = {"api": Counter(tokens=7), "client": Counter(tokens=5)}
    rows = size.format_table({"api": Counter(tokens=4)}, before).splitlines()
    assert [row.split()[-2:] for row in rows] == [["-3", "api"], ["-5", "client"], ["-8", "total"]]
