"""Seal a backup of pg_dump when it is made, and check it before it is restored (see OPERATIONS.md).

python -m flashdb.backup seal FILE     write FILE.json: checksum and fingerprint of IDENTITY_SECRET
python -m flashdb.backup check FILE    refuse a damaged file, another IDENTITY_SECRET, a database in use
"""

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import psycopg

from flashdb.env import env


def main(argv: Sequence[str]) -> int:
    """Seal or check a backup and return the exit status."""
    actions = {"seal": seal_backup, "check": check_backup}
    if len(argv) != 2 or argv[0] not in actions:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        actions[argv[0]](Path(argv[1]))
    except (OSError, ValueError, KeyError, psycopg.Error) as error:
        print(f"flashdb: {argv[1]}: {error!r}", file=sys.stderr)
        return 1
    return 0


def seal_backup(file: Path) -> None:
    """Write the manifest of a backup. Raise ValueError if others can read the backup, FileExistsError if it has one."""
    if file.stat().st_mode & 0o077:
        raise ValueError("other users can read it: run chmod 600 on it")
    manifest = {"sha256": _hash_file(file), "identity": _fingerprint_identity()}
    with _manifest_path(file).open("x", encoding="utf-8") as output:
        json.dump(manifest, output)


def check_backup(file: Path) -> None:
    """Raise ValueError unless the backup is complete, fits IDENTITY_SECRET, and DATABASE_URL is an empty database."""
    manifest = json.loads(_manifest_path(file).read_text(encoding="utf-8"))
    if _hash_file(file) != manifest["sha256"]:
        raise ValueError("it has changed since it was sealed: use a different copy of the backup")
    if _fingerprint_identity() != manifest["identity"]:
        raise ValueError(
            "IDENTITY_SECRET is not the one used for this backup: every known card would look new, and no"
            " delete key would work. Set the old secret"
        )
    with psycopg.connect(env.str("DATABASE_URL")) as connection:
        if connection.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'public'").fetchone():
            raise ValueError("the database is not empty: create a new one and set DATABASE_URL to it")


def _fingerprint_identity() -> str:
    secret = env.str("IDENTITY_SECRET").encode()
    return hashlib.pbkdf2_hmac("sha256", secret, b"flashdb backup", 200_000).hex()[:16]


def _hash_file(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _manifest_path(file: Path) -> Path:
    return file.with_name(file.name + ".json")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
