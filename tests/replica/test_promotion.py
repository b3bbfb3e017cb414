"""The promotion of a replica loses no acknowledged report; this is a short run of `make replica`."""

from tests.replica.promotion import run


def test_a_promotion_loses_nothing_that_was_acknowledged() -> None:
    outcome = run(seconds=2, seed=1, synchronous=True)
    assert outcome.lost == 0
    assert outcome.acknowledged > 10


def test_without_waiting_for_the_replica_receipts_are_lost() -> None:
    assert run(seconds=1, seed=2, synchronous=False).lost > 0
