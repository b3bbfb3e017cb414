"""The statements of README.md are true: its commands run, and its packages exist.

`make run` itself is tested in tests/flashdb/test_run_site.py.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from submissions.models import Submission
from tests.api.test_contract import example
from tests.conftest import PROJECT

README = (PROJECT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (PROJECT / "ARCHITECTURE.md").read_text(encoding="utf-8")
COMMANDS = [
    line.strip().split("  #")[0].strip() for line in re.findall(r"^ {4}(\S.*)$", README, re.MULTILINE)
]


def commands(word: str) -> list[str]:
    found = [command for command in COMMANDS if word in command.split()]
    assert found, f"the README has no {word} command any more"
    return found


def test_it_is_read_in_a_few_minutes() -> None:
    assert len(README.split()) <= 900


def test_it_names_the_first_two_targets_of_make() -> None:
    assert {"run", "test"} <= {command.split()[1] for command in commands("make")}


def test_every_room_on_the_map_exists() -> None:
    first_cells = re.findall(r"^\| (`[^|]*)\|", ARCHITECTURE, re.MULTILINE)
    paths = [path for cell in first_cells for path in re.findall(r"`([^`]+)`", cell)]
    assert len(paths) > 20
    for path in paths:
        assert any((PROJECT / folder / path).exists() for folder in ("", "submissions")), path


def test_every_link_leads_somewhere() -> None:
    for name in ("README.md", "ARCHITECTURE.md", "templates/TOUR.md"):
        for link in re.findall(r"\]\(([^)#]+)[)#]", (PROJECT / name).read_text(encoding="utf-8")):
            assert link.startswith("http") or (PROJECT / name).parent.joinpath(link).exists(), (name, link)


def test_the_engine_is_built_as_told() -> None:
    for command in [one for one in commands("make") if one.startswith("make -C")]:
        subprocess.run(shlex.split(command), cwd=PROJECT, check=True, capture_output=True)


def test_the_client_knows_every_command_and_option() -> None:
    for command in commands("cardbench"):
        words = shlex.split(command.removeprefix("sudo "))
        verb = words[words.index("cardbench") + 1]
        told = _cardbench(PROJECT / "client", verb, "--help")
        assert all(word in told for word in words if word.startswith("--")), command


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
def test_a_report_is_sent_with_curl_as_told(live_server: Any, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_bytes(example())
    assert '"delete_key"' in _curl("submissions/", live_server.url, tmp_path)
    assert Submission.objects.get().channel == "api"


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
def test_registers_are_decoded_with_curl_as_told(live_server: Any, tmp_path: Path) -> None:
    assert '"2013-03"' in _curl("decode/", live_server.url, tmp_path)


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
def test_a_log_is_sent_with_curl_as_told(live_server: Any, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("$ ./flashbench /dev/sda --open-au --open-au-nr=1\n1MiB    5.19M/s\n")
    assert '"delete_key"' in _curl("?brand=Kingston", live_server.url, tmp_path)


def _curl(address: str, server: str, directory: Path) -> str:
    (command,) = [one for one in commands("curl") if one.rstrip("'").endswith(address)]
    words = shlex.split(command.replace("http://127.0.0.1:8000", server))
    done = subprocess.run([*words, "--silent"], cwd=directory, check=True, capture_output=True, text=True)
    return done.stdout


def _cardbench(directory: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "cardbench", *arguments]
    done = subprocess.run(
        command, cwd=directory, env=dict(os.environ), capture_output=True, text=True, check=True
    )
    return done.stdout
