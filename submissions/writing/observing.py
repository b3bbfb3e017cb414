"""Keeps `Observation` as the rows it is copied from. Called inside the transaction that changes these."""

from collections.abc import Iterable

from django.db import connection

from submissions.domain.judgement.reputation import Record
from submissions.evidence import sources
from submissions.models import Card
from submissions.models.measurement import RANKABLE

_TABLE = "submissions_observation"
_COPY = f"""
    DELETE FROM {_TABLE} WHERE card_id = ANY(%s);
    INSERT INTO {_TABLE} ({", ".join(column.stored for column in sources.COLUMNS)})
    SELECT {", ".join(column.made for column in sources.COLUMNS)}
    FROM submissions_card c
    JOIN submissions_variant v ON v.id = c.variant_id
    JOIN submissions_run r ON r.card_id = c.id
    JOIN submissions_submission s ON s.id = r.submission_id
    JOIN submissions_measurement x ON x.run_id = r.id
    WHERE c.id = ANY(%s) AND r.excluded = '' AND x.figure != '' AND x.verdict = ANY(%s) AND x.value > 0
"""
_KNOW = f"""
    UPDATE {_TABLE} SET stranger = 1 - stranger
    WHERE stranger != (vouched = 0 AND person != ALL(%s::bigint[]))::int
"""


def observe(cards: Iterable[Card]) -> None:
    """Copy what is believed of these cards again, which the caller holds, or has deleted."""
    pks = [card.pk for card in cards]
    with connection.cursor() as cursor:
        # Two statements in one text: possible because Django does not bind parameters on the server.
        cursor.execute(_COPY, [pks, pks, list(RANKABLE)])


def know_people(record: Record) -> None:
    """Have those with a history by this record come first. Caller must hold NAMES_LOCK alone."""
    with connection.cursor() as cursor:
        cursor.execute(_KNOW, [record.with_history.tolist()])
