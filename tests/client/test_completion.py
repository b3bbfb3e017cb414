"""Completion, manual page, and an engine to be carried to another machine."""

import shutil
import subprocess

import pytest
from cardbench import cli, completion

from tests.client.conftest import CLIENT


def test_it_works(cardbench):
    assert "_cardbench" in cardbench("completion", "bash").stdout
    assert cardbench("completion", "man").stdout.startswith(".TH CARDBENCH 1")
    assert cardbench("completion", "fish").returncode == 2


def completed(*words: str) -> list[str]:
    script = completion.bash(cli.parser())
    quoted = " ".join(f"'{word}'" for word in words)
    program = (
        f"{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _cardbench; echo ${{COMPREPLY[@]}}"
    )
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_commands_and_options_are_completed():
    assert completed("cardbench", "sub") == ["submit"]
    assert completed("cardbench", "run", "--conf") == ["--confirm-size", "--confirm-serial"] or set(
        completed("cardbench", "run", "--conf")
    ) == {"--confirm-size", "--confirm-serial"}


def test_the_manual_names_every_command_and_option():
    page = completion.manual(cli.parser()).replace("\\-", "-")
    for name, verb in completion.verbs(cli.parser()).items():
        assert f".SS {name}" in page
        assert all(option in page for option in completion._options(verb) if option != "--help")


@pytest.mark.skipif(shutil.which("man") is None, reason="no man")
def test_the_manual_is_well_formed(tmp_path):
    (tmp_path / "cardbench.1").write_text(completion.manual(cli.parser()))
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", tmp_path / "cardbench.1"],
        capture_output=True, text=True, check=True, env={"MANWIDTH": "100", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.stderr == ""
    assert "--confirm-serial" in done.stdout.replace("‐", "-")


def test_the_engine_is_installed_without_python(tmp_path):
    words = ("make", "-C", CLIENT / "engine", f"BUILD={tmp_path / 'build'}", f"PREFIX={tmp_path}")
    subprocess.run([*words, "install"], check=True, capture_output=True)
    done = subprocess.run(
        [tmp_path / "bin" / "cardbench-engine"], input="hello\n", capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("ok cardbench-engine 1 ")


def test_a_static_engine_needs_no_library(tmp_path):
    command = ["make", "-C", str(CLIENT / "engine"), f"BUILD={tmp_path}", "static"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no static C library here: {made.stderr.strip()[:200]}")
    linked = subprocess.run(
        ["ldd", tmp_path / "cardbench-engine"], capture_output=True, text=True, check=False
    )
    assert "not a dynamic executable" in linked.stdout + linked.stderr
