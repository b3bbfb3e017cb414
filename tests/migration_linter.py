"""Refuse migrations with which old code cannot work while new code starts, judged by their SQL.

During a deployment old and new code run on one database, and no visitor waits for a lock. So a change comes in steps,
each in a release of its own: add the new column so that old code need not know it; write both columns; read the new
column; remove the old one. django-migration-linter finds changes that break old code or lock a table; three rules here
complete it. If an operation is harmless in its case, the migration says why:

    class Migration(migrations.Migration):
        harmless_because = "the column was never written"
"""

import os
import re
import sys
from collections.abc import Sequence
from typing import Any

import django
from django.db.migrations import Migration
from django_migration_linter.migration_linter import MigrationLinter
from django_migration_linter.sql_analyser.base import Check, CheckMode, CheckType
from django_migration_linter.sql_analyser.postgresql import PostgresqlAnalyser

APP = "submissions"
# Migrations up to this one are not checked: they came before or with the first release, 0.1.0.
LAST_OF_FIRST_RELEASE = "0015_no_like_on_submissions"
_NEW_TABLE = re.compile(r"CREATE TABLE (\S+)")
_CHECKED_AT_ONCE = re.compile(r"ALTER TABLE (\S+) ADD CONSTRAINT \S+ CHECK (?!.*NOT VALID)")
_CHANGES_ROWS = re.compile(r"(UPDATE|DELETE FROM|INSERT INTO) ")


def _reads_a_table(statements: Sequence[str], **_: Any) -> bool:
    new = {match[1] for match in map(_NEW_TABLE.match, statements) if match}
    return any(match[1] not in new for match in map(_CHECKED_AT_ONCE.match, statements) if match)


class Analyser(PostgresqlAnalyser):
    """The rules of django-migration-linter and our own rules, each with a code, a rule and a remedy."""

    migration_checks = [
        *PostgresqlAnalyser.migration_checks,
        Check(
            "ADD_CHECK",
            _reads_a_table,
            "ADD CONSTRAINT reads the whole table under a lock: AddConstraintNotValid, then ValidateConstraint",
            CheckMode.TRANSACTION,
            CheckType.ERROR,
        ),
        Check(
            "CHANGE_ROWS",
            lambda statement, **_: _CHANGES_ROWS.match(statement),
            "CHANGING rows may take long in one transaction: a management command that can be repeated is better",
            CheckMode.ONE_LINER,
            CheckType.ERROR,
        ),
        Check(
            "RUN_PYTHON",
            lambda statement, **_: "CANNOT BE WRITTEN AS SQL" in statement,
            "RUNNING Python may take long in one transaction: a management command that can be repeated is better",
            CheckMode.ONE_LINER,
            CheckType.ERROR,
        ),
    ]


def make_linter() -> MigrationLinter:
    """Return a linter that skips migrations with a reason why they are harmless."""
    linter = MigrationLinter(
        include_apps=[APP], all_warnings_as_errors=True, no_cache=True, quiet=["ok", "ignore"]
    )
    linter.sql_analyser_class = Analyser
    migrations = linter.migration_loader.disk_migrations.items()
    linter.ignore_name = [name for (_, name), migration in migrations if _is_excused(name, migration)]
    return linter


def _is_excused(name: str, migration: Migration) -> bool:
    return name <= LAST_OF_FIRST_RELEASE or bool(getattr(migration, "harmless_because", ""))


def main() -> int:
    """Print the offences of all migrations, and return the exit status: 1 if a migration is refused."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")
    django.setup()
    judge = make_linter()
    judge.lint_all_migrations()
    return 1 if judge.has_errors else 0


if __name__ == "__main__":
    sys.exit(main())
