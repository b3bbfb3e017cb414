"""Write to people and to programs. Every command writes here, so that no text of others can steer a terminal."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, TextIO

_LAYOUT = "\n\t"  # characters that are not printable, and that pages need


def plain(text: str) -> str:
    """Return a text with a dot in place of each control character, so that it cannot steer a terminal."""
    return "".join(letter if letter.isprintable() or letter in _LAYOUT else "·" for letter in text)


def command(*words: str) -> str:
    """Return the command line that starts this program, in the same way as it was started now, with these words."""
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
    """Write the bytes of JSON as they are; on a terminal with control characters as escapes of the same meaning."""
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
    # A question mark replaces each letter that the encoding of the terminal lacks.
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()
