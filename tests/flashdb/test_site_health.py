"""/health/ names the server that does not respond."""

import socket
from collections.abc import Iterator

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django.fixtures import Settings


@pytest.fixture
def closed_port() -> Iterator[int]:
    """Yield a port on which no process listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@pytest.mark.django_db
def test_it_works(client: Client) -> None:
    response = client.get("/health/")
    assert (response.status_code, response.json()) == (200, {"database": True, "redis": True})
    assert "no-store" in response["Cache-Control"]


@pytest.mark.django_db
def test_a_silent_redis_is_named(client: Client, settings: Settings, closed_port: int) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{closed_port}/0"
    response = client.get("/health/")
    assert (response.status_code, response.json()) == (
        200,
        {"database": True, "redis": False},
    )  # without Redis the site still serves pages


@pytest.mark.django_db(transaction=True)
def test_a_silent_database_is_named(
    client: Client, monkeypatch: pytest.MonkeyPatch, closed_port: int
) -> None:
    connection.close()
    with monkeypatch.context() as elsewhere:
        for name, value in {"HOST": "127.0.0.1", "PORT": str(closed_port)}.items():
            elsewhere.setitem(connection.settings_dict, name, value)
        with pytest.raises(OperationalError):
            connection.ensure_connection()
        response = client.get("/health/")
    assert (response.status_code, response.json()) == (503, {"database": False, "redis": True})


def test_it_cannot_be_posted_to(client: Client) -> None:
    assert client.post("/health/").status_code == 405


@pytest.mark.django_db
def test_it_is_ready(client: Client) -> None:
    response = client.get("/ready/")
    assert (response.status_code, response.json()) == (
        200,
        {
            "database": True,
            "missing_migrations": [],
            "redis": True,
            "queue": {"waiting": 0, "oldest_waiting_s": 0.0},
        },
    )


@pytest.mark.django_db
def test_a_missing_migration_is_named(client: Client) -> None:
    latest = MigrationRecorder.Migration.objects.filter(app="submissions").latest("name")
    latest.delete()
    response = client.get("/ready/")
    assert (response.status_code, response.json()["missing_migrations"]) == (
        503,
        [f"submissions.{latest.name}"],
    )


@pytest.mark.django_db
def test_without_redis_it_is_still_ready(client: Client, settings: Settings, closed_port: int) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{closed_port}/0"
    response = client.get("/ready/")
    assert (response.status_code, response.json()["redis"]) == (200, False)
