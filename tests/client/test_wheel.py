"""The wheel of the client is accepted by the Python Package Index, and runs with every C library."""

import email
import os
import shutil
import subprocess
import sys
import zipfile
from email.message import Message
from pathlib import Path

from tests.conftest import PROJECT

BUILD = "import setuptools.build_meta as backend, sys; print(backend.build_wheel(sys.argv[1]))"


def build(folder: Path, **environment: str) -> Path:
    """Build the wheel from a copy of the sources, because setuptools writes into them; return its path."""
    sources = shutil.copytree(PROJECT / "client", folder / "client", ignore=shutil.ignore_patterns("build"))
    command: list[str | Path] = [sys.executable, "-c", BUILD, folder]
    subprocess.run(command, cwd=sources, env=os.environ | environment, capture_output=True, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (name for name in packed.namelist() if name.endswith("/METADATA"))
        return email.message_from_bytes(packed.read(name))


def test_it_works(tmp_path: Path) -> None:
    wheel = build(tmp_path)
    machine = os.uname().machine
    assert f"py3-none-manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}" in wheel.name
    with zipfile.ZipFile(wheel) as packed:
        engine = Path(packed.extract("cardbench/bin/cardbench-engine", tmp_path))
    engine.chmod(0o700)
    answer = subprocess.run([engine], input="hello\n", capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("ok ")


def test_it_says_what_the_index_asks_for(tmp_path: Path) -> None:
    said = metadata(build(tmp_path))
    assert said["Description-Content-Type"] == "text/markdown"
    assert str(said.get_payload()).lstrip().startswith("# cardbench\n")
    assert (said["License-Expression"], said["Author"]) == ("BSD-3-Clause", "The flashdb contributors")
    assert {url.partition(",")[0] for url in said.get_all("Project-URL", ())} >= {"Homepage", "Source"}


def test_a_machine_without_static_libraries_makes_one_for_itself(tmp_path: Path) -> None:
    """Such an engine needs the C library of its machine, so the name of the wheel promises no other."""
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\ncase "$*" in *-static*) exit 1 ;; esac\nexec cc "$@"\n')
    compiler.chmod(0o700)
    assert build(tmp_path, CC=str(compiler)).name.endswith(f"-py3-none-linux_{os.uname().machine}.whl")
