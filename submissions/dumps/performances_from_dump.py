"""Estimate the performances of models again from the files of a dump, and compare them with the published ones."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from submissions.domain.estimation.people import PersonRecord
from submissions.domain.measuring.plausibility import HELD_OUT
from submissions.domain.ranking.catalogue import make_catalogue
from submissions.dumps.description import NAME, list_files
from submissions.evidence import abilities, crowds, hosts, observations, performances, sources
from submissions.evidence.abilities import Judged, Silicons
from submissions.evidence.crowds import StoredCrowd
from submissions.evidence.records import HOST_COLUMNS
from submissions.evidence.sources import Columns
from submissions.models import Performance

TOLERANCE = 1e-6
_ARRAYS = ("means", "sds", "card_sds", "origins")
# The arrays and the document of each model and slot.
_Performances = dict[tuple[int, str], tuple[list[list[float]], dict[str, Any]]]


def find_differences(directory: Path) -> Iterator[str]:
    """Yield a sentence for each performance in a dump that does not follow from the measurements in the dump.

    Raise FileNotFoundError if there is no dump.
    """
    with open_dump(directory) as dump:
        repeated, published = _repeat(dump), _read_published(dump)
    for key in sorted(repeated.keys() | published.keys()):
        if key not in repeated or key not in published or not _are_equal(repeated[key], published[key]):
            yield f"{key}: published {published.get(key)}, estimated again {repeated.get(key)}"


def count_performances(directory: Path) -> int:
    """Return the number of performances in a dump."""
    with open_dump(directory) as dump:
        return len(_read_published(dump))


def open_dump(directory: Path) -> duckdb.DuckDBPyConnection:
    """Open a dump as a DuckDB database with a view for each table."""
    package = json.loads((directory / NAME).read_text(encoding="utf-8"))
    dump = duckdb.connect()
    for resource in list_files(package):
        if resource["format"] == "parquet":
            path = str(directory / resource["path"]).replace("'", "''")
            dump.execute(f"CREATE VIEW \"{Path(resource['path']).stem}\" AS FROM '{path}'")
    return dump


def _are_equal(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    arrays = zip(one[0], other[0], strict=True)
    same = all(np.allclose(*pair, rtol=0, atol=TOLERANCE, equal_nan=True) for pair in arrays)
    return same and one[1].keys() == other[1].keys()


def _repeat(dump: duckdb.DuckDBPyConnection) -> _Performances:
    rows: list[Performance] = []
    for simulated, stored in ((False, _stored_crowd(dump)), (True, crowds.make_prior())):
        judged = _judge(dump, stored, simulated=simulated)
        rows += performances.performance_rows(judged, simulated=simulated)
    return {
        (row.card_model_id, row.slot): ([_with_nan(getattr(row, name)) for name in _ARRAYS], row.abilities)
        for row in rows
    }


def _read_published(dump: duckdb.DuckDBPyConnection) -> _Performances:
    arrays = ", ".join(f"p.{name}" for name in _ARRAYS)
    rows = dump.execute(
        f"SELECT m.id, p.slot, p.abilities, {arrays} FROM performances p JOIN models m ON m.slug = p.model"
    ).fetchall()
    return {
        (pk, slot): (list(map(_with_nan, columns)), json.loads(document))
        for pk, slot, document, *columns in rows
    }


def _with_nan(values: list[float | None]) -> list[float]:
    return [np.nan if value is None else float(value) for value in values]


def _stored_crowd(dump: duckdb.DuckDBPyConnection) -> StoredCrowd:
    rows = dump.execute("SELECT id, crowd FROM fits").fetchall()
    fits = (crowds.from_document(pk, json.loads(document), _read_record(dump)) for pk, document in rows)
    return next(fits, crowds.make_prior())


def _read_record(dump: duckdb.DuckDBPyConnection) -> PersonRecord:
    # People are numbered as in `sources.DUMP_QUERY`.
    query = "SELECT (hash(submitter) >> 1)::BIGINT AS person, model, agrees FROM standings"
    read = dump.execute(query).fetchnumpy()
    person, model = (np.asarray(read[name], dtype=np.int64) for name in ("person", "model"))
    return crowds.sort_record(PersonRecord(person, model, np.asarray(read["agrees"], dtype=bool)))


def _judge(dump: duckdb.DuckDBPyConnection, stored: StoredCrowd, *, simulated: bool) -> Judged:
    parameters = {"figures": list(make_catalogue().methods), "held_out": list(HELD_OUT)}
    rows = dict(dump.execute(sources.DUMP_QUERY, parameters | {"simulated": simulated}).fetchnumpy())
    for column in sources.COLUMNS:
        rows[column.name] = np.asarray(rows[column.name], dtype=column.kind)
    judged = sources.mask_judged(rows)
    rows = {name: column[judged] for name, column in rows.items()}
    described = {
        pk: hosts.describe_host(tuple(columns))
        for pk, *columns in dump.execute(f"SELECT {', '.join(HOST_COLUMNS)} FROM hosts").fetchall()
    }
    silicons = _count_silicons(rows)
    columns = {column.name: rows[column.name] for column in sources.COLUMNS}
    return abilities.judge(observations.from_columns(columns, described, stored.numbers), stored, silicons)


def _count_silicons(rows: Columns) -> Silicons:
    _, first = np.unique(rows["card"], return_index=True)
    fields = [np.ma.array(rows[name])[first].tolist() for name in sources.DUMP_SILICON]
    cards = zip(rows["model"][first].tolist(), *fields, strict=True)
    known = [(model, bus, mid, *rest, 1) for model, bus, mid, *rest in cards if mid is not None]
    return abilities.count_silicons(known)
