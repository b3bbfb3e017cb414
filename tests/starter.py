"""Load the starter data: the first test process of a run processes it, and the others copy its rows."""

import fcntl
import pickle
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from django.core.management import call_command
from django.db import connection, transaction

from tests.conftest import PROJECT

STARTER = PROJECT / "submissions" / "starter"
REPORTS, TABLES = sorted(STARTER.glob("*.jsonl")), sorted((STARTER / "published").glob("*.csv*"))
OFFERS = STARTER / "offers_dated.csv"
# Migrations fill these tables.
_MADE = {"django_migrations", "django_content_type", "auth_permission"}
_NEXT = "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), (SELECT max({column}) FROM {table}))"


def load(kept: Path) -> None:
    """Load the starter data into an empty database, from the file `kept` if another test process has written it."""
    with kept.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if content := file.read():
            _restore(pickle.loads(content))
        else:
            call_command("load_reports", *map(str, REPORTS), "--here", stdout=StringIO())
            call_command("import_table", *map(str, TABLES), "--here", stdout=StringIO())
            call_command("import_offers", str(OFFERS), stdout=StringIO())
            file.write(pickle.dumps(dict(_rows())))


def _rows() -> Iterator[tuple[str, bytes]]:
    with connection.cursor() as cursor:
        for table in sorted({*connection.introspection.django_table_names()} - _MADE):
            with cursor.copy(f"COPY {table} TO STDOUT") as copied:
                if content := b"".join(copied):
                    yield table, content


def _restore(rows: dict[str, bytes]) -> None:
    # PostgreSQL checks foreign keys at the end of the transaction.
    with transaction.atomic(), connection.cursor() as cursor:
        for table, content in rows.items():
            with cursor.copy(f"COPY {table} FROM STDIN") as copied:
                copied.write(content)
            for sequence in connection.introspection.get_sequences(cursor, table):
                cursor.execute(_NEXT.format(**sequence))
