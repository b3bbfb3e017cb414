"""The number of cards that a submitter sent within a day is the same by a moving window as by counting each day."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from submissions.writing import holding

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
hours = st.integers(0, 60)


def run(pk: int, hour: int) -> Any:
    return SimpleNamespace(pk=pk, submission=SimpleNamespace(received_at=BEGAN + timedelta(hours=hour)))


def test_it_works() -> None:
    sent = [(BEGAN + timedelta(hours=hour), card) for hour, card in ((0, 1), (1, 1), (2, 2), (30, 3))]
    counted = dict(holding._count_in_a_day([run(1, 0), run(2, 2), run(3, 24), run(4, 30)], sent))
    assert counted == {1: 1, 2: 2, 3: 2, 4: 1}, "a day before is no more of the day"


@given(st.lists(st.tuples(hours, st.integers(1, 4)), max_size=20), st.lists(hours, max_size=8))
def test_it_counts_different_cards(sent_hours: list[tuple[int, int]], run_hours: list[int]) -> None:
    sent = [(BEGAN + timedelta(hours=hour), card) for hour, card in sent_hours]
    runs = [run(pk, hour) for pk, hour in enumerate(run_hours)]
    assert dict(holding._count_in_a_day(runs, sent)) == {
        pk: len({card for at, card in sent_hours if hour - 24 < at <= hour})
        for pk, hour in enumerate(run_hours)
    }
