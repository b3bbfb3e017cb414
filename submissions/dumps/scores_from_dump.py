"""Works the scores of a dump out again, from its files alone, with the code that worked them out first."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from submissions.domain.judgement.reputation import Record
from submissions.domain.measuring.plausibility import HELD_OUT
from submissions.domain.ranking import comparable
from submissions.dumps.description import NAME
from submissions.evidence import fits, gathering, hosts, sources, verdicts
from submissions.evidence.fits import StoredFit
from submissions.evidence.gathering import Gathered
from submissions.evidence.records import HOST_COLUMNS
from submissions.models import FigureFit, Fit, Score

# Stored numbers have nine digits.
TOLERANCE = 1e-6
_COMPARED = ("value", "lower", "upper", "bound", "cards", "runs", "submitters", "covered", "terms")
_Scores = dict[tuple[int, str, str], tuple[float, ...]]


def differences(directory: Path) -> Iterator[str]:
    """A sentence for every score that comes out otherwise than it was published.

    Raises FileNotFoundError when there is no dump.
    """
    with _opened(directory) as dump:
        repeated, published = _again(dump), _published(dump)
    for key in sorted(repeated.keys() | published.keys()):
        if not np.allclose(repeated.get(key, np.nan), published.get(key, np.nan), rtol=TOLERANCE, atol=0):
            yield f"{key}: published {published.get(key)}, worked out again {repeated.get(key)}"


def count(directory: Path) -> int:
    with _opened(directory) as dump:
        return len(_published(dump))


def _opened(directory: Path) -> duckdb.DuckDBPyConnection:
    """Every table of the dump as a view."""
    package = json.loads((directory / NAME).read_text(encoding="utf-8"))
    dump = duckdb.connect()
    for resource in package["resources"]:
        if resource["format"] == "parquet":
            path = str(directory / resource["path"]).replace("'", "''")
            dump.execute(f"CREATE VIEW \"{Path(resource['path']).stem}\" AS FROM '{path}'")
    return dump


def _again(dump: duckdb.DuckDBPyConnection) -> _Scores:
    """Scores of real models by the full fit of the dump; of simulated ones by `fits.prior_fit`."""
    scores: list[Score] = []
    for simulated, stored_fit in ((False, _stored_fit(dump)), (True, fits.prior_fit())):
        gathered = _gathered(dump, stored_fit, simulated=simulated)
        scores += verdicts.score_rows(verdicts.judge(gathered, stored_fit), simulated=simulated)
    return {
        (score.card_model_id, score.profile, score.interface): tuple(
            float(getattr(score, name)) for name in _COMPARED
        )
        for score in scores
    }


def _published(dump: duckdb.DuckDBPyConnection) -> _Scores:
    compared = ", ".join(f"s.{name}" for name in _COMPARED)
    rows = dump.execute(
        f"SELECT m.id, s.profile, s.interface, {compared} FROM scores s JOIN models m ON m.slug = s.model"
    )
    return {(pk, profile, slot): tuple(map(float, rest)) for pk, profile, slot, *rest in rows.fetchall()}


def _stored_fit(dump: duckdb.DuckDBPyConnection) -> StoredFit:
    """The full fit, or `fits.prior_fit` when none was made yet."""
    numbers, documents = "id correlation varies_below suspected_below", "standing established lines"
    of_fit = next((Fit(**row) for row in _rows(dump, "fits", numbers, documents)), None)
    if of_fit is None:
        return fits.prior_fit()
    effects = _host_effects(dump)
    figures = [
        FigureFit(**row, hosts=effects.get(row["figure"], {}))
        for row in _rows(dump, "figure_fits", "figure general", "spreads traits priors")
    ]
    return fits.from_rows(of_fit, figures, _record(dump, of_fit.established))


def _rows(
    dump: duckdb.DuckDBPyConnection, table: str, plain: str, documents: str
) -> Iterator[dict[str, Any]]:
    """Rows by column; `documents`: the columns whose text is JSON."""
    names = [*plain.split(), *documents.split()]
    for row in dump.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall():
        columns = dict(zip(names, row, strict=True))
        yield columns | {name: json.loads(columns[name]) for name in documents.split()}


def _record(dump: duckdb.DuckDBPyConnection, established: list[int]) -> Record:
    """The record of the people, numbered as `sources.DUMP_QUERY` numbers them."""
    read = dump.execute(
        "SELECT (hash(submitter) >> 1)::BIGINT AS person, model, agrees FROM standings ORDER BY 1, 2"
    ).fetchnumpy()
    person, model = (np.asarray(read[name], dtype=np.int64) for name in ("person", "model"))
    return Record(
        person, model, np.asarray(read["agrees"], dtype=bool), np.array(established, dtype=np.int64)
    )


def _host_effects(dump: duckdb.DuckDBPyConnection) -> dict[str, dict[str, list[Any]]]:
    """Figure -> host id -> [effect, variance, link]."""
    effects: dict[str, dict[str, list[Any]]] = {}
    rows = dump.execute("SELECT figure, host, effect, variance, link FROM host_effects").fetchall()
    for figure, host, *columns in rows:
        effects.setdefault(figure, {})[str(host)] = columns
    return effects


def _gathered(dump: duckdb.DuckDBPyConnection, stored_fit: StoredFit, *, simulated: bool) -> Gathered:
    parameters = {"figures": list(comparable.judged_figures()), "held_out": list(HELD_OUT)}
    read = dump.execute(sources.DUMP_QUERY, parameters | {"simulated": simulated}).fetchnumpy()
    rows = {column.name: np.asarray(read[column.name], dtype=column.kind) for column in sources.COLUMNS}
    judged = sources.mask_judged(rows)
    rows = {name: column[judged] for name, column in rows.items()}
    models = dump.execute("SELECT id, brand, line, capacity_gb FROM models").fetchall()
    names = {pk: gathering.trait_names(brand, line, capacity) for pk, brand, line, capacity in models}
    return gathering.from_columns(rows, names, stored_fit.numbers, _hosts(dump))


def _hosts(dump: duckdb.DuckDBPyConnection) -> dict[int, hosts.Described]:
    rows = dump.execute(f"SELECT {', '.join(HOST_COLUMNS)} FROM hosts").fetchall()
    return {pk: hosts.describe_host(tuple(columns)) for pk, *columns in rows}
