"""What happened is told in a thread of its own, together with what happens meanwhile."""

from collections import Counter
from threading import Event

import pytest

from submissions.tasks import Bell


def test_it_works() -> None:
    heard: list[Counter[str]] = []
    bell = Bell(heard.append)
    for what in ("api", "page", "api"):
        bell.ring(what)
    bell.wait()
    assert sum(heard, Counter()) == {"api": 2, "page": 1}


def test_nobody_waits_for_the_one_who_hears() -> None:
    """Not even while he hears nothing; it is told when he listens again."""
    heard, listening = Counter[str](), Event()

    def hear(rung: Counter[str]) -> None:
        listening.wait()
        heard.update(rung)

    bell = Bell(hear)
    for _ in range(100):
        bell.ring("api")
    assert not heard
    listening.set()
    bell.wait()
    assert heard == {"api": 100}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_breaks_breaks_once() -> None:
    heard = []

    def hear(rung: Counter[str]) -> None:
        assert rung["good"], "a defect"
        heard.append(rung)

    bell = Bell(hear)
    for what in ("bad", "good"):
        bell.ring(what)
        bell.wait()
    assert heard == [{"good": 1}]
