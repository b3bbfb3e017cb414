"""The client contains no code that only a test or benchmark uses, because a site offers all of it as one file."""

import ast
import subprocess
import sys

import pytest
from cardbench import ftl

from tests.client.conftest import CLIENT
from tests.test_architecture import find_imports, find_modules

# The entry points: people start the program, and scripts import `cardbench.api`.
ENTRIES = ("cardbench.__main__", "cardbench.api")
SOURCES = {
    name: path.read_text(encoding="utf-8")
    for name, path in find_modules().items()
    if name.startswith("cardbench")
}


def find_reached_modules() -> set[str]:
    """Return every module that an entry point imports, directly or through other modules."""
    reached, waiting = set[str](), list(ENTRIES)
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += [name for target in find_imports(SOURCES[module]) for name in _list_loaded(target)]
    return reached


def _list_loaded(target: str) -> list[str]:
    # Python loads the packages and the module behind an imported name.
    parts = target.split(".")
    names = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
    return [name for name in names if name in SOURCES]


def test_every_module_is_reached_from_what_people_start() -> None:
    assert set(SOURCES) - find_reached_modules() == set()


def test_who_asks_no_server_does_not_wait_for_tls() -> None:
    """To import TLS takes a seventh of the start time of every command."""
    code = "import sys; from cardbench.cli import main; sys.exit('ssl' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=CLIENT, check=False).returncode == 0


def test_every_name_of_the_simulated_cards_is_used_by_the_client() -> None:
    users = "".join(source for name, source in SOURCES.items() if not name.startswith("cardbench.ftl"))
    assert [name for name in ftl.__all__ if f"ftl.{name}" not in users] == []


@pytest.mark.parametrize("name", SOURCES)
def test_python_3_9_can_read_it(name: str) -> None:
    """Raspberry Pi OS 11 has no newer Python.

    Ruff overlooks new keyword arguments, and annotations that are evaluated.
    """
    tree = ast.parse(SOURCES[name], feature_version=(3, 9))
    annotated = any(isinstance(node, (ast.FunctionDef, ast.AnnAssign)) for node in ast.walk(tree))
    assert not annotated or "from __future__ import annotations" in SOURCES[name]
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        words = {keyword.arg for keyword in call.keywords}
        assert not words & {"slots", "strict", "kw_only"}, f"line {call.lineno}"
