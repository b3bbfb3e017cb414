"""Keep everything, and have it back on an empty machine. PostgreSQL's own pg_dump and pg_restore do the work.

    python -m flashdb.backup create FILE       a backup of the running site, and FILE.json that says what is in it
    python -m flashdb.backup restore FILE      into an empty database; then nothing is missing, or nothing was done

DATABASE_URL names the database. The secrets are not in a backup: keep IDENTITY_SECRET beside it, in another place.
Nor are the rows of PASSING tables. Whoever gets a backup shall not get in with it, and what was revoked since stays so.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from flashdb import env
from flashdb.local_services.binaries import ENV, find_postgres
from flashdb.local_services.errors import LocalServicesError

# Who is logged in (with the delete keys they see), what lets programs in, and second factors: their tables stay empty.
PASSING = (
    "django_session",
    "submissions_apitoken",
    "otp_totp_totpdevice",
    "otp_static_staticdevice",
    "otp_static_statictoken",
)


class BackupError(RuntimeError):
    """No backup was made, or none was restored; the message says why and what to do."""


def main(argv: Sequence[str] | None = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="python -m flashdb.backup", description=__doc__)
    parser.add_argument("verb", choices=["create", "restore"])
    parser.add_argument("file", type=Path)
    options = parser.parse_args(argv)
    try:
        summary = (create if options.verb == "create" else restore)(options.file)
    except (BackupError, psycopg.Error) as error:
        print(f"flashdb: {error}", file=sys.stderr)
        return 1
    print(summary)
    return 0


def create(file: Path) -> str:
    """Write a backup of the whole database at one moment, while the site goes on. Returns a summary in words."""
    if file.exists():
        raise BackupError(f"{file} is there already: name another file")
    partial = file.with_name(file.name + ".partial")
    _make_private(partial)
    passing = [f"--exclude-table-data=public.{table}" for table in PASSING]
    with _one_moment() as (connection, snapshot):
        rows = _rows_per_table(connection)
        _run("pg_dump", "--format=custom", f"--snapshot={snapshot}", *passing, f"--file={partial}", _url())
    rows |= {table: 0 for table in PASSING if table in rows}
    manifest = {
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": _sha256(partial),
        "rows": rows,
        "identity": _identity_fingerprint(),
    }
    _make_private(_manifest_of(file))
    _manifest_of(file).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    partial.rename(file)
    return f"{sum(rows.values()):,} rows of {len(rows)} tables in {file} ({file.stat().st_size:,} bytes)"


def _make_private(file: Path) -> None:
    """An empty file that its owner alone may read, before anything is in it."""
    file.unlink(missing_ok=True)
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def restore(file: Path) -> str:
    """Restore `file` into an empty database, in one transaction. Returns a summary in words."""
    manifest = _read_manifest(file)
    _refuse_another_identity(manifest)
    with psycopg.connect(_url()) as connection:
        if _rows_per_table(connection):
            raise BackupError(
                "the database is not empty: restore into a new one, then point DATABASE_URL there"
            )
    _run(
        "pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", f"--dbname={_url()}", str(file)
    )
    with psycopg.connect(_url(), autocommit=True) as connection:
        rows = _rows_per_table(connection)
        if rows != manifest["rows"]:
            raise BackupError("other rows were restored than were kept: do not use this database")
        connection.execute("ANALYZE")
    return f"{sum(rows.values()):,} rows of {len(rows)} tables are there, as on {manifest['made_at']}"


@contextmanager
def _one_moment() -> Any:
    """A connection and the name of its snapshot, which pg_dump can be given."""
    with psycopg.connect(_url()) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        row = connection.execute("SELECT pg_export_snapshot()").fetchone()
        assert row
        yield connection, row[0]


def _rows_per_table(connection: psycopg.Connection) -> dict[str, int]:
    tables = connection.execute(
        "SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace "
        "WHERE nspname = 'public' AND relkind = 'r' ORDER BY relname"
    ).fetchall()
    counted = {}
    for (table,) in tables:
        row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone()
        counted[table] = row[0] if row else 0
    return counted


def _read_manifest(file: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads(_manifest_of(file).read_text(encoding="utf-8"))
        whole = _sha256(file) == manifest["sha256"]
    except (OSError, ValueError, KeyError) as error:
        raise BackupError(
            f"{file} cannot be read together with {_manifest_of(file).name}: {error}"
        ) from error
    if not whole:
        raise BackupError(f"{file} is not what was kept (another sha256): take another copy of the backup")
    return manifest


def _refuse_another_identity(manifest: dict[str, Any]) -> None:
    if manifest["identity"] != _identity_fingerprint():
        raise BackupError(
            "IDENTITY_SECRET is not the one this backup was made with: every known card would look new and no "
            "delete key would fit. Set the old one"
        )


def _identity_fingerprint() -> str:
    """Hash of IDENTITY_SECRET: tells whether two secrets are the same, and nothing about either."""
    secret = env.env.str("IDENTITY_SECRET", "")
    return hashlib.pbkdf2_hmac("sha256", secret.encode(), b"flashdb backup", 200_000).hex()[:16]


def _manifest_of(file: Path) -> Path:
    return file.with_name(file.name + ".json")


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _url() -> str:
    return env.env.str("DATABASE_URL", "")


def _run(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL to its end. Raises BackupError with what it printed last."""
    password = {"PGPASSWORD": env.env.str("PGPASSWORD", "")} if env.env.str("PGPASSWORD", "") else {}
    command = [_find(program), *arguments]
    done = subprocess.run(command, env=ENV | password, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BackupError(f"{program}: {done.stderr.strip() or f'status {done.returncode}'}")


def _find(program: str) -> str:
    """Path of a program of the PostgreSQL in the packages, the release that is deployed; else of one on PATH."""
    try:
        beside = find_postgres(None).program.executable.with_name(program)
    except LocalServicesError:
        beside = Path("/nowhere")
    path = str(beside) if beside.exists() else shutil.which(program)
    if not path:
        raise BackupError(f"{program} is not on this machine: apt-get install -y postgresql-client")
    return path


if __name__ == "__main__":
    sys.exit(main())
