"""The response to a visitor who has to wait, and the pause after Redis could not be reached."""

import secrets
import socket
import time
from typing import Any

import pytest

from submissions import counters
from submissions.visitors import limits
from submissions.visitors.visitor import Visitor


@pytest.mark.parametrize(
    ("wait_s", "words"),
    [
        (0.2, "in 1 seconds"),
        (2.4, "in 2 seconds"),
        (60, "in 60 seconds"),
        (89, "in 89 seconds"),
        (91, "in 2 minutes"),
        (1200, "in 20 minutes"),
    ],
)
def test_a_wait_is_told_in_seconds_up_to_a_minute_and_a_half(wait_s: float, words: str) -> None:
    assert f"Try again {words}." in limits.explain_refusal(wait_s)


@pytest.fixture
def stranger(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Visitor:
    settings.RATE_LIMITS = {"submit": (3, 3600)}
    monkeypatch.setattr(limits, "outage", counters.Outage())
    return Visitor(f"2001:db8:{secrets.token_hex(2)}::/64", None)


def test_a_redis_that_is_gone_is_asked_again_after_five_seconds(
    stranger: Visitor, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = settings.REDIS_URL
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert limits.spend("submit", stranger) is None
    settings.REDIS_URL = there
    monkeypatch.setattr(limits, "PATIENCE_S", 5.0)  # a busy machine may pause for a moment
    now = time.monotonic()
    for later_s, spent in ((4.5, 9), (5.5, 3)):
        monkeypatch.setattr(time, "monotonic", lambda at=now + later_s: at)
        assert [limits.spend("submit", stranger) for _ in range(9)].count(None) == spent


def test_a_redis_that_does_not_answer_costs_hardly_anything(stranger: Visitor, settings: Any) -> None:
    """The kernel accepts the connection for a server that never reads from it."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.REDIS_URL = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        began = time.monotonic()
        assert limits.spend("submit", stranger) is None
    assert 0.05 <= time.monotonic() - began < 1.2


def test_costs_add_up_to_the_last(stranger: Visitor) -> None:
    assert limits.spend("submit", stranger, cost=3) is None
    assert limits.spend("submit", stranger) == pytest.approx(1200, abs=5)
