"""Seal a dump with a checksum of every file and a signature of the checksums, and verify both.

Only SHA256SUMS is signed, which lists all other files; datapackage.json, listed there, has the checksum of the
SHA256SUMS of the previous dump. So one signature covers every byte, and the newest dump covers all older ones.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from submissions.dumps.description import NAME
from submissions.dumps.minisign import PublicKey, SecretKey, WrongSignature, parse_key, verify

SUMS, SIGNATURE, KEY = "SHA256SUMS", "SHA256SUMS.minisig", "minisign.pub"


def seal_folder(directory: Path, sums: Mapping[str, str], *, secret: str, comment: str) -> None:
    """Write the checksums of all files of a folder and, with a secret, a signature of them and its public key.

    `sums`: checksums by name of large files, computed when they were written. No file may be added later.
    """
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


def list_names(directory: Path) -> set[str]:
    """Return the names of all files that belong to a dump, by its checksums."""
    return {*_sums(directory), SUMS, SIGNATURE}


def find_faults(directory: Path, key: PublicKey | None) -> Iterator[str]:
    """Yield a sentence for each file of a dump that is not as it was signed.

    Without a `key` the dump's own key is used, which shows a change, but not who made the dump. Raise
    FileNotFoundError if there is no dump.
    """
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
            raise WrongSignature("it is missing, so anybody could have written the checksums")
        own = key or parse_key((directory / KEY).read_bytes().decode(errors="replace"))
        verify(content, (directory / SIGNATURE).read_bytes().decode(errors="replace"), own)
    except (WrongSignature, OSError) as problem:
        yield f"{SIGNATURE} does not fit {SUMS}: {problem}"


def find_broken_links(directory: Path) -> Iterator[str]:
    """Yield a sentence if an older dump beside this dump has another checksum than its successor states."""
    while before := _read_previous(directory):
        older = directory.parent / Path(before["version"]).name
        if not (older / SUMS).is_file():
            return
        if sha256(older / SUMS) != before["sha256"]:
            yield f"{older.name} is not the dump that {directory.name} names as the one before it"
            return
        directory = older


def _read_previous(directory: Path) -> dict[str, str] | None:
    package: dict[str, Any] = json.loads((directory / NAME).read_text(encoding="utf-8"))
    return package.get("previous")


def _sums(directory: Path) -> dict[str, str]:
    return parse_sums((directory / SUMS).read_text(encoding="ascii", errors="replace"))


def parse_sums(text: str) -> dict[str, str]:
    """Return the checksums in the text of a SHA256SUMS, by name of the file."""
    pairs = (line.partition("  ") for line in text.splitlines())
    return {Path(name).name: checksum for checksum, _, name in pairs}
