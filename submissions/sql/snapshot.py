"""The snapshot of the whole database: as long as it is the same, so is every row."""

from django.db import connection, connections, models, router

_SNAPSHOT = "SELECT concat_ws(' ', pg_current_snapshot(), pg_postmaster_start_time())"


def read_snapshot(model: type[models.Model]) -> str:
    """Return the snapshot of the database that answers for a model; one short query.

    Return "" within a transaction: its snapshot does not change with its own writes.
    """
    if connection.in_atomic_block:
        return ""
    with connections[router.db_for_read(model)].cursor() as cursor:
        cursor.execute(_SNAPSHOT)
        (snapshot,) = cursor.fetchone()
    return str(snapshot)
