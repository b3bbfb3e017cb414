"""Copy believable values into `Observation`, in the transaction that changes the measurements themselves."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

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


class Observed(NamedTuple):
    """The result of `copy_values`: ids of the cards, and (`lost`) of the models that values were deleted from."""

    cards: Collection[int]
    lost: Collection[int]

    def find_changed_models(self, models: Collection[int]) -> set[int]:
        """Return the `models` with a change in the values that their estimates use; one query.

        Caller must have locked the models: if another worker deleted values, other values would be used instead.
        """
        gained = sources.find_judged_models(list(self.cards), list(models)) if models else set()
        return gained.union(self.lost).intersection(models)


def copy_values(cards: Iterable[Card]) -> Observed:
    """Replace the rows of these cards in `Observation`. Caller must have locked or deleted the cards."""
    pks = [card.pk for card in cards]
    lost = bulk.fetch_rows(_COPY, [pks, pks, list(RANKABLE)])
    return Observed(pks, {model for (model,) in lost})


def update_untrusted(record: PersonRecord) -> None:
    """Update the column `untrusted`: values from people without a record. Caller must hold NAMES_LOCK exclusively."""
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE_UNTRUSTED, [record.find_known_people().tolist()])
