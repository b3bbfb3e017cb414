"""Security review, finding 9: a stolen backup gives no access, and the page about privacy is true."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from flashdb.local_services.binaries import find_postgres
from submissions.models import ApiToken
from tests.conftest import database_url
from tests.factories import body
from tests.flashdb.test_backup import dump, restore

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def busy_account(client: Client) -> None:
    """Log an account in that has an API token and a delete key."""
    ada = User.objects.create_user("ada", password="a long one, and right")
    client.force_login(ada)
    client.post("/submit/", {"text": body().decode()})
    ApiToken.objects.make(ada, name="x", scopes=["submit"])


@pytest.fixture
def empty() -> Iterator[str]:
    """Create an empty database beside that of the test, and yield its URL."""
    here = database_url()
    there = here.replace(f"/{psycopg.conninfo.conninfo_to_dict(here)['dbname']}", "/brought_back", 1)
    with psycopg.connect(here, autocommit=True) as connection:
        connection.execute("CREATE DATABASE brought_back")
        yield there
        connection.execute("DROP DATABASE brought_back WITH (FORCE)")


def count(url: str, table: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        return int(row[0]) if row else -1


@pytest.mark.skipif(find_postgres(None).major < 17, reason="pg_dump has no --filter before PostgreSQL 17")
@pytest.mark.usefixtures("busy_account")
def test_a_backup_lets_nobody_in(tmp_path: Path, empty: str) -> None:
    here, file = database_url(), tmp_path / "flashdb.backup"
    assert min(count(here, table) for table in ("django_session", "submissions_apitoken")) >= 1
    dump(here, file)
    restore(empty, file)
    for device in (TOTPDevice, StaticDevice, StaticToken, Session, ApiToken):
        assert count(empty, device._meta.db_table) == 0
    assert count(empty, "submissions_submission") == count(empty, "auth_user") == 1


# Tests of the page about privacy.


def privacy(client: Client) -> str:
    return " ".join(client.get("/privacy/").content.decode().split())


def test_it_names_every_cookie_with_its_days(client: Client, settings: Any) -> None:
    page = privacy(client)
    client.get("/submit/")
    client.post("/submit/", {"text": body().decode()})
    for name, cookie in client.cookies.items():
        assert name in page
        assert f"{int(cookie['max-age']) // 86_400} days" in page
    assert set(client.cookies) == {settings.CSRF_COOKIE_NAME, settings.SESSION_COOKIE_NAME}


def test_reading_leaves_no_cookie(client: Client) -> None:
    for path in ("/", "/privacy/", "/about/", "/recent/", "/methods/"):
        assert not client.get(path).cookies, path


def test_it_tells_of_backups_and_hashes(client: Client) -> None:
    page = privacy(client)
    assert "gone at once" not in page
    assert "in backups as long as we keep them" in page
    assert "90 days after you logged in" in page


@pytest.mark.parametrize(
    ("contact", "address"),
    [
        ("security@flashdb.example", "mailto:security@flashdb.example"),
        ("https://x.example/@us", "https://x.example/@us"),
    ],
)
def test_it_names_whom_to_write_to(client: Client, settings: Any, contact: str, address: str) -> None:
    settings.SECURITY_CONTACT = contact
    assert f'href="{address}"' in privacy(client)
    lines = dict(
        line.split(": ", 1) for line in client.get("/.well-known/security.txt").content.decode().splitlines()
    )
    assert lines["Contact"] == address
    assert lines["Canonical"] == "http://testserver/.well-known/security.txt"
    assert len(lines["Expires"]) == len("2026-11-20T12:00:00+00:00")


def test_without_a_contact_there_is_none(client: Client, settings: Any) -> None:
    settings.SECURITY_CONTACT = ""
    assert client.get("/.well-known/security.txt").status_code == 404
