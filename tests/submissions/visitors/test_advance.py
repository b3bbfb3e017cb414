"""Who comes many times a second: most of it asks Redis no more, and the limit stays the same."""

import secrets
import time
from collections.abc import Callable
from typing import Any

import pytest

from submissions import counters
from submissions.visitors import advance, limits
from submissions.visitors.standing import Standing
from submissions.visitors.visitor import Visitor

LIMIT = 320


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture(name="asked")
def _asked(settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many units each question to Redis was for."""
    settings.RATE_LIMITS = {"submit": (LIMIT, LIMIT * 1000)}
    monkeypatch.setattr(limits, "outage", counters.Outage())
    monkeypatch.setattr(limits, "PATIENCE_S", 5.0)
    monkeypatch.setattr(limits, "_advance", advance.Advance())
    costs: list[int] = []
    real: Callable[..., Standing] = limits._ask

    def ask(name: str, buckets: limits.Buckets, cost: int) -> Standing:
        costs.append(cost)
        return real(name, buckets, cost)

    monkeypatch.setattr(limits, "_ask", ask)
    return costs


@pytest.fixture(name="clock")
def _clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


@pytest.fixture(name="stranger")
def _stranger() -> Visitor:
    return Visitor(f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::/64", None)


def left(visitor: Visitor) -> int:
    standing = limits.take("submit", visitor)
    assert standing and standing.wait_s is None
    return standing.left


def come(visitor: Visitor, times: int) -> None:
    """So often, without a pause."""
    for _ in range(times):
        left(visitor)


def test_it_works(asked: list[int], clock: Clock, stranger: Visitor) -> None:
    """The more came, the more is taken ahead, and each is told what is left for him."""
    assert [left(stranger) for _ in range(19)] == list(range(LIMIT - 1, LIMIT - 20, -1))
    assert asked == [1, 1, 1, 1, 2, 2, 3, 3, 4, 5]


def test_who_comes_now_and_then_takes_one_by_one(asked: list[int], clock: Clock, stranger: Visitor) -> None:
    for _ in range(4):
        left(stranger)
        clock.now_s += 0.021
    assert asked == [1] * 4


def test_what_is_held_is_given_out_for_a_second(asked: list[int], clock: Clock, stranger: Visitor) -> None:
    come(stranger, 9)
    assert asked == [1, 1, 1, 1, 2, 2, 3]
    for pause_s in (0.9, 0.9, 1.1):
        clock.now_s += pause_s
        left(stranger)
    assert asked[7:] == [1]


def test_what_was_not_given_out_is_lost(asked: list[int], clock: Clock, stranger: Visitor) -> None:
    come(stranger, 9)
    clock.now_s += 1.1
    assert left(stranger) == LIMIT - 9 - 2 - 1
    assert left(stranger) == LIMIT - 9 - 2 - 2  # and then comes anew


@pytest.mark.parametrize("times", [1, 2, 3, 4, 5, 9, 12, 15, 33, 80])
def test_who_pauses_loses_a_quarter_of_what_he_spent_at_most(
    times: int, asked: list[int], clock: Clock, stranger: Visitor
) -> None:
    """A page and what it loads at once, over and over."""
    for _ in range(3):
        come(stranger, times)
        clock.now_s += 1.1
    assert 3 * times <= sum(asked) <= 1.25 * 3 * times


@pytest.mark.parametrize(("remaining", "ahead"), [(10_000, 16), (150, 9), (16, 1), (15, 0)])
def test_what_is_taken_ahead_has_an_end(remaining: int, ahead: int, clock: Clock) -> None:
    held = advance.Advance()
    for _ in range(200):
        held.keep("who", Standing(9, 9, remaining, 1.0, None), 0)
    assert held.wanted("who") == ahead


def test_nobody_gets_more_than_the_limit(asked: list[int], clock: Clock, stranger: Visitor) -> None:
    """The nearer it is, the less is taken ahead; the last of them ask one by one."""
    answers = [limits.spend("submit", stranger) for _ in range(LIMIT + 9)]
    assert answers[:LIMIT] == [None] * LIMIT and None not in answers[LIMIT:]
    assert set(asked[-9 - 15 :]) == {1} and len(asked) < LIMIT / 4


def test_less_may_be_left_than_it_seemed(asked: list[int], clock: Clock, stranger: Visitor) -> None:
    """Another process took nearly everything meanwhile."""
    come(stranger, 8)
    assert limits.spend("submit", stranger, cost=LIMIT - 9) is None
    assert left(stranger) == 0
    assert asked[6:] == [LIMIT - 9, 3, 1]
    assert limits.spend("submit", stranger)


def test_everybody_has_his_own(asked: list[int], clock: Clock, stranger: Visitor) -> None:
    for network in (stranger.network, f"198.51.{secrets.randbelow(256)}.{secrets.randbelow(256)}"):
        left(Visitor(network, None))
    assert asked == [1, 1]


def test_many_at_once_are_asked_for(asked: list[int], clock: Clock, stranger: Visitor) -> None:
    come(stranger, 9)
    assert limits.spend("submit", stranger, cost=2) is None
    assert asked[6:] == [3, 2]


def test_a_flood_of_strangers_is_forgotten(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setattr(advance, "_MOST_KNOWN", 3)
    held, standing = advance.Advance(), Standing(9, 9, 5, 1.0, None)
    for who in range(4):
        assert held.keep(who, standing, 1).left == 6
    assert [held.draw(who) is None for who in range(4)] == [True, False, False, False]


def test_two_threads_that_ask_at_once_hold_what_both_got(clock: Clock) -> None:
    held, standing = advance.Advance(), Standing(9, 9, 5, 1.0, None)
    held.keep("who", standing, 3)
    assert held.keep("who", standing, 2).left == 10
    clock.now_s += 1.1
    assert held.keep("who", standing, 2).left == 7
