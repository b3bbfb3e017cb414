"""Notices of new reports are delivered by a separate thread, together with those that come during a pause."""

import time
from collections import Counter
from threading import Event

import pytest

from submissions.visitors.admitting import Coalescer


def test_it_works() -> None:
    deliveries: list[Counter[str]] = []
    coalescer = Coalescer(deliveries.append)
    for notice in ("api", "page", "api"):
        coalescer.notify(notice)
    coalescer.wait()
    assert sum(deliveries, Counter()) == {"api": 2, "page": 1}


def test_three_notices_within_a_pause_are_one_delivery() -> None:
    deliveries: list[Counter[str]] = []
    pause_is_over = Event()
    coalescer = Coalescer(deliveries.append, pause=pause_is_over.wait)
    for notice in ("api", "page", "api"):
        coalescer.notify(notice)
    time.sleep(0.05)  # time enough to deliver for a thread that makes no pause
    assert deliveries == []
    pause_is_over.set()
    coalescer.wait()
    assert deliveries == [{"api": 2, "page": 1}]


def test_the_pause_is_made_by_default() -> None:
    deliveries: list[float] = []
    coalescer = Coalescer(lambda _: deliveries.append(time.monotonic()))
    began = time.monotonic()
    coalescer.notify("api")
    coalescer.wait()
    assert deliveries[0] - began >= 0.03


def test_nobody_waits_for_a_delivery() -> None:
    """Senders do not wait even if a delivery is stuck; later notices are delivered afterwards."""
    delivered, may_end = Counter[str](), Event()

    def deliver(notices: Counter[str]) -> None:
        may_end.wait()
        delivered.update(notices)

    coalescer = Coalescer(deliver)
    for _ in range(100):
        coalescer.notify("api")
    assert not delivered
    may_end.set()
    coalescer.wait()
    assert delivered == {"api": 100}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_breaks_breaks_once() -> None:
    deliveries = []

    def deliver(notices: Counter[str]) -> None:
        assert notices["good"], "a defect"
        deliveries.append(notices)

    coalescer = Coalescer(deliver)
    for notice in ("bad", "good"):
        coalescer.notify(notice)
        coalescer.wait()
    assert deliveries == [{"good": 1}]
