"""README.md in the folder of tests lists every helper module at its root."""

import re
from pathlib import Path

TESTS = Path(__file__).parent
TEXT = (TESTS / "README.md").read_text(encoding="utf-8")


def test_every_helper_is_listed_once() -> None:
    modules = (path.name for path in TESTS.glob("*.py"))
    helpers = sorted(name for name in modules if not name.startswith(("test_", "__")))
    assert sorted(re.findall(r"^- `(\w+\.py)`: \S", TEXT, re.MULTILINE)) == helpers


def test_the_list_fits_on_a_page() -> None:
    assert TEXT.count("\n") <= 60
