"""Write to people and to programs. Every command writes here, so that no text of others can steer a terminal."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, TextIO

_LINE_ENDS = "\n\t"  # of the characters that are not printable, those that a page consists of


def plain(text: str) -> str:
    """Return a text without control characters, of which escape sequences are made."""
    return "".join(letter if letter.isprintable() or letter in _LINE_ENDS else "·" for letter in text)


def command(*words: str) -> str:
    """Return the command line with other words, by which this program is started as it was started now."""
    here = Path(sys.argv[0])
    if here.name == "__main__.py" and not shutil.which("cardbench"):
        return shlex.join(("python3", "-m", "cardbench", *words))
    return shlex.join(("python3", str(here), *words) if here.suffix == ".pyz" else ("cardbench", *words))


def write(text: str, *, end: str = "\n") -> None:
    """Write the answer of a command."""
    _write(plain(text) + end, sys.stdout)


def say(text: str) -> None:
    """Write a line beside the answer, to standard error."""
    _write(f"{plain(text)}\n", sys.stderr)


def redraw(line: str) -> None:
    """Write a line to standard error in the place of the one before."""
    _write(f"\r{plain(line)}\r", sys.stderr)


def print_json(answer: Any) -> None:
    """Write an answer to --json."""
    write_document(json.dumps(answer, ensure_ascii=False).encode(errors="replace") + b"\n")


def write_document(content: bytes) -> None:
    """Write JSON to the byte; on a terminal with escapes of the same meaning for control characters."""
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
    """Write also where the terminal lacks a letter: in its place stands a question mark."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()
