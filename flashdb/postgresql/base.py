"""Connect to PostgreSQL with settings of our own, and check less often whether the server still answers."""

import select
from typing import Any

from django.db.backends.postgresql import base
from psycopg import OperationalError
from psycopg.pq import TransactionStatus

# Django forbids psycopg to prepare statements, for the sake of poolers. A statement of psycopg's own cursors is
# prepared after so many executions, which is psycopg's default; Django's cursors never prepare.
_PREPARE_THRESHOLD = 5
SERVER_SETTINGS = {
    # A search forgives one wrong letter in a word of six; PostgreSQL's default of 0.6 does not.
    "pg_trgm.word_similarity_threshold": "0.5",
    # On a solid-state disk a row found by an index costs about as much as the next row of a scan.
    "random_page_cost": "1.1",
    # Prepared statements (`sql.bulk.fetch_rows`) find rows by index, for one report or for many: one plan fits both.
    "plan_cache_mode": "force_generic_plan",
}


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        """Return Django's parameters with ours; `options` in DATABASE_URL replaces SERVER_SETTINGS."""
        options = " ".join(f"-c {name}={value}" for name, value in SERVER_SETTINGS.items())
        params: dict[str, Any] = super().get_connection_params()
        return {"options": options} | params | {"prepare_threshold": _PREPARE_THRESHOLD}

    def is_usable(self) -> bool:
        """Return whether the server answers; trust a quiet connection without a query.

        A server that went away has closed its end, so there is something to read: then Django's query is sent.
        """
        return self._is_quiet() or super().is_usable()

    def _is_quiet(self) -> bool:
        if self.connection is None or self.connection.info.transaction_status != TransactionStatus.IDLE:
            return False
        try:
            arrived = select.poll()
            arrived.register(self.connection.fileno(), select.POLLIN)
        except OperationalError:  # closed at our end
            return False
        return not arrived.poll(0)
