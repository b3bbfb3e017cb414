"""Tests of the search for results that were sent again: it finds the same runs as comparing all pairs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.measuring import same_result
from submissions.domain.measuring.normalize import Measured
from submissions.domain.measuring.same_result import Result, find_originals, fingerprint_figures

prints = st.frozensets(st.integers(0, 5), max_size=4)
rows = st.tuples(prints, st.one_of(st.none(), st.integers(0, 2)), st.integers(0, 3), st.integers(0, 1))


def compared_each_with_each(copies: list[Result]) -> dict[int, Result]:
    counting: list[Result] = []
    originals = {}
    for copy in sorted(
        copies, key=lambda copy: (copy.card is None, -len(copy.fingerprints), copy.submission)
    ):
        original = next((other for other in counting if same_result._is_same(copy, other)), None)
        if original:
            originals[copy.run] = original
        else:
            counting.append(copy)
    return originals


def test_it_works() -> None:
    first, second = (Result(run, frozenset({1, 2}), None, run, "anybody") for run in (1, 2))
    assert find_originals([second, first]) == {2: first}


@given(st.lists(rows, max_size=12))
def test_nothing_is_missed_and_nothing_else_is_found(
    drawn: list[tuple[frozenset[int], int | None, int, int]],
) -> None:
    copies = [Result(run, *row) for run, row in enumerate(drawn)]
    assert find_originals(copies) == compared_each_with_each(copies)


def test_of_thousands_those_alone_are_compared_that_may_be_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    is_same = same_result._is_same

    def compare(one: Result, other: Result) -> bool:
        compared.append(one.run)
        return is_same(one, other)

    monkeypatch.setattr(same_result, "_is_same", compare)
    copies = [Result(run, frozenset({2 * run, 2 * run + 1}), None, run, "anybody") for run in range(2000)]
    copies += [
        Result(2000 + run, frozenset({2 * run, 2 * run + 1}), None, 2000 + run, "anybody")
        for run in range(2000)
    ]
    assert len(find_originals(copies)) == 2000
    assert len(compared) == 4000


@pytest.mark.parametrize(
    ("prints", "card", "sender", "again"),
    [
        ({1, 2}, None, "another", True),  # two equal figures are enough for any sender
        ({1, 2, 3}, None, "another", True),
        ({1, 3}, None, "somebody", False),
        ({1, 2}, "another", "somebody", False),
    ],
)
def test_two_figures_are_enough(prints: set[int], card: str | None, sender: str, again: bool) -> None:
    first = Result(1, frozenset({1, 2}), "registers", 1, "somebody")
    assert bool(find_originals([first, Result(2, frozenset(prints), card, 2, sender)])) == again


@pytest.mark.parametrize(
    ("prints", "sender", "again"),
    [({1}, "somebody", True), ({1}, "another", False), ({1, 2}, "somebody", False)],
)
def test_one_figure_is_enough_of_the_same_sender_alone(prints: set[int], sender: str, again: bool) -> None:
    """Two cards may agree in one figure by chance; and a sender who adds a figure has not sent the same result."""
    first = Result(1, frozenset({1}), None, 1, "somebody")
    assert bool(find_originals([first, Result(2, frozenset(prints), None, 2, sender)])) == again


def row(*repeats: float, figure: str = "seq_read") -> Measured:
    return Measured("stream", "throughput", {}, repeats, repeats[0], None, None, figure, "ok", "")


@pytest.mark.parametrize(("repeats", "tells"), [((20e6,), False), ((20.5e6,), True), ((20e6, 20.5e6), True)])
def test_of_a_value_with_two_digits_any_two_cards_agree(repeats: tuple[float, ...], tells: bool) -> None:
    assert bool(fingerprint_figures([row(*repeats)])) == tells


def test_what_is_no_figure_is_no_sign() -> None:
    assert fingerprint_figures([row(20.5e6, figure="")]) == []


def test_a_sixth_digit_tells_two_results_apart_and_a_seventh_does_not() -> None:
    first = fingerprint_figures([row(20_500_100.0)])
    assert [number.bit_length() for number in first] == [63]
    assert fingerprint_figures([row(20_500_101.0)]) == first
    assert fingerprint_figures([row(20_500_200.0)]) != first
    assert fingerprint_figures([row(20_500_100.0, figure="seq_write")]) != first
