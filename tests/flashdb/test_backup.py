"""A backup restores a whole site on an empty machine."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from flashdb.local_services import binaries, local_services
from flashdb.local_services.places import temporary_state
from tests.conftest import PROJECT
from tests.factories import body, uuid

LOADED = 3
# In one process, because each start of Django takes two seconds of CPU time.
_FILLED = """
import os, sys, django
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("load_reports", sys.argv[1], verbosity=0)
call_command("reprocess", verbosity=0)
"""
with pytest.MonkeyPatch.context() as patched:
    patched.setattr(binaries, "OLDEST_POSTGRES", 17)  # older ones have no --filter
    POSTGRES = binaries.find_postgres(None).program.executable.parent
Outcome = subprocess.CompletedProcess[str]


def run(url: str, *command: str, **environment: str) -> Outcome:
    secrets = {"IDENTITY_SECRET": "the old one, kept"}
    return subprocess.run(
        [sys.executable, *command],
        cwd=PROJECT,
        env=os.environ | secrets | environment | {"DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )


def check(url: str, file: Path, **environment: str) -> Outcome:
    return run(url, "-m", "flashdb.backup", "check", str(file), **environment)


def dump(url: str, file: Path) -> None:
    """Make a backup by the commands of OPERATIONS.md."""
    command = [str(POSTGRES / "pg_dump"), "--format", "custom", "--filter", "flashdb/backup.filter", url]
    with file.open("xb") as output:
        subprocess.run(command, cwd=PROJECT, stdout=output, check=True)
    file.chmod(0o600)
    sealed = run(url, "-m", "flashdb.backup", "seal", str(file))
    assert sealed.returncode == 0, sealed.stderr


def restore(url: str, file: Path) -> None:
    """Restore a backup by the commands of OPERATIONS.md."""
    checked = check(url, file)
    assert checked.returncode == 0, checked.stderr
    options = ["--exit-on-error", "--single-transaction", "--no-owner", "--dbname", url]
    with file.open("rb") as content:
        subprocess.run([POSTGRES / "pg_restore", *options], stdin=content, check=True)


@pytest.fixture(scope="module")
def machines() -> Iterator[tuple[str, str]]:
    """Start a site with processed submissions and an empty machine; yield the database URLs of both."""
    with temporary_state() as first, temporary_state() as other, pytest.MonkeyPatch.context() as unset:
        for name in ("DATABASE_URL", "REDIS_URL"):
            unset.delenv(name, raising=False)
        unset.setattr(binaries, "OLDEST_POSTGRES", 17)
        with local_services(first, durable=False) as full, local_services(other, durable=False) as empty:
            _fill(full.database_url, full.redis_url, first)
            yield full.database_url, empty.database_url


def _fill(url: str, redis_url: str, folder: Path) -> None:
    reports = folder / "reports.jsonl"
    reports.write_bytes(b"\n".join(body(uuid=uuid(number), note=str(number)) for number in range(LOADED)))
    done = run(url, "-c", _FILLED, str(reports), REDIS_URL=redis_url)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def backup_once(machines: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("kept") / "flashdb.backup"
    dump(machines[0], file)
    return file


@pytest.fixture
def backup(backup_once: Path, tmp_path: Path) -> Path:
    """Return a copy of a backup with its manifest, which a test may damage."""
    shutil.copytree(backup_once.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / backup_once.name


@pytest.fixture
def empty(machines: tuple[str, str]) -> Iterator[str]:
    """Create an empty database on the other machine, and yield its URL."""
    url = re.sub(r"/flashdb\?", "/restored?", machines[1])
    with psycopg.connect(machines[1], autocommit=True) as connection:
        connection.execute("CREATE DATABASE restored")
        yield url
        connection.execute("DROP DATABASE restored WITH (FORCE)")


def everything(url: str) -> dict[str, list[tuple[object, ...]]]:
    """Return every row as text, every sequence, index and constraint of a database."""
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
        ).fetchall()
        rows = {
            table: connection.execute(
                sql.SQL("SELECT t::text FROM {} AS t ORDER BY 1").format(sql.Identifier(table))
            ).fetchall()
            for (table,) in tables
        }
        sequences = "SELECT sequencename, last_value FROM pg_sequences ORDER BY 1"
        # PostgreSQL prints the casts of a condition in another order after it has parsed its own output.
        indexes = """
            SELECT indexname, regexp_replace(indexdef, '::text(\\[])?|::character varying|[()]', '', 'g')
            FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1
        """
        constraints = "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint ORDER BY 1, 2"
        return rows | {
            query: connection.execute(query).fetchall() for query in (sequences, indexes, constraints)
        }


def test_it_works(machines: tuple[str, str], backup: Path, empty: str) -> None:
    restore(empty, backup)
    restored = everything(empty)
    assert restored == everything(machines[0])
    assert len(restored["submissions_run"]) == LOADED


def test_nothing_secret_is_kept(backup: Path) -> None:
    assert b"the old one" not in backup.read_bytes() + backup.with_name(backup.name + ".json").read_bytes()


def test_another_identity_secret_is_refused(backup: Path, empty: str) -> None:
    done = check(empty, backup, IDENTITY_SECRET="a new one, by mistake")
    assert (done.returncode, "every known card would look new" in done.stderr) == (1, True)


def test_a_database_in_use_is_left_alone(machines: tuple[str, str], backup: Path) -> None:
    done = check(machines[0], backup)
    assert (done.returncode, "is not empty" in done.stderr) == (1, True)


def test_a_damaged_backup_is_refused(backup: Path, empty: str) -> None:
    damaged = bytearray(backup.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    backup.write_bytes(damaged)
    done = check(empty, backup)
    assert (done.returncode, "has changed since" in done.stderr) == (1, True)


def test_a_sealed_backup_is_not_sealed_again(machines: tuple[str, str], backup: Path) -> None:
    done = run(machines[0], "-m", "flashdb.backup", "seal", str(backup))
    assert (done.returncode, "File exists" in done.stderr) == (1, True)


def test_a_backup_that_others_can_read_is_not_sealed(machines: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "open").touch(0o644)
    done = run(machines[0], "-m", "flashdb.backup", "seal", str(tmp_path / "open"))
    assert (done.returncode, "chmod 600" in done.stderr) == (1, True)
    assert not (tmp_path / "open.json").exists()


@pytest.mark.parametrize("manifest", ["{}", "no JSON", None])
def test_a_backup_without_its_manifest_is_refused(backup: Path, empty: str, manifest: str | None) -> None:
    path = backup.with_name(backup.name + ".json")
    path.unlink()
    if manifest is not None:
        path.write_text(manifest)
    assert check(empty, backup).returncode == 1


def test_the_manual_names_these_commands() -> None:
    manual = (PROJECT / "flashdb" / "OPERATIONS.md").read_text()
    for words in (
        "umask 077; set -C",
        "--format custom --filter - flashdb < flashdb/backup.filter",
        "flashdb.backup seal",
        "flashdb.backup check",
        "--exit-on-error --single-transaction --no-owner --dbname",
    ):
        assert words in manual
