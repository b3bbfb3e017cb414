"""The DatabaseWrapper that `ENGINE` names by its package."""

import select

from django.db.backends.postgresql import base
from psycopg import OperationalError
from psycopg.pq import TransactionStatus


class DatabaseWrapper(base.DatabaseWrapper):
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
