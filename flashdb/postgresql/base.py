"""The DatabaseWrapper that `ENGINE` names by its package."""

import select
from typing import Any

from django.db.backends.postgresql import base
from psycopg import OperationalError
from psycopg.pq import TransactionStatus

# A statement of psycopg's own cursors that is asked so often is prepared, as psycopg does without Django.
_ASKED_AGAIN = 5


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        """Django forbids psycopg to prepare statements, for the sake of poolers; its own cursors never do."""
        params: dict[str, Any] = super().get_connection_params()
        return params | {"prepare_threshold": _ASKED_AGAIN}

    def is_usable(self) -> bool:
        """Whether the server still listens; a quiet connection is believed without asking the server.

        A server that went away has closed its end, so that there is something to read: then it is asked, as Django
        does once per request.
        """
        return self._is_quiet() or super().is_usable()

    def _is_quiet(self) -> bool:
        """True when the connection has no transaction and no answer that was not read."""
        if self.connection is None or self.connection.info.transaction_status != TransactionStatus.IDLE:
            return False
        try:
            arrived = select.poll()
            arrived.register(self.connection.fileno(), select.POLLIN)
        except OperationalError:  # closed at our end
            return False
        return not arrived.poll(0)
