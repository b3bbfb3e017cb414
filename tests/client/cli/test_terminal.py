"""No text of a server or a file controls the terminal, and every command prints through one module."""

import ast
import json

import pytest
from cardbench.cli.terminal import command, plain

from tests.client.server.test_submit import GOLDEN, RECEIPT, site
from tests.client.test_modules import SOURCES

__all__ = ["site"]

CLEAR, RED_IN_ONE_BYTE, BACKWARDS = "\x1b[2J", "\x9b31m", "\u202e"
# Other modules that print: the progress bar, a question to the user, the waiting engine; and the module itself.
MAY_PRINT = {"measuring.progress", "target.safety", "target.engine", "cli.terminal"}


def test_it_works():
    assert plain("a\tb\nc é 卡") == "a\tb\nc é 卡"
    assert plain(f"{CLEAR}{RED_IN_ONE_BYTE}{BACKWARDS}\r\x00\x7f") == "·[2J·31m····"


def test_nothing_else_prints():
    for name, source in SOURCES.items():
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert "print" not in calls or name.removeprefix("cardbench.") in MAY_PRINT, name


@pytest.mark.parametrize(
    ("started", "installed", "words"),
    [
        ("/home/pi/.local/bin/cardbench", True, "cardbench"),
        ("down loads/cardbench.pyz", False, "python3 'down loads/cardbench.pyz'"),
        ("/src/client/cardbench/__main__.py", False, "python3 -m cardbench"),
        ("/usr/share/cardbench/cardbench/__main__.py", True, "cardbench"),
    ],
)
def test_a_command_is_said_as_this_one_was_started(monkeypatch, started, installed, words):
    monkeypatch.setattr("sys.argv", [started])
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}" if installed else None)
    assert command("show", "r 1.json") == f"{words} show 'r 1.json'"


def test_a_server_cannot_steer_the_terminal(run_on_terminal, site, tmp_path):
    path = tmp_path / "r.json"
    path.write_bytes(GOLDEN.read_bytes())
    site.will_say(400, {"error": {"detail": f"No.{CLEAR}", "field": RED_IN_ONE_BYTE}})
    site.will_say(202, RECEIPT | {"id": f"a{CLEAR}", "delete_key": RED_IN_ONE_BYTE})
    for _ in range(2):
        _, shown = run_on_terminal("submit", path, "--server", site.url)
        assert "[2J" in shown or "31m" in shown
        assert "\x1b" not in shown and "\x9b" not in shown


def test_a_report_cannot_steer_the_terminal_even_as_json(run_on_terminal, cardbench, tmp_path):
    document = json.loads(GOLDEN.read_bytes())
    document["host"]["board"] = f"{CLEAR}{RED_IN_ONE_BYTE}{BACKWARDS}é"
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document, ensure_ascii=False))
    for words in (("show", path), ("show", path, "--json"), ("submit", path, "--dry-run")):
        _, shown = run_on_terminal(*words)
        assert "[2J" in shown and "é" in shown
        assert not {"\x1b", "\x9b", BACKWARDS} & set(shown)
    assert json.loads(shown)["host"] == document["host"], "escaped, it means the same"
    assert cardbench("submit", path, "--dry-run").stdout == path.read_text(), (
        "a file gets the bytes as they are"
    )


def test_a_terminal_that_lacks_letters(cardbench):
    done = cardbench("show", GOLDEN, PYTHONIOENCODING="ascii")
    assert (done.returncode, "????" in done.stdout) == (0, True)
