"""Print text and JSON to the terminal. All output passes here, so that no foreign text can control the terminal."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, TextIO

_LAYOUT = "\n\t"  # characters that are not printable, but needed


def plain(text: str) -> str:
    """Return a text with a dot in place of each control character, so that it cannot control a terminal."""
    return "".join(letter if letter.isprintable() or letter in _LAYOUT else "·" for letter in text)


def command(*words: str) -> str:
    """Return a command line that starts this program with these arguments, in the way it was started now."""
    here = Path(sys.argv[0])
    if here.name == "__main__.py" and not shutil.which("cardbench"):
        return shlex.join(("python3", "-m", "cardbench", *words))
    return shlex.join(("python3", str(here), *words) if here.suffix == ".pyz" else ("cardbench", *words))


def write(text: str, *, end: str = "\n") -> None:
    """Print the output of a command to standard output."""
    _write(plain(text) + end, sys.stdout)


def say(text: str) -> None:
    """Print a line for people to standard error, apart from the output of the command."""
    _write(f"{plain(text)}\n", sys.stderr)


def redraw(line: str) -> None:
    """Print a line to standard error in place of the last one."""
    _write(f"\r{plain(line)}\r", sys.stderr)


def print_json(answer: Any) -> None:
    """Print a value as JSON to standard output."""
    write_document(json.dumps(answer, ensure_ascii=False).encode(errors="replace") + b"\n")


def write_document(content: bytes) -> None:
    """Print the bytes of JSON unchanged; on a terminal, control characters become escapes of the same meaning."""
    if sys.stdout.isatty():
        _write(re.sub(r"[^\n\t -~]", _escape, content.decode(errors="replace")), sys.stdout)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.flush()


def _escape(match: re.Match[str]) -> str:
    letter = match[0]
    return letter if letter.isprintable() else json.dumps(letter)[1:-1]


def _write(text: str, stream: TextIO) -> None:
    # A question mark replaces each character that the encoding of the terminal lacks.
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()
