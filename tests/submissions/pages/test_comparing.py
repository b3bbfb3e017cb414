"""The comparison of two to six models names the best, the models too close to it, and the best in each ability."""

from typing import Any

import pytest

from submissions.models import CardModel
from submissions.pages.content import comparing
from submissions.pages.forms.finder_form import FinderForm
from tests.performances import add_performance

pytestmark = pytest.mark.django_db
WISH = FinderForm({"board": "raspberry-pi-4", "use": "pi-root"}).wish()


def model(name: str, values: dict[str, float], **changes: Any) -> CardModel:
    made = add_performance(name, "raspberry-pi-4", values, **changes).card_model
    add_performance(name, "high_speed", {"small_writes": 9000.0})
    return made


def test_it_works(django_assert_max_num_queries: Any) -> None:
    slow = model("Slow", {"small_writes": 600, "small_reads": 3000})
    fast = model("Fast", {"small_writes": 1500})
    close = model("Close", {"small_writes": 1480, "small_reads": 9000})
    nothing = model("Nothing", {})
    asked = (slow, fast, close, nothing)
    with django_assert_max_num_queries(2):
        comparison = comparing.compare(asked, WISH)
    assert comparison.models == asked
    assert comparison.places == ("3", "=1", "=1", "")
    assert (comparison.best, comparison.peers) == (fast, (close,))
    assert [answer.words for answer in comparison.answers] == ["Maybe", "Maybe", "Maybe", "Not tested"]
    reads, writes = comparison.abilities  # the reads differ for sure
    assert (writes.title, writes.needed) == ("Small writes", "500 IOPS")
    assert [cell and cell.amount for cell in writes.cells] == ["600 IOPS", "1,500 IOPS", "1,480 IOPS", None]
    assert [cell and cell.is_best for cell in reads.cells] == [False, None, True, None]
    assert comparison.plot and len(comparison.plot.bars) == 3


def test_a_model_beats_another_with_a_chance_and_itself_never() -> None:
    slow, fast, nothing = (
        model("Slow", {"small_writes": 600}),
        model("Fast", {"small_writes": 700}),
        model("N", {}),
    )
    duels = comparing.compare((slow, fast, nothing), WISH).duels
    assert [duel.model for duel in duels] == [slow, fast, nothing]
    assert [rival for rival, _ in duels[0].chances] == [slow, fast, nothing]
    (own, less, none), (more, itself, _), unknown = ([chance for _, chance in duel.chances] for duel in duels)
    assert own is itself is none is None
    assert (less, more) == pytest.approx((0.138, 0.862), abs=0.001)  # Phi(ln(7 / 6) / (.1 sqrt 2))
    assert unknown == [None] * 3


def test_one_alone_is_not_the_best() -> None:
    comparison = comparing.compare((model("Alone", {"small_writes": 600}), model("Nothing", {})), WISH)
    assert (comparison.best, comparison.peers) == (None, ())
    (row,) = comparison.abilities
    assert [cell and cell.is_best for cell in row.cells] == [False, None]


def test_a_card_that_lost_data_or_fails_is_not_the_best() -> None:
    lost = model("Lost", {"small_writes": 9000}, lost_data=True)
    failing = model("Failing", {"small_writes": 4000, "small_reads": 10})
    passing = model("Passing", {"small_writes": 800})
    comparison = comparing.compare((lost, failing, passing), WISH)
    assert (comparison.best, comparison.peers) == (passing, ())
    assert [answer.words for answer in comparison.answers] == ["No", "No", "Maybe"]


@pytest.mark.parametrize(("other", "best"), [(400, True), (460, False)])
def test_an_ability_has_a_best_if_intervals_lie_apart(other: float, best: bool) -> None:
    """The intervals reach from value / 1.104 to value * 1.104."""
    first, second = (
        model("First", {"small_reads": 500}, sd=0.05),
        model("Second", {"small_reads": other}, sd=0.05),
    )
    (row,) = comparing.compare((second, first), WISH).abilities
    assert [cell and cell.is_best for cell in row.cells] == [False, best]


def test_a_link_that_hid_a_card_leaves_no_best() -> None:
    limited = model("Limited", {"large_writes": 20e6}, at_least=True)
    other = model("Other", {"large_writes": 45e6})
    (row,) = comparing.compare((limited, other), WISH).abilities
    assert [cell and (cell.amount, cell.is_best) for cell in row.cells] == [
        ("at least 20 MB/s", False),
        ("45 MB/s", False),
    ]
