"""The columns of the evidence, a row for each believable figure, and where each column is read: one line a column.

From the database by COPY (`measured`), from records that are at hand (`of_records`), and from a dump (`DUMP_QUERY`).
All three must give the same evidence, so no column is read anywhere else.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import BigIntegerField, Case, Expression, F, Value, When
from django.db.models.functions import Cast

from submissions.domain.ranking import comparable
from submissions.evidence.records import KnownRun, Records, submitter_number
from submissions.models import Measurement
from submissions.sql import columns as copying

Columns = dict[str, Any]
_NUMBER = BigIntegerField()


@dataclass(frozen=True, slots=True)
class Column:
    """`kind` as NumPy names it. `orm`: read from Measurement; `dump`: from the tables of `DUMP_QUERY`, in DuckDB's SQL;
    `of_run`: from a run at hand, None for what each measurement of it has for itself."""

    name: str
    kind: str
    orm: Expression | F
    dump: str
    of_run: Callable[[KnownRun], int] | None = None


def figure_number() -> Expression:
    """Place of the column `figure` among `comparable.judged_figures`."""
    names = (When(figure=name, then=Value(at)) for at, name in enumerate(comparable.judged_figures()))
    return Cast(Case(*names, output_field=_NUMBER), _NUMBER)


def _signature() -> Expression:
    """Id of the variant, -1 where no register told it."""
    seen = When(run__card__variant__mid__isnull=False, then=F("run__card__variant_id"))
    return Cast(Case(seen, default=Value(-1), output_field=_NUMBER), _NUMBER)


def _signature_of(run: KnownRun) -> int:
    return -1 if run.card.variant.mid is None else run.card.variant.pk


COLUMNS = (
    Column("figure", "i8", figure_number(), "list_position($figures, x.figure) - 1"),
    Column(
        "model",
        "i8",
        F("run__card__variant__card_model_id"),
        "m.id",
        lambda run: run.card.variant.card_model_id,
    ),
    Column("signature", "i8", _signature(), "CASE WHEN v.mid IS NULL THEN -1 ELSE v.id END", _signature_of),
    Column("card", "i8", F("run__card_id"), "dense_rank() OVER (ORDER BY c.key)", lambda run: run.card.pk),
    Column("host", "i8", F("run__host_id"), "r.host", lambda run: run.host.pk),
    Column("submission", "i8", F("run__submission_id"), "r.number", lambda run: run.submission),
    Column(
        "submitter",
        "i8",
        submitter_number("run__submission__submitter"),
        "dense_rank() OVER (ORDER BY r.submitter)",
        lambda run: run.submitter,
    ),
    Column("amount", "f8", F("value"), "x.value"),
)

# Parameters: `figures`, `held_out` (verdicts of what counts for nothing) and `simulated`.
DUMP_QUERY = f"""
    SELECT {", ".join(f"{column.dump} AS {column.name}" for column in COLUMNS)}
    FROM measurements x
    JOIN runs r ON r.id = x.run
    JOIN cards c ON c.key = r.card
    JOIN variants v ON v.id = c.variant
    JOIN models m ON m.slug = v.model
    WHERE NOT list_contains($held_out, x.verdict) AND x.value > 0 AND list_contains($figures, x.figure)
        AND r.not_ranked = '' AND m.simulated = $simulated
"""


def measured(**which: object) -> Columns:
    """The columns of all believable figures that match these look-ups; one query."""
    rows = Measurement.objects.rankable().filter(
        value__gt=0, figure__in=list(comparable.judged_figures()), **which
    )
    expressions = [column.orm for column in COLUMNS]
    return copying.columns(
        rows.order_by().values_list(*expressions), {column.name: column.kind for column in COLUMNS}
    )


def of_records(records: Sequence[Records]) -> Columns:
    """The columns of all believable figures of models whose records are at hand; makes no query."""
    parts = [part for of_model in records for part in _parts(of_model)]
    return {
        column.name: np.concatenate([np.zeros(0, column.kind), *(part[column.name] for part in parts)])
        for column in COLUMNS
    }


def _parts(records: Records) -> Iterator[Columns]:
    """The columns of each figure of a model."""
    of_runs = {
        column.name: np.array([column.of_run(run) for run in records.runs], column.kind)
        for column in COLUMNS
        if column.of_run
    }
    for number, name in enumerate(comparable.judged_figures()):
        if figure := records.measured.get(name):
            counts = figure.believed & (figure.value > 0)
            run = figure.run[counts]
            own = {"figure": np.full(len(run), number), "amount": figure.value[counts]}
            yield own | {column: values[run] for column, values in of_runs.items()}
