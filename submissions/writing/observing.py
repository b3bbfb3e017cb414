"""Copy believable values into `Observation`, in the same transaction as the change of the rows they come from."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import connection

from submissions.domain.estimation.people import PersonRecord
from submissions.evidence import sources
from submissions.models import Card
from submissions.models.measurement import RANKABLE
from submissions.sql import bulk

_TABLE = "submissions_observation"
# New rows may have the keys of deleted ones. The insertion counts these, so that PostgreSQL deletes them first.
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
_UPDATE_UNTRUSTED = f"""
    UPDATE {_TABLE} SET untrusted = 1 - untrusted
    WHERE untrusted != (vouched = 0 AND person != ALL(%s::bigint[]))::int
"""


@dataclass(frozen=True, slots=True)
class Observed:
    """The result of `copy_values`: ids of the cards, and of the models of the values that it deleted before copying."""

    cards: Collection[int]
    lost: Collection[int]

    def find_changed_models(self, models: Collection[int]) -> set[int]:
        """Return those of the models with a change in their judged values; one query.

        Caller must have locked the models: if another worker deleted values, others would become judged in their place.
        """
        gained = sources.find_judged_models(list(self.cards), list(models)) if models else set()
        return gained.union(self.lost).intersection(models)


def copy_values(cards: Iterable[Card]) -> Observed:
    """Replace the copied values of these cards. Caller must have locked or deleted the cards."""
    pks = [card.pk for card in cards]
    lost = bulk.fetch_rows(_COPY, [pks, pks, list(RANKABLE)])
    return Observed(pks, {model for (model,) in lost})


def update_untrusted(record: PersonRecord) -> None:
    """Update which values come from people without a record. Caller must hold NAMES_LOCK exclusively."""
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE_UNTRUSTED, [record.find_known_people().tolist()])
