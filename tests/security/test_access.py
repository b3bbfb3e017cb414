"""Every address, every method, everybody: who reads what, who changes what, and that nobody else does."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from submissions.models import Submission
from submissions.writing import decisions
from tests.security.routes import ROWS
from tests.security.world import WHO, World, build, state

pytestmark = pytest.mark.django_db

METHODS = ("POST", "PUT", "PATCH", "DELETE")


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Once for all: each test takes back what it did."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield build()
        transaction.set_rollback(True)


@pytest.fixture
def world(built: World) -> World:
    return built.again()


def patterns(resolver: Any) -> Iterator[URLPattern]:
    """Every address of ours; the admin has tests of its own."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver) and pattern.app_name != "admin":
            yield from patterns(pattern)
        elif isinstance(pattern, URLPattern):
            yield pattern


NAMES = sorted({pattern.name for pattern in patterns(get_resolver()) if pattern.name})


def address(name: str, world: World) -> str:
    return reverse(name, kwargs=dict(ROWS[name].where(world)))


def test_every_address_has_a_row() -> None:
    """And a name, without which no test below would ask it; but for what the API answers everywhere else."""
    assert set(NAMES) <= set(ROWS)
    assert sum(pattern.name is None for pattern in patterns(get_resolver())) == 1


@pytest.mark.parametrize("name", NAMES)
def test_who_reads_it(name: str, world: World) -> None:
    row, url, before = ROWS[name], address(name, world), state()
    for who in WHO:
        answer = world.ask(who, "GET", url)
        assert answer.status_code == (row.read if who in row.readers else row.unread), who
        text = b"".join(answer) if answer.streaming else answer.content
        leaked = [what for what, secret in world.secrets().items() if secret.encode() in text]
        assert who == "owner" or leaked == [], who
    assert state() == before


@pytest.mark.parametrize("name", NAMES)
def test_who_changes_it(name: str, world: World) -> None:
    row, url, before = ROWS[name], address(name, world), state()
    for method, who in itertools.product(METHODS, WHO):
        change = row.changes.get(method)
        with transaction.atomic():
            answer = world.ask(who, method, url, change.sent if change else None)
            assert answer.status_code < 500, (method, who)
            if change:
                assert answer.status_code == change.answer(who), (method, who)
            changes = change is not None and who in change.may and change.done < 400 and state() != before
            assert changes or state() == before, (method, who)
            transaction.set_rollback(True)


def test_nobody_raises_their_weight(world: World) -> None:
    """What is measured under an account counts for one submitter, the first it came under."""
    owner = world.submission.account
    assert owner is not None
    decisions.adopt(world.submission, owner)
    for key in ("submitter", "account", "ruling", "state", "channel", "verdict", "excluded"):
        url = f"/api/v1/submissions/{world.submission.public_id}/"
        assert world.ask("owner", "PATCH", url, {key: "x"}).status_code == 400
    assert Submission.objects.get().submitter == "5ec2e7" * 4
