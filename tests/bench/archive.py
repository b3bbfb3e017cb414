"""Measure queries over more rows than one PostgreSQL holds: Parquet files by year, read by DuckDB.

    ROWS=80000000 python -m tests.bench archive

The files are stored as they would be in object storage: ten years, each written once and sorted by model. For each
query it prints the time, and the bytes and row groups to fetch, on which price and delay depend there. Values are
invented; their columns are those of a data dump.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from tests.bench.live import say, time_call

ROWS = int(os.environ.get("ROWS") or 8_000_000)
YEARS, MODELS, FIGURES, PER_RUN = 10, 20_000, 16, 40
PER_GROUP = 122_880
_MADE_UP = f"""
    SELECT (n / {PER_RUN})::BIGINT AS run, (hash(n / {PER_RUN} // 1) % {MODELS})::INTEGER AS model,
        (n % {FIGURES})::UTINYINT AS figure, round(exp(10 + (hash(n) % 8000) / 1000), 1)::DOUBLE AS value,
        (hash(n + 1) % 50000)::INTEGER AS person
    FROM range({{first}}, {{last}}) AS rows(n) ORDER BY model, figure"""


def main() -> None:
    with TemporaryDirectory() as folder, duckdb.connect(config={"memory_limit": "2GB"}) as database:
        database.execute(f"SET temp_directory = '{folder}/spill'")
        root = Path(folder)
        seconds = time_call(lambda: _write(database, root))
        files = f"read_parquet('{root}/*/*.parquet', hive_partitioning = true)"
        size = sum(file.stat().st_size for file in root.rglob("*.parquet"))
        say(
            f"{ROWS:,} measurements of {YEARS} years written in {seconds:.0f} s: {size / ROWS:.1f} bytes each"
        )
        one = MODELS // 3
        _ask(database, root, "every measurement of a model", f"FROM {files} WHERE model = {one}", model=one)
        _ask(
            database,
            root,
            "one year of a model",
            f"FROM {files} WHERE model = {one} AND year = 3",
            model=one,
            year=3,
        )
        _ask(
            database,
            root,
            "number, mean and spread of each figure of each model",
            f"SELECT model, figure, count(*), avg(ln(value)), stddev(ln(value)) FROM {files} GROUP BY ALL",
        )


def _write(database: duckdb.DuckDBPyConnection, root: Path) -> None:
    for year in range(YEARS):
        folder = root / f"year={year}"
        folder.mkdir()
        rows = _MADE_UP.format(first=year * ROWS // YEARS, last=(year + 1) * ROWS // YEARS)
        database.execute(
            f"COPY ({rows}) TO '{folder}/measurements.parquet' "
            f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {PER_GROUP})"
        )


def _ask(
    database: duckdb.DuckDBPyConnection,
    root: Path,
    title: str,
    query: str,
    *,
    model: int | None = None,
    year: int | None = None,
) -> None:
    seconds = min(time_call(lambda: database.execute(query).fetchnumpy()) for _ in range(3))
    groups, size = _to_fetch(database, root, model, year)
    say(f"  {title}: {seconds * 1000:,.0f} ms; {size / 1e6:,.1f} MB in {groups:,} row groups to fetch")


def _to_fetch(
    database: duckdb.DuckDBPyConnection, root: Path, model: int | None, year: int | None
) -> tuple[int, int]:
    """Return the number of row groups that may match, and the bytes of their columns, by the files' footers."""
    files = f"{root}/year={'*' if year is None else year}/*.parquet"
    rows = database.execute(
        "WITH parts AS (SELECT file_name, row_group_id, sum(total_compressed_size) AS size, "
        "  max(CASE path_in_schema WHEN 'model' THEN stats_min_value::INTEGER END) AS low, "
        "  max(CASE path_in_schema WHEN 'model' THEN stats_max_value::INTEGER END) AS high "
        "  FROM parquet_metadata(?) GROUP BY ALL) "
        "SELECT count(*), coalesce(sum(size), 0)::BIGINT FROM parts WHERE ? IS NULL OR ? BETWEEN low AND high",
        [files, model, model],
    ).fetchone()
    assert rows
    return rows
