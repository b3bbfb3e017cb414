"""Write a dump: PostgreSQL streams each table as CSV, DuckDB converts that file to JSON Lines and Parquet.

Memory holds only a few buffers, however long a table is. All tables are read in one transaction, so that they are
consistent.
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
# Limits of DuckDB: its memory, and the part of a CSV file that it reads at once. A row must fit into it.
_MEMORY, _BUFFER_BYTES = "128MB", 4_194_304
_ROWS_PER_GROUP = 20_480


def write_dump(folder: Path, *, previous: Mapping[str, str] | None, secret: str) -> str:
    """Write a dump into an empty folder, and return the version of the dump, which is the time in UTC.

    `previous`: version and checksum of the dump before; `secret`: key of the signature, "" for no signature.
    """
    made_at = datetime.now(UTC)
    version = made_at.strftime(VERSION)
    with replica.reading_from_replica():
        files = list(_files(folder))
    description.write_description(folder, files, made_at=made_at, previous=previous)
    seal.seal_folder(folder, {file.name: file.sha256 for file in files}, secret=secret, comment=version)
    return version


def _files(directory: Path) -> Iterator[File]:
    pseudonyms = _pseudonym_sql()
    counts: dict[str, int] = {}
    alias = replica.reading_alias()
    with transaction.atomic(using=alias, durable=True), connections[alias].cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for table in TABLES:
            path = directory / f"{table.name}.csv.gz"
            counts[table.name] = (
                _write_rows(path, table) if table.rows else _stream(cursor, path, table, pseudonyms)
            )
    with _open_converter(directory) as database:
        for table in TABLES:
            _convert(database, directory, table)
            for kind, name in formats(table):
                path = directory / name
                yield File(table, kind, name, counts[table.name], path.stat().st_size, seal.sha256(path))


def formats(table: Table) -> tuple[tuple[str, str], ...]:
    """Return each format of a table of a dump with the name of the file: csv, jsonl, parquet."""
    return (
        ("csv", f"{table.name}.csv.gz"),
        ("jsonl", f"{table.name}.jsonl.gz"),
        ("parquet", f"{table.name}.parquet"),
    )


def _pseudonym_sql() -> dict[str, str]:
    salt = secrets.token_hex(32)  # forgotten after this dump, so that no pseudonym can be traced back
    hashed = f"left(encode(sha256(convert_to('{salt}' || {{}}, 'UTF8')), 'hex'), 16)"
    return {"{pseudonym}": hashed.format("s.submitter"), "{network}": hashed.format("s.network::text")}


def _stream(cursor: Any, path: Path, table: Table, pseudonyms: Mapping[str, str]) -> int:
    columns = ", ".join(f'{_expression(column)} AS "{column.name}"' for column in table.columns)
    query = f"SELECT {columns} FROM {table.source}"
    for name, sql in pseudonyms.items():
        query = query.replace(name, sql)
    with _open_gzip(path) as file, cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT csv, HEADER)") as rows:
        for piece in rows:
            file.write(piece)
    return int(cursor.rowcount)


def _expression(column: Column) -> str:
    # ISO 8601 in UTC; true and false in full, because a Data Package knows no others.
    if column.kind is BOOLEAN:
        return f"({column.sql})::text"
    if column.kind is TIME:
        return f"to_char({column.sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
    return column.sql


def _write_rows(path: Path, table: Table) -> int:
    # In the same form as PostgreSQL: "" is quoted, null is empty.
    assert table.rows is not None
    count = 0
    with _open_gzip(path) as file, TextIOWrapper(file, encoding="utf-8", newline="") as text:
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
def _open_gzip(path: Path) -> Iterator[gzip.GzipFile]:
    # Without a name and a time in the header the same rows give the same bytes.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", _GZIP_LEVEL, raw, mtime=0) as file:
        yield file


@contextmanager
def _open_converter(directory: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    # One for all tables: DuckDB takes longer to start than to convert a small table.
    spill = directory / ".spill"
    limits: dict[str, Any] = {"threads": 1, "memory_limit": _MEMORY, "temp_directory": str(spill)}
    with duckdb.connect(config=limits) as database:
        database.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        yield database
    shutil.rmtree(spill, ignore_errors=True)


def _convert(database: duckdb.DuckDBPyConnection, directory: Path, table: Table) -> None:
    csv_file, jsonl_file, parquet_file = (directory / name for _, name in formats(table))
    database.execute(
        f"COPY (FROM {read_csv(csv_file, table)}) TO {_quote(parquet_file)} "
        f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROWS_PER_GROUP})"
    )
    database.execute(
        f"COPY (FROM {read_csv(csv_file, table, time='VARCHAR')}) TO {_quote(jsonl_file)} "
        "(FORMAT json, COMPRESSION gzip)"
    )


def read_csv(path: Path, table: Table, *, time: str = TIME.duckdb) -> str:
    """Return DuckDB's expression for the rows of a CSV file. `time`: the type of DuckDB for columns of times."""
    kinds = ((column.name, time if column.kind is TIME else column.kind.duckdb) for column in table.columns)
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in kinds)
    form = """auto_detect = false, header = true, delim = ',', quote = '"', escape = '"', new_line = '\\n'"""
    nulls = f"nullstr = '', allow_quoted_nulls = false, buffer_size = {_BUFFER_BYTES}"
    return f"read_csv({_quote(path)}, {form}, {nulls}, columns = {{{types}}})"


def _quote(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
