"""Shell completion and the manual page name all commands and options, and an engine runs on another machine."""

import os
import pty
import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from cardbench.cli import completion, main
from cardbench.target.engine import Engine

from tests.client.conftest import CLIENT


def test_it_works(cardbench):
    assert "_cardbench" in cardbench("completion", "bash").stdout
    assert cardbench("completion", "man").stdout.startswith(".TH CARDBENCH 1")
    assert cardbench("completion", "csh").returncode == 2


def complete_in_bash(line: str, _directory: Path) -> list[str]:
    script = completion.bash(main.parser())
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    program = (
        f"{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _cardbench; echo ${{COMPREPLY[@]}}"
    )
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def complete_in_fish(line: str, _directory: Path) -> list[str]:
    program = f"{completion.fish(main.parser())}\ncomplete -C '{line}'"
    done = subprocess.run(["fish", "--no-config", "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return [found.split("\t")[0] for found in done.stdout.splitlines()]


def complete_in_zsh(line: str, directory: Path) -> list[str]:
    """Type a line in zsh, press Tab, and return the completed line."""
    (directory / "_cardbench").write_text(completion.zsh(main.parser()))
    screen, terminal = pty.openpty()
    with subprocess.Popen(
        ["zsh", "-f", "-i"], stdin=terminal, stdout=terminal, stderr=terminal, cwd=directory
    ) as zsh:
        os.close(terminal)
        start = f"fpath=({directory} $fpath); autoload -U compinit; compinit -D -u; exec 2>&1\n"
        os.write(screen, f"{start}{line}\t\x01print -r -- found: \x05\nexit\n".encode())
        shown = b""
        with suppress(OSError):  # the other end is closed
            while piece := os.read(screen, 4096):
                shown += piece
        assert zsh.wait() == 0
    os.close(screen)
    (printed,) = re.findall(r"^found: (.*?)\s*$", shown.decode().replace("\r", ""), re.MULTILINE)
    return printed.split()[-1:]


SHELLS = {"bash": complete_in_bash, "fish": complete_in_fish, "zsh": complete_in_zsh}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("cardbench sub", "submit"),
        ("cardbench run --confirm-se", "--confirm-serial"),
        ("cardbench run --workload stre", "stream"),
        ("cardbench run /dev/sda --suite sta", "standard"),
        ("cardbench completion zs", "zsh"),
        ("cardbench show rep", "report.json"),
    ],
)
def test_commands_options_and_values_are_completed(monkeypatch, tmp_path, shell, line, found):
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    (tmp_path / "report.json").touch()
    monkeypatch.chdir(tmp_path)
    assert SHELLS[shell](line, tmp_path) == [found]


def test_the_manual_names_every_command_and_option():
    page = completion.manual(main.parser()).replace("\\-", "-")
    for name, verb in completion.verbs(main.parser()).items():
        assert f".SS {name}" in page
        assert all(option in page for option in completion._options(verb) if option != "--help")


@pytest.mark.skipif(shutil.which("man") is None, reason="no man")
def test_the_manual_is_well_formed(tmp_path):
    (tmp_path / "cardbench.1").write_text(completion.manual(main.parser()))
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


def test_the_engine_tries_itself(tmp_path):
    command = ["make", "-C", str(CLIENT / "engine"), f"BUILD={tmp_path}", "check"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert subprocess.run([*command, "RUN=true"], capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize("machine", ["aarch64-linux-gnu", "arm-linux-gnueabihf"])
def test_an_engine_for_a_pi_is_built_without_a_warning_and_works(tmp_path, machine):
    emulator = {"aarch64-linux-gnu": "qemu-aarch64", "arm-linux-gnueabihf": "qemu-arm"}[machine]
    if not shutil.which(f"{machine}-gcc") or not shutil.which(emulator):
        pytest.skip(f"no {machine}-gcc or no {emulator} here")
    words = ("make", "-C", CLIENT / "engine", f"BUILD={tmp_path}", f"CC={machine}-gcc", f"RUN={emulator}")
    made = subprocess.run([*words, "static", "check"], capture_output=True, text=True, check=False)
    assert (made.returncode, made.stderr) == (0, "")
    with Engine([emulator, str(tmp_path / "cardbench-engine")]) as engine:
        (tmp_path / "card.img").write_bytes(bytes(8 * 1024**2))
        engine.open(str(tmp_path / "card.img"), write=True)
        engine.write(512, [5 * 1024**2], seed=2**64 - 1)
        assert engine.check(512, [5 * 1024**2, 0], seed=2**64 - 1) == [5 * 1024**2, None]
