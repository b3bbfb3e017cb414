"""Define the columns of the evidence, the input of the estimation, with a row for each believable figure of a run.

COLUMNS says for each column from where `writing.observing` copies it into `Observation`, and how to read it from a
dump. The estimation reads only `Observation`, and at most MOST_VALUES rows for each figure of a model, so that one
more report of a popular card costs no more than the first. Rows of trusted people come first. Among these, the first
run of each card comes before the second of any, in the order of the keys of the cards, which no submitter can choose.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from submissions.domain.estimation.evidence import Mask
from submissions.domain.estimation.people import KNOWN_SQL
from submissions.domain.measuring.metrics import FIGURES
from submissions.sql import bulk, columns

Columns = dict[str, Any]


class Column(NamedTuple):
    """A column of the evidence.

    `stored` is its name in Observation. `made` is the SQL that computes it, with the aliases r run, x measurement, s
    submission, c card, v variant. `dump` is the same in DuckDB's SQL, for the tables of `DUMP_QUERY`. `kind`
    is the column's NumPy type.
    """

    name: str
    stored: str
    made: str
    dump: str
    kind: str = "i8"


PERSON = "hashtextextended(s.submitter, 0)"
# Standings of the submitter in the last full fit.
_STANDINGS = f"""submissions_standing p
    WHERE p.fit_id = (SELECT max(id) FROM submissions_fit) AND p.person = {PERSON}"""
_IN_TURN = "row_number() OVER (PARTITION BY {card}, x.figure ORDER BY {submission}, x.position)"
# Reports that the operator loaded have no week: their time of arrival says nothing about their senders.
_SENT_WEEK = "CASE WHEN {0}.vouched OR {0}.channel IN ('bulk', 'mail') THEN -1 ELSE {1} END"
# The middle of the time that the source allows, as Run.ran_at.
_MIDDLE = "r.started_at + (r.started_by - r.started_at) / 2"
_STARTED = f"coalesce({_MIDDLE}, r.started_at, r.started_by) AT TIME ZONE 'UTC'"
_MONTH = f"coalesce(12 * extract(year FROM {_STARTED}) + extract(month FROM {_STARTED}) - 1, 0)::int"
COLUMNS = (
    Column("figure", "figure", "x.figure", "list_position($figures, x.figure) - 1"),
    Column("model", "card_model_id", "v.card_model_id", "m.id"),
    Column(
        "untrusted",
        "untrusted",
        f"(NOT s.vouched AND NOT (SELECT {KNOWN_SQL} FROM {_STANDINGS}))::int",
        f"(NOT r.vouched AND NOT (SELECT {KNOWN_SQL} FROM standings p WHERE p.submitter = r.submitter))::INT",
    ),
    Column(
        "turn",
        "turn",
        _IN_TURN.format(card="c.id", submission="s.id"),
        _IN_TURN.format(card="c.key", submission="r.number"),
    ),
    Column(
        "lot",
        "lot",
        "('x0' || left(c.key, 15))::bit(64)::bigint",
        "('0x' || left(c.key, 15))::BIGINT",
    ),
    Column(
        "signature",
        "signature",
        "CASE WHEN v.mid IS NULL THEN -1 ELSE v.id END",
        "CASE WHEN v.mid IS NULL THEN -1 ELSE v.id END",
    ),
    Column("card", "card_id", "c.id", "dense_rank() OVER (ORDER BY c.key)"),
    Column("host", "host_id", "r.host_id", "r.host"),
    Column("submission", "submission_id", "s.id", "r.number"),
    Column("submitter", "person", PERSON, "(hash(r.submitter) >> 1)::BIGINT"),
    Column("vouched", "vouched", "s.vouched::int", "r.vouched::INT"),
    Column(
        "network",
        "network",
        "coalesce(s.network, -1)",
        "CASE WHEN r.network IS NULL THEN -1 ELSE (hash(r.network) >> 1)::BIGINT END",
    ),
    Column(
        "week",
        "week",
        _SENT_WEEK.format("s", "floor(extract(epoch FROM s.received_at) / 604800)::int"),
        _SENT_WEEK.format("r", "epoch_us(r.received_at) // 604800000000"),
    ),
    Column("month", "month", _MONTH, _MONTH),
    Column("amount", "value", "x.value", "x.value", "f8"),
)
_TYPES = {column.name: column.kind for column in COLUMNS}

# Further columns of DUMP_QUERY: the registers of the card.
DUMP_SILICON = ("bus", "mid", "oid", "pnm", "prv", "manufactured")
# Parameters: `figures`, `held_out` (verdicts of values that do not count) and `simulated`.
DUMP_QUERY = f"""
    SELECT {", ".join(f"{column.dump} AS {column.name}" for column in COLUMNS)}, {", ".join(DUMP_SILICON)}
    FROM measurements x
    JOIN runs r ON r.id = x.run
    JOIN cards c ON c.key = r.card
    JOIN variants v ON v.id = c.variant
    JOIN models m ON m.slug = v.model
    WHERE NOT list_contains($held_out, x.verdict) AND x.value > 0 AND list_contains($figures, x.figure)
        AND r.not_ranked = '' AND m.simulated = $simulated
"""
# At most so many values of one figure of a model are judged: the first in this order.
MOST_VALUES, _ORDER = 120, ("untrusted", "turn", "lot")
_IN_ORDER = ", ".join(_ORDER)
_FIGURES = "unnest(%s::text[]) WITH ORDINALITY AS f (name, place)"
_READ = ", ".join(
    "place - 1" if column.name == "figure" else f"o.{column.stored}{'::bigint' * (column.kind == 'i8')}"
    for column in COLUMNS
)
_OF_MODELS = f"""
    SELECT {_READ} FROM unnest(%s::bigint[]) AS m (id), {_FIGURES}, LATERAL (
        SELECT * FROM submissions_observation WHERE card_model_id = m.id AND figure = f.name
        ORDER BY {_IN_ORDER} LIMIT {MOST_VALUES}
    ) AS o
"""
_OF_ALL = f"""
    SELECT {_READ} FROM submissions_observation o
    JOIN {_FIGURES} ON f.name = o.figure JOIN submissions_cardmodel m ON m.id = o.card_model_id AND NOT m.simulated
"""
_MODELS_JUDGED_BY = f"""
    SELECT DISTINCT card_model_id FROM submissions_observation o
    WHERE card_id = ANY(%s) AND card_model_id = ANY(%s) AND ({_IN_ORDER}) <= ALL (
        SELECT {_IN_ORDER} FROM submissions_observation
        WHERE card_model_id = o.card_model_id AND figure = o.figure
        ORDER BY {_IN_ORDER} OFFSET {MOST_VALUES - 1} LIMIT 1
    )
"""


def load_models(models: Sequence[int], figures: Sequence[str]) -> Columns:
    """Load the values that are used to estimate these models; a figure is its number in `figures`. One query."""
    return columns.fetch(_OF_MODELS, [list(models), list(figures)], _TYPES, in_parts=False)


def load_all(figures: Sequence[str]) -> Columns:
    """Load every believable value of all real models; a figure is its number in `figures`. One query."""
    return columns.fetch(_OF_ALL, [list(figures)], _TYPES)


def find_judged_models(cards: Sequence[int], models: Sequence[int]) -> set[int]:
    """Return the ids of `models` with an estimate that uses a value of one of the `cards`; one query."""
    return {model for (model,) in bulk.fetch_rows(_MODELS_JUDGED_BY, [cards, models])}


def mask_judged(rows: Columns) -> Mask:
    """Return a mask of the rows that estimates use; `rows` are the rows of all models, from the database or a dump."""
    group = rows["model"] * len(FIGURES) + rows["figure"]
    _, number, count = np.unique(group, return_inverse=True, return_counts=True)
    kept = (count <= MOST_VALUES)[number.reshape(-1)]
    crowded = np.flatnonzero(~kept)
    keys = (*(rows[name] for name in reversed(_ORDER)), group)
    order = crowded[np.lexsort([key[crowded] for key in keys])]
    starts = np.searchsorted(group[order], group[order])
    kept[order] = np.arange(len(order)) - starts < MOST_VALUES
    return kept
