"""Pack tables of published results as starter data: `python -m tests.starter_tables FOLDER`.

Each table is copied unchanged, compressed by gzip if it is long, beside a list of checksums. The same folder always
gives the same bytes.
"""

import gzip
import hashlib
import sys
from pathlib import Path

from submissions.domain.intake.published.table import COLUMNS

STARTER = Path(__file__).resolve().parents[1] / "submissions" / "starter" / "published"
CHECKSUMS = "SHA256SUMS"
# Shorter tables stay text, so that a change of them is readable in a diff.
LONG_BYTES = 100_000


def pack_tables(folder: Path, *, target: Path = STARTER) -> str:
    """Replace the tables in `target` by those in `folder`; return a sentence about this. Exit if there is no table."""
    texts = {
        path.name.split(".")[0]: unpack(path) for path in sorted(folder.glob("*.csv*")) if _is_table(path)
    }
    if not texts:
        sys.exit(f"{folder} holds no table with the columns of api/v1/TABLE.md")
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("*.csv*"):
        old.unlink()
    for name, text in texts.items():
        _write_table(target / f"{name}.csv", text)
    sums = "".join(f"{hashlib.sha256(text).hexdigest()}  {name}.csv\n" for name, text in texts.items())
    (target / CHECKSUMS).write_text(sums, encoding="ascii")
    return f"{len(texts)} tables in {target}"


def unpack(path: Path) -> bytes:
    """Return the text of a table file, compressed by gzip or not."""
    packed = path.read_bytes()
    return gzip.decompress(packed) if path.suffix == ".gz" else packed


def _is_table(path: Path) -> bool:
    heading = unpack(path).split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    return heading == ",".join(COLUMNS)


def _write_table(path: Path, text: bytes) -> None:
    if len(text) < LONG_BYTES:
        path.write_bytes(text)
    else:
        path.with_suffix(".csv.gz").write_bytes(gzip.compress(text, mtime=0))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: python -m tests.starter_tables FOLDER")
    print(pack_tables(Path(sys.argv[1])))
