"""`make attack` names every failure, and none if the site withstood it."""

from dataclasses import replace

from tests.attack.__main__ import MOST_BYTES, MOST_S, Outcome, Tally

QUICK, SLOW = [MOST_S / 2] * 20, [MOST_S * 2] * 20
HELD = Outcome(Tally(), QUICK, MOST_BYTES, [])


def test_it_works() -> None:
    assert HELD.list_failures() == []


def test_each_failure_is_named() -> None:
    tally = Tally()
    tally.note("slow headers", fair=True)
    tally.note("slow bodies", fair=False)
    failed = replace(HELD, tally=tally, meanwhile_s=SLOW, most_bytes=MOST_BYTES + 2**20, ended=["celery"])
    assert failed.list_failures() == [
        "slow bodies: 1 got through",
        "the finder took 400.0 ms (p95, at most 200.0 ms)",
        "all parts took 1,025 MiB (at most 1,024)",
        "celery ended",
    ]
