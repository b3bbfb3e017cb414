"""Compile the engine, or unpack it if all of cardbench is one file."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import tempfile
import zipfile
from functools import cache
from pathlib import Path

from cardbench.errors import UsageError

ENGINE_NAME = "cardbench-engine"
_FLAGS = ("-O2", "-std=c17", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64")
# Name of a machine in Python -> name of its engine in a release.
_RELEASES = {"x86_64": "x86_64", "aarch64": "arm64", "armv8l": "armhf", "armv7l": "armhf", "armv6l": "armel"}


def compile_engine(sources: Path, program: Path, *flags: str) -> None:
    """Compile all C files of a directory to a program. Raises OSError (no compiler) or CalledProcessError."""
    files = sorted(map(str, sources.glob("*.c")))
    command = [*shlex.split(os.environ.get("CC", "cc")), *_FLAGS, *flags, "-o", str(program), *files]
    subprocess.run(command, check=True)


@cache
def unpack_engine(archive: Path) -> Path:
    """Return the path of an engine unpacked from an archive, or compiled from it if none fits this machine.

    The program is deleted when this process ends. Each process unpacks it again, because a program that runs as root
    must not be in a directory where others may write. Raises UsageError if there is neither an engine that fits nor a
    compiler.
    """
    place = Path(_directory().name)
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(place, [name for name in packed.namelist() if name.startswith("engine/")])
    for machine in (_RELEASES.get(platform.machine(), ""), platform.machine()):
        program = place / "engine" / "build" / machine / ENGINE_NAME
        if program.is_file() and _can_start(program):
            return program
    _compile_here(place / "engine", place / ENGINE_NAME)
    return place / ENGINE_NAME


def _can_start(program: Path) -> bool:
    """Return whether a program runs on this machine; it does not if it needs a newer C library."""
    program.chmod(0o700)
    try:
        return subprocess.run([program], input=b"", capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@cache
def _directory() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="cardbench-")


def _compile_here(sources: Path, program: Path) -> None:
    try:
        compile_engine(sources, program)
    except OSError as error:
        raise UsageError(
            f"The engine must be compiled for this machine, but there is no C compiler: {error}. Install"
            " one (“apt install gcc libc6-dev”), or name one in CC. “cardbench demo” needs no engine."
        ) from error
    except subprocess.CalledProcessError as error:
        raise UsageError(
            "The engine cannot be compiled here; see the compiler's message above. If it does not find a"
            " header such as stdio.h, install the C library's headers (“apt install libc6-dev”)."
        ) from error
