"""Keeps `Observation` as the rows it is copied from. Called inside the transaction that changes these."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import connection

from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.judgement.reputation import Record
from submissions.evidence import sources
from submissions.models import Card
from submissions.models.measurement import RANKABLE
from submissions.sql import bulk

_TABLE = "submissions_observation"
# The copies have the keys of what was there: the insertion asks how much was deleted, so all of it is deleted first.
_COPY = f"""
    WITH lost AS (DELETE FROM {_TABLE} WHERE card_id = ANY(%s) RETURNING card_model_id),
    copied AS (
        INSERT INTO {_TABLE} ({", ".join(column.stored for column in sources.COLUMNS)})
        SELECT {", ".join(column.made for column in sources.COLUMNS)}
        FROM submissions_card c
        JOIN submissions_variant v ON v.id = c.variant_id
        JOIN submissions_run r ON r.card_id = c.id
        JOIN submissions_submission s ON s.id = r.submission_id
        JOIN submissions_measurement x ON x.run_id = r.id
        WHERE (SELECT count(*) FROM lost) >= 0
        AND c.id = ANY(%s) AND r.excluded = '' AND x.figure != '' AND x.verdict = ANY(%s) AND x.value > 0
    )
    SELECT DISTINCT card_model_id FROM lost
"""
_UPDATE_STRANGERS = f"""
    UPDATE {_TABLE} SET stranger = 1 - stranger
    WHERE stranger != (vouched = 0 AND person != ALL(%s::bigint[]))::int
"""
# Of each new row it counts those whose turn comes before, as far as they are judged.
_JUDGED = f"""
    SELECT DISTINCT card_model_id FROM {_TABLE} o WHERE card_id = ANY(%s) AND card_model_id = ANY(%s) AND (
        SELECT count(*) FROM (
            SELECT FROM {_TABLE} b WHERE b.card_model_id = o.card_model_id AND b.figure = o.figure
            AND (b.stranger, b.turn, b.lot) < (o.stranger, o.turn, o.lot) LIMIT {DEFAULTS.most_values}
        ) AS before
    ) < {DEFAULTS.most_values}
"""


@dataclass(frozen=True, slots=True)
class Observed:
    """Cards of which what is believed was copied, and the ids of models that lost some of it."""

    cards: Collection[int]
    lost: Collection[int]

    def judged_otherwise(self, models: Collection[int]) -> set[int]:
        """Those of these models of which other values are judged than before: of many, those that come last are not.
        One query. Caller must hold the models: what another worker takes away may let these values move up."""
        rows = bulk.asked(_JUDGED, [list(self.cards), list(models)]) if models else ()
        return {*self.lost, *(model for (model,) in rows)}.intersection(models)


def observe(cards: Iterable[Card]) -> Observed:
    """Copy what is believed of these cards again, which the caller holds, or has deleted."""
    pks = [card.pk for card in cards]
    lost = bulk.asked(_COPY, [pks, pks, list(RANKABLE)])
    return Observed(pks, {model for (model,) in lost})


def update_strangers(record: Record) -> None:
    """Mark values of people whom this record does not trust. Caller must hold NAMES_LOCK exclusively."""
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE_STRANGERS, [record.trusted_people.tolist()])
