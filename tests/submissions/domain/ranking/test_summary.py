"""Tests of the summary of many cards: bounded, with the lowest and the highest, and with the numbers of all."""

from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.ranking.summary import (
    LEAST_MARKS_OF_A_ROW,
    MOST_MARKS,
    MOST_ROWS,
    Doubt,
    SpecimenRow,
    doubts,
    pick_evenly,
    sample,
)


def specimens(count: int, first: int = 0) -> list[SpecimenRow]:
    return [(f"{first + n:06}", "2024-05", float(n + 1), 1, True) for n in range(count)]


def test_it_works() -> None:
    shown = sample({("SA04G", "Pi 4"): specimens(3), ("SA04G", "Pi 5"): specimens(2)}, cards=3)
    assert [(row.host, row.all, len(row.specimens)) for row in shown.rows] == [("Pi 4", 3, 3), ("Pi 5", 2, 2)]
    assert (shown.cards, shown.specimens, shown.shown_specimens, shown.all_rows) == (3, 5, 5, 2), (
        "the same three cards"
    )


def test_places_are_the_ends_and_evenly_between() -> None:
    assert pick_evenly(3, 5) == [0, 1, 2]
    assert pick_evenly(9, 5) == [0, 2, 4, 6, 8]
    assert pick_evenly(100, 2) == [0, 99]


@given(st.integers(0, 3000), st.integers(2, 60))
def test_places_ascend_and_none_comes_twice(count: int, most: int) -> None:
    places = pick_evenly(count, most)
    assert len(places) == min(count, most)
    assert places == sorted(set(places))
    assert not places or (places[0], places[-1]) == (0, count - 1)


def test_a_rare_row_keeps_its_lowest_and_highest() -> None:
    shown = sample({("A", ""): specimens(5000), ("B", ""): specimens(4, first=5000)}, cards=5004)
    common, rare = shown.rows
    assert (rare.specimens[0].value, rare.specimens[-1].value) == (1.0, 4.0)
    assert (common.specimens[0].value, common.specimens[-1].value) == (1.0, 5000.0)
    assert (common.all, rare.all, shown.cards) == (5000, 4, 5004)


@given(st.dictionaries(st.tuples(st.text(max_size=2), st.text(max_size=2)), st.integers(1, 300), max_size=40))
def test_it_is_bounded_and_tells_how_many_there_are(sizes: dict[tuple[str, str], int]) -> None:
    shown = sample({key: specimens(size) for key, size in sizes.items()}, cards=1)
    assert shown.shown_specimens <= MOST_MARKS + MOST_ROWS * LEAST_MARKS_OF_A_ROW
    assert len(shown.rows) == min(len(sizes), MOST_ROWS)
    assert (shown.specimens, shown.all_rows) == (sum(sizes.values()), len(sizes))
    for row in shown.rows:
        values = [card.value for card in row.specimens]
        assert values == sorted(values)
        assert (values[0], values[-1]) == (1.0, row.all if len(values) > 1 else 1.0)


def test_a_rule_counts_its_cards_and_the_most_frequent_comes_first() -> None:
    rare, often = (
        {"reason": reason, "weight": "W", "false_positives": "", "source": "a book"} for reason in ("b", "a")
    )
    assert doubts([rare, often, often]) == (
        Doubt("a", "W", "", "a book", 2),
        Doubt("b", "W", "", "a book", 1),
    )
