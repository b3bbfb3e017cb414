"""All commands in the documents exist: targets of make, commands of manage.py and cardbench, modules, services.

Other tests run the examples of README, RECIPES and CONTRIBUTING, and the backup chapter of OPERATIONS.
"""

import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
import yaml
from cardbench.cli.completion import verbs
from cardbench.cli.main import parser
from django.core.management import get_commands, load_command_class

from tests.conftest import PROJECT

DOCUMENTS = (
    *(
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "ARCHITECTURE.md",
        "flashdb/OPERATIONS.md",
        "tests/README.md",
    ),
    *("api/v1/REPORT.md", "api/v1/RECIPES.md", "client/README.md", "client/integrations/JSON.md"),
)
_TARGETS = set(re.findall(r"^([a-z][\w-]*):", (PROJECT / "Makefile").read_text(), re.MULTILINE))
_SERVICES = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())["services"].keys()
_PROJECT_MODULES = ("flashdb", "submissions", "api", "tests", "cardbench")


def list_commands() -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a document with its words, from lines of code and from code inside sentences."""
    for name in DOCUMENTS:
        text = (PROJECT / name).read_text(encoding="utf-8")
        lines = re.findall(r"^(?: {4}|\$ )(\S.*)$", text, re.MULTILINE)
        for block in re.findall(r"```(?:sh|bash|console)?\n(.*?)```", text, re.DOTALL):
            lines += block.splitlines()
        for line in [*lines, *re.findall(r"`([^`\n]+)`", text)]:
            for part in re.split(r"\s(?:&&|\||;)\s|\s+#\s", line):
                yield name, _split(part)


def _split(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    while words and (
        re.fullmatch(r"[A-Z_]+=.*|sudo|python3?|exec|run", words[0]) or words[0].startswith("$")
    ):
        words = words[1:]
    return words


COMMANDS = [(name, words) for name, words in list_commands() if words]


def find_commands(*programs: str) -> list[tuple[str, list[str]]]:
    return [(name, words) for name, words in COMMANDS if words[0] in programs and len(words) > 1]


def test_it_works() -> None:
    assert len(find_commands("make")) > 40
    assert len(find_commands("manage.py", "cardbench", "-m")) > 40


@pytest.mark.parametrize(
    ("name", "words"), [pair for pair in find_commands("make") if re.fullmatch(r"[a-z-]+", pair[1][1])]
)
def test_a_target_of_make_exists(name: str, words: list[str]) -> None:
    assert words[1] in _TARGETS, name


@pytest.mark.parametrize(("name", "words"), find_commands("manage.py"))
def test_a_command_of_manage_py_takes_these_options(name: str, words: list[str]) -> None:
    command = load_command_class(get_commands()[words[1]], words[1])
    known = command.create_parser("manage.py", words[1])._option_string_actions
    assert {word.split("=")[0] for word in words if word.startswith("--")} <= known.keys(), name


@pytest.mark.parametrize(
    ("name", "words"), [pair for pair in find_commands("-m") if pair[1][1].startswith(_PROJECT_MODULES)]
)
def test_a_module_exists(name: str, words: list[str]) -> None:
    assert find_spec(words[1]), name


@pytest.mark.parametrize(
    ("name", "words"), [pair for pair in find_commands("cardbench") if re.match(r"[a-z]", pair[1][1])]
)
def test_a_command_of_the_client_takes_these_options(name: str, words: list[str]) -> None:
    verb = verbs(parser()).get(words[1])
    assert verb, f"{name}: there is no {words[1]}"
    options = {word.split("=")[0] for word in words if word.startswith("--")}
    assert options <= verb._option_string_actions.keys(), name


@pytest.mark.parametrize(
    ("name", "words"), [pair for pair in COMMANDS if pair[1][:2] == ["docker", "compose"]]
)
def test_a_service_of_docker_compose_exists(name: str, words: list[str]) -> None:
    if words[2:3] == ["up"]:
        named = [word for word in words[3:] if not word.startswith("-")]
    elif words[2:3] in (["exec"], ["stop"], ["run"]):
        named = [next((word for word in words[3:] if word in _SERVICES), "")]
    else:
        return
    assert set(named) <= _SERVICES, name
