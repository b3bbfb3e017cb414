"""Connect to PostgreSQL with our own server settings, and check connections without a query."""

import select
from typing import Any

from django.db.backends.postgresql import base
from psycopg import OperationalError
from psycopg.pq import TransactionStatus

# Django turns prepared statements off for the sake of poolers. `sql.bulk` uses them; this is psycopg's own default.
_PREPARE_THRESHOLD = 5
SERVER_SETTINGS = {
    # So a search tolerates one wrong letter in a word of six; PostgreSQL's default is 0.6.
    "pg_trgm.word_similarity_threshold": "0.5",
    # On a solid-state disk a random read costs about as much as a sequential one.
    "random_page_cost": "1.1",
    # Plan a prepared statement (`sql.bulk.fetch_rows`) only once: it finds rows by index, whatever its parameters.
    "plan_cache_mode": "force_generic_plan",
}


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        """Return Django's parameters and SERVER_SETTINGS, unless DATABASE_URL has `options` of its own."""
        options = " ".join(f"-c {name}={value}" for name, value in SERVER_SETTINGS.items())
        params: dict[str, Any] = super().get_connection_params()
        return {"options": options} | params | {"prepare_threshold": _PREPARE_THRESHOLD}

    def is_usable(self) -> bool:
        """Return whether the connection works; send a query only if there is something to read from the server.

        There is something to read after the server has closed its end of the connection.
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
