"""A request checks its database connection only if there is a sign that it is broken."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from django.db import connection as other

from flashdb.postgresql.base import SERVER_SETTINGS, DatabaseWrapper


@pytest.fixture
def connection(db: None) -> Iterator[DatabaseWrapper]:
    """Yield a second connection beside that of the test."""
    mine: Any = other.copy()
    mine.connect()
    yield mine
    mine.close()


def ask(connection: Any, question: str, *values: object) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(question, values)
        return cursor.fetchone()[0]


def last_asked(connection: DatabaseWrapper) -> str:
    pid = connection.connection.info.backend_pid
    ask(other, "SELECT pg_stat_clear_snapshot()")  # a transaction keeps its first snapshot
    return str(ask(other, "SELECT query FROM pg_stat_activity WHERE pid = %s", pid))


def test_it_works(connection: DatabaseWrapper) -> None:
    ask(connection, "SELECT 'before'")
    assert connection.is_usable()
    assert last_asked(connection) == "SELECT 'before'"


def test_the_planner_gets_our_settings(connection: DatabaseWrapper) -> None:
    for name, value in SERVER_SETTINGS.items():
        assert ask(connection, f"SHOW {name}") == value


def test_a_server_that_went_away_is_noticed(connection: DatabaseWrapper) -> None:
    ask(other, "SELECT pg_terminate_backend(%s, 5000)", connection.connection.info.backend_pid)
    assert not connection.is_usable()


def test_the_next_request_gets_a_new_connection(
    connection: DatabaseWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "health_check_enabled", True)
    ask(other, "SELECT pg_terminate_backend(%s, 5000)", connection.connection.info.backend_pid)
    connection.close_if_unusable_or_obsolete()
    assert ask(connection, "SELECT 7") == 7


def test_a_server_that_says_something_is_asked(
    connection: DatabaseWrapper, wait_until: Callable[[Callable[[], object]], None]
) -> None:
    """A notice from the server does not mean that it has closed the connection."""
    connection.connection.execute("LISTEN news")
    with closing(connection.copy()) as another, another.cursor() as cursor:
        cursor.execute("NOTIFY news")
    wait_until(lambda: connection.is_usable() and last_asked(connection) == "SELECT 1")


def test_one_in_the_middle_of_something_is_asked(connection: DatabaseWrapper) -> None:
    connection.set_autocommit(False)
    ask(connection, "SELECT 'before'")
    assert connection.is_usable()
    assert last_asked(connection) == "SELECT 1"
    connection.rollback()


def test_one_that_we_closed_is_not_usable(connection: DatabaseWrapper) -> None:
    connection.connection.close()
    assert not connection.is_usable()
    connection.connection = None
    assert not connection.is_usable()
