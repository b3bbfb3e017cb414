"""Writes a dump: PostgreSQL streams each table as CSV, DuckDB makes JSON Lines and Parquet of that file.

Nothing is held in memory but a few buffers, however long a table is. All tables are read in one transaction, so they
fit together.
"""

import gzip
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import duckdb
from django.db import connections, transaction

from submissions.dumps import description, seal
from submissions.dumps.description import File
from submissions.dumps.dump_tables import BOOLEAN, TABLES, TIME, Column, Table
from submissions.dumps.store import VERSION
from submissions.sql import replica

_GZIP_LEVEL = 5
# Of DuckDB: as much as it may hold, and how much of a CSV file it looks at in one go. A row must fit into it.
_MEMORY, _BUFFER_BYTES = "128MB", 4_194_304
_ROWS_PER_GROUP = 20_480


def write(folder: Path, *, previous: Mapping[str, str] | None, secret: str) -> str:
    """Write a dump into an empty folder; return its version, the time.

    It names the `previous` one by version and checksum, and is signed with `secret`, if there is one.
    """
    made_at = datetime.now(UTC)
    version = made_at.strftime(VERSION)
    with replica.reading_from_replica():
        files = list(_files(folder))
    description.write(folder, files, made_at=made_at, previous=previous)
    seal.close(folder, {file.name: file.sha256 for file in files}, secret=secret, comment=version)
    return version


def _files(directory: Path) -> Iterator[File]:
    pseudonyms = _pseudonyms()
    counts: dict[str, int] = {}
    alias = replica.reading_alias()
    with transaction.atomic(using=alias, durable=True), connections[alias].cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for table in TABLES:
            path = directory / f"{table.name}.csv.gz"
            counts[table.name] = (
                _write_rows(path, table) if table.rows else _stream(cursor, path, table, pseudonyms)
            )
    with _converter(directory) as database:
        for table in TABLES:
            _convert(database, directory, table)
            for kind, name in formats(table):
                path = directory / name
                yield File(table, kind, name, counts[table.name], path.stat().st_size, seal.sha256(path))


def formats(table: Table) -> tuple[tuple[str, str], ...]:
    """Every format with the name of its file."""
    return (
        ("csv", f"{table.name}.csv.gz"),
        ("jsonl", f"{table.name}.jsonl.gz"),
        ("parquet", f"{table.name}.parquet"),
    )


def _pseudonyms() -> dict[str, str]:
    """SQL for the submitter and the network of `s`: hashes with a key that is forgotten with this dump."""
    salt = secrets.token_hex(32)
    hashed = f"left(encode(sha256(convert_to('{salt}' || {{}}, 'UTF8')), 'hex'), 16)"
    return {"{pseudonym}": hashed.format("s.submitter"), "{network}": hashed.format("s.network::text")}


def _stream(cursor: Any, path: Path, table: Table, pseudonyms: Mapping[str, str]) -> int:
    """PostgreSQL's own CSV into a packed file -> number of rows."""
    columns = ", ".join(f'{_expression(column)} AS "{column.name}"' for column in table.columns)
    query = f"SELECT {columns} FROM {table.source}"
    for name, sql in pseudonyms.items():
        query = query.replace(name, sql)
    with _packed(path) as file, cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT csv, HEADER)") as rows:
        for piece in rows:
            file.write(piece)
    return int(cursor.rowcount)


def _expression(column: Column) -> str:
    """Times in UTC, as ISO 8601 writes them; true and false in full, because a Data Package knows no others."""
    if column.kind is BOOLEAN:
        return f"({column.sql})::text"
    if column.kind is TIME:
        return f"to_char({column.sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
    return column.sql


def _write_rows(path: Path, table: Table) -> int:
    """What the code knows, in the same form: "" is quoted, null is nothing."""
    assert table.rows is not None
    count = 0
    with _packed(path) as file, TextIOWrapper(file, encoding="utf-8", newline="") as text:
        text.write(",".join(column.name for column in table.columns) + "\n")
        for row in table.rows():
            text.write(",".join(map(_cell, row)) + "\n")
            count += 1
    return count


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    return str(value).lower() if isinstance(value, bool) else repr(value)


@contextmanager
def _packed(path: Path) -> Iterator[gzip.GzipFile]:
    """Without name and time in it, the same rows are the same bytes."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", _GZIP_LEVEL, raw, mtime=0) as file:
        yield file


@contextmanager
def _converter(directory: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB with little memory, for all tables: to start it takes longer than to convert a small one."""
    spill = directory / ".spill"
    limits: dict[str, Any] = {"threads": 1, "memory_limit": _MEMORY, "temp_directory": str(spill)}
    with duckdb.connect(config=limits) as database:
        database.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        yield database
    shutil.rmtree(spill, ignore_errors=True)


def _convert(database: duckdb.DuckDBPyConnection, directory: Path, table: Table) -> None:
    """JSON Lines and Parquet of the CSV, piece by piece."""
    csv_file, jsonl_file, parquet_file = (directory / name for _, name in formats(table))
    database.execute(
        f"COPY (FROM {read_csv(csv_file, table)}) TO {_quoted(parquet_file)} "
        f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROWS_PER_GROUP})"
    )
    database.execute(
        f"COPY (FROM {read_csv(csv_file, table, time='VARCHAR')}) TO {_quoted(jsonl_file)} "
        "(FORMAT json, COMPRESSION gzip)"
    )


def read_csv(path: Path, table: Table, *, time: str = TIME.duckdb) -> str:
    """DuckDB's expression for the rows of a CSV file, with their types; JSON writes times as they stand."""
    kinds = ((column.name, time if column.kind is TIME else column.kind.duckdb) for column in table.columns)
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in kinds)
    form = """auto_detect = false, header = true, delim = ',', quote = '"', escape = '"', new_line = '\\n'"""
    nulls = f"nullstr = '', allow_quoted_nulls = false, buffer_size = {_BUFFER_BYTES}"
    return f"read_csv({_quoted(path)}, {form}, {nulls}, columns = {{{types}}})"


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
