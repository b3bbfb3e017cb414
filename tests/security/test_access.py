"""Every kind of visitor sends every method to every URL, and reads and changes only as permitted."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from submissions.models import Remark, Submission
from submissions.visitors.permissions import ACTS, DEMANDS, Act, Need, find_act, find_unmet_need
from submissions.writing import decisions
from tests.security.access_table import format_tables
from tests.security.actors import SESSIONS, TOKENS, Who
from tests.security.routes import ROWS, Change
from tests.security.world import World, build, state

pytestmark = pytest.mark.django_db

METHODS = ("POST", "PUT", "PATCH", "DELETE")
FACTOR = "/account/second-factor/"
PAGE_ANSWERS = {Need.ACCOUNT: 302, Need.OWNER: 403, Need.STAFF: 404, Need.OPERATOR: 404}
API_ANSWERS = {Need.ACCOUNT: 401} | dict.fromkeys(
    (Need.OWNER, Need.SCOPE, Need.STAFF, Need.RIGHT, Need.FACTOR), 403
)
NO_CHANGE = Change(None, 405)
# These URLs respond before they check the visitor.
NOT_THERE = {"api-dump-file": 405}
# Act -> request to the admin: table and fields.
DECISIONS = {
    Act.MODERATE: ("submission", {"action": "exclude_it", "reason": "x"}),
    Act.PUBLISH: ("remark", {"action": "publish"}),
    Act.RENAME: ("cardmodel", {"action": "rename", "brand": "Changed"}),
}


@pytest.fixture(scope="module")
def shared_world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Build a site with all kinds of data once for all tests, because each test restores it."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield build()
        transaction.set_rollback(True)


@pytest.fixture
def world(shared_world: World, settings: Any) -> World:
    settings.RATE_LIMITS = {}
    return shared_world.reset()


def list_patterns(resolver: Any) -> Iterator[URLPattern]:
    """Yield every URL pattern of the site except the admin, which has tests of its own."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver) and pattern.app_name != "admin":
            yield from list_patterns(pattern)
        elif isinstance(pattern, URLPattern):
            yield pattern


NAMES = sorted({pattern.name for pattern in list_patterns(get_resolver()) if pattern.name})


def address(name: str, world: World) -> str:
    return reverse(name, kwargs=dict(ROWS[name].where(world)))


def test_every_address_has_a_row() -> None:
    """Every URL also has a name, except the one that answers all other paths; without a name, tests would skip it."""
    assert set(NAMES) <= set(ROWS)
    assert sum(pattern.name is None for pattern in list_patterns(get_resolver())) == 1


def askers(name: str) -> dict[str, Who]:
    return TOKENS if name.startswith("api-") and name != "api-reference" else SESSIONS


def find_refusal(name: str, method: str, who: Who) -> int:
    """Return the status with which a request of this visitor is refused, or 0 if it is permitted."""
    is_api = askers(name) is TOKENS
    act = find_act(method, name)
    if act is None:
        return 405
    need = find_unmet_need(act, who.credentials)
    return 0 if need is None else (API_ANSWERS if is_api else PAGE_ANSWERS)[need]


@pytest.mark.parametrize("name", NAMES)
def test_who_reads_it(name: str, world: World) -> None:
    row, url, before = ROWS[name], address(name, world), state()
    for title, who in askers(name).items():
        answer = world.ask(who, "GET", url)
        assert answer.status_code == (find_refusal(name, "GET", who) or row.read), title
        text = b"".join(answer) if answer.streaming else answer.content
        leaked = [what for what, secret in world.secrets().items() if secret.encode() in text]
        assert who.credentials.owner or leaked == [], title
    assert state() == before


@pytest.mark.parametrize("name", NAMES)
def test_who_changes_it(name: str, world: World) -> None:
    row, url, before = ROWS[name], address(name, world), state()
    assert set(row.changes) == {method for method in METHODS if find_act(method, name)}
    for method, (title, who) in itertools.product(METHODS, askers(name).items()):
        change = row.changes.get(method, NO_CHANGE)
        status, is_for = find_refusal(name, method, who), change.is_for(who)
        with transaction.atomic():
            answer = world.ask(who, method, url, change.sent)
            expected = status or (change.done if is_for else change.others)
            assert answer.status_code in {expected, NOT_THERE.get(name)}, (method, title)
            may_change = not status and is_for and change.done < 400
            assert may_change or state() == before, (method, title)
            transaction.set_rollback(True)


@pytest.mark.parametrize("title", SESSIONS)
def test_who_opens_the_admin(title: str, world: World) -> None:
    who = SESSIONS[title]
    need = find_unmet_need(Act.ADMINISTER, who.credentials)
    assert world.ask(who, "GET", "/admin/").status_code == (302 if need else 200)
    door = world.ask(who, "GET", "/admin/login/?next=/admin/").headers["Location"]
    assert door.startswith(FACTOR if need is Need.FACTOR else "/account/log-in/")


@pytest.mark.parametrize("act", DECISIONS)
def test_who_decides_in_the_admin(act: Act, world: World) -> None:
    decisions.keep_remark(slug=world.model.slug, visitor="v", account=None, kind="same", reason="")
    rows = {"submission": world.submission.pk, "remark": Remark.objects.get().pk, "cardmodel": world.model.pk}
    table, sent = DECISIONS[act]
    before = state()
    for title, who in SESSIONS.items():
        with transaction.atomic():
            world.ask(who, "POST", f"/admin/submissions/{table}/", sent | {"_selected_action": [rows[table]]})
            assert (state() != before) == (find_unmet_need(act, who.credentials) is None), title
            transaction.set_rollback(True)


def test_only_who_may_do_it_makes_a_token_for_it(world: World) -> None:
    wish = {"name": "x", "scopes": ["submit", "moderate"]}
    for title, who in SESSIONS.items():
        with transaction.atomic():
            before = state()
            world.ask(who, "POST", "/account/tokens/", wish)
            assert (state() != before) == (find_unmet_need(Act.MODERATE, who.credentials) is None), title
            transaction.set_rollback(True)


def test_every_act_is_asked_for_and_meets_somebody_who_may_not() -> None:
    shown = [who.credentials for who in (*SESSIONS.values(), *TOKENS.values())]
    for act, demand in DEMANDS.items():
        found = {find_unmet_need(act, one) for one in shown}
        assert None in found and (not demand.needs or len(found) > 1), act
    assert set(ACTS) | set(DECISIONS) | {Act.ADMINISTER} == set(Act)


def test_a_row_of_acts_is_about_an_address_that_exists() -> None:
    asked = [request.split() for requests in ACTS.values() for request in requests]
    assert {name for _, name in asked} <= set(NAMES)
    assert len(asked) == len({tuple(one) for one in asked})


def test_the_table_in_the_docs_is_this_one() -> None:
    assert format_tables() in Path("SECURITY.md").read_text(encoding="utf-8")


def test_nobody_raises_their_weight(world: World) -> None:
    """All measurements of an account count for one submitter: the submitter of its first report."""
    owner = world.submission.account
    assert owner is not None
    decisions.adopt(world.submission, owner)
    for key in ("submitter", "account", "ruling", "state", "channel", "verdict", "excluded"):
        url = f"/api/v1/submissions/{world.submission.public_id}/"
        assert world.ask(TOKENS["`correct`, of the owner"], "PATCH", url, {key: "x"}).status_code == 400
    assert Submission.objects.get().submitter == "5ec2e7" * 4
