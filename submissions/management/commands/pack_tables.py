"""manage.py pack_tables FOLDER: tables of published results as starter data of the repository.

Each table is copied as it is, in gzip where it is long, beside the checksums of what is inside.
"""

import gzip
import hashlib
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.domain.intake.published.table import COLUMNS

STARTER = Path(__file__).resolve().parents[2] / "starter" / "published"
CHECKSUMS = "SHA256SUMS"
# Shorter ones stay text, so that a change of them can be read as a difference.
LONG_BYTES = 100_000


class Command(BaseCommand):
    help = "Copy tables of published results into the starter data. The same folder gives the same bytes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="holds the tables, CSV or CSV in gzip")
        parser.add_argument("--to", type=Path, default=STARTER)

    def handle(self, *args: Any, folder: Path, to: Path, **options: Any) -> None:
        texts = {
            path.name.split(".")[0]: text for path in sorted(folder.glob("*.csv*")) if (text := _table(path))
        }
        if not texts:
            raise CommandError(f"{folder} holds no table with the columns of api/v1/TABLE.md")
        to.mkdir(parents=True, exist_ok=True)
        for old in to.glob("*.csv*"):
            old.unlink()
        for name, text in texts.items():
            _write(to / f"{name}.csv", text)
        sums = "".join(f"{hashlib.sha256(text).hexdigest()}  {name}.csv\n" for name, text in texts.items())
        (to / CHECKSUMS).write_text(sums, encoding="ascii")
        self.stdout.write(f"{len(texts)} tables in {to}")


def _table(path: Path) -> bytes:
    """What is inside, b"" for a file that is no table of results."""
    text = unpacked(path)
    heading = text.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    return text if heading == ",".join(COLUMNS) else b""


def unpacked(path: Path) -> bytes:
    """The table in a file, whether it is packed or not."""
    packed = path.read_bytes()
    return gzip.decompress(packed) if path.suffix == ".gz" else packed


def _write(path: Path, text: bytes) -> None:
    if len(text) < LONG_BYTES:
        path.write_bytes(text)
    else:
        path.with_suffix(".csv.gz").write_bytes(gzip.compress(text, mtime=0))
