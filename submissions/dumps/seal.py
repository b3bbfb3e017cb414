"""Closes a dump: a checksum of every file, a signature of the checksums, and the name of the dump before.

What is signed is SHA256SUMS alone, which lists all else; datapackage.json, listed there, has the checksum of the
SHA256SUMS of the dump before. So one signature answers for every byte, and the newest dump for all older ones.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from submissions.dumps.description import NAME
from submissions.dumps.minisign import PublicKey, SecretKey, WrongSignature, key_of, verify

SUMS, SIGNATURE, KEY = "SHA256SUMS", "SHA256SUMS.minisig", "minisign.pub"


def close(directory: Path, sums: Mapping[str, str], *, secret: str, comment: str) -> None:
    """Nothing may be added any more. `sums`: checksums by name, of files so large that they were summed when they were
    written. Without a secret nothing is signed."""
    key = SecretKey(secret)
    if secret:
        (directory / KEY).write_text(key.public.file, encoding="ascii")
    names = sorted(path.name for path in directory.iterdir())
    lines = "".join(f"{sums.get(name) or sha256(directory / name)}  {name}\n" for name in names)
    (directory / SUMS).write_text(lines, encoding="ascii")
    if secret:
        (directory / SIGNATURE).write_text(key.sign(lines.encode(), comment=comment), encoding="utf-8")


def sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def names(directory: Path) -> set[str]:
    """What SHA256SUMS lists, and what closes it."""
    return {*_sums(directory), SUMS, SIGNATURE}


def faults(directory: Path, key: PublicKey | None) -> Iterator[str]:
    """A sentence for each file that is not as it was signed. Without a `key` the dump's own counts, which tells a
    change, but not whose the dump is. Raises FileNotFoundError when there is no dump."""
    yield from _signature_faults(directory, key)
    sums = _sums(directory)
    for name, checksum in sums.items():
        if not (directory / name).is_file():
            yield f"{name} is missing"
        elif sha256(directory / name) != checksum:
            yield f"{name} was changed: its checksum is not the one in {SUMS}"
    for path in sorted(directory.iterdir()):
        if path.name not in {*sums, SUMS, SIGNATURE}:
            yield f"{path.name} does not belong to the dump"


def _signature_faults(directory: Path, key: PublicKey | None) -> Iterator[str]:
    content = (directory / SUMS).read_bytes()
    try:
        if not (directory / SIGNATURE).exists():
            raise WrongSignature("it is missing, so anybody may have written the checksums")
        own = key or key_of((directory / KEY).read_bytes().decode(errors="replace"))
        verify(content, (directory / SIGNATURE).read_bytes().decode(errors="replace"), own)
    except (WrongSignature, OSError) as problem:
        yield f"{SIGNATURE} does not fit {SUMS}: {problem}"


def broken_links(directory: Path) -> Iterator[str]:
    """A sentence for each older dump beside this one that is another than the one named by the dump after it."""
    while before := _before(directory):
        older = directory.parent / Path(before["version"]).name
        if not (older / SUMS).is_file():
            return
        if sha256(older / SUMS) != before["sha256"]:
            yield f"{older.name} is not the dump that {directory.name} names as the one before it"
            return
        directory = older


def _before(directory: Path) -> dict[str, str] | None:
    package: dict[str, Any] = json.loads((directory / NAME).read_text(encoding="utf-8"))
    return package.get("previous")


def _sums(directory: Path) -> dict[str, str]:
    return parse_sums((directory / SUMS).read_text(encoding="ascii", errors="replace"))


def parse_sums(text: str) -> dict[str, str]:
    """Return the checksum of each file. A line that was spoilt is a file that is missing."""
    pairs = (line.partition("  ") for line in text.splitlines())
    return {Path(name).name: checksum for checksum, _, name in pairs}
