"""Two to six models side by side: the best, what is close to it, each kind of work and each figure."""

from typing import Any

import pytest

from submissions.models import CardModel, Score
from submissions.pages.content import comparing
from submissions.pages.forms.finder_form import FinderForm

pytestmark = pytest.mark.django_db
WISH = FinderForm({"board": "raspberry-pi-4", "profile": "pi-root"}).wish()
# The heaviest figures of the purpose first.
WRITE, READ = (
    term.figure
    for term in sorted(WISH.profile.on(WISH.board.interface), key=lambda term: -term.share)
    if term.figure in ("rand_write_4k", "rand_read_4k")
)


def told(value: float, **more: Any) -> dict[str, float]:
    return {"value": value, "lower": value * 0.9, "upper": value * 1.1, "cards": 1, "at_least": False} | more


def model(name: str, value: float | None, figures: dict[str, Any] | None = None, **more: Any) -> CardModel:
    """A model that is so good, give or take a tenth; without a `value` it has no score for the purpose."""
    made = CardModel.objects.create(name=name, slug=name.lower(), brand=name)
    places = [(WISH.profile.name, WISH.board.interface.name, value)]
    places += [("camera", WISH.board.interface.name, 9000), (WISH.profile.name, "sdr12", 9000)]
    for profile, interface, number in places:
        if number is not None:
            bounds = {
                "value": number,
                "lower": number * 0.9,
                "upper": number * 1.1,
                "bound": number * 0.8,
            } | more
            counts = dict.fromkeys(("profile_version", "cards", "runs", "submitters", "covered", "terms"), 2)
            where = {"card_model": made, "profile": profile, "interface": interface, "state": "early"}
            Score.objects.create(**where, **bounds, **counts, figures=figures or {})
    return made


def test_it_works() -> None:
    slow = model("Slow", 100, {WRITE: told(500), READ: told(3000)})
    fast = model("Fast", 300, {WRITE: told(1500)})
    close = model("Close", 299, {READ: told(2900)}, bound=250)
    nothing = model("Nothing", None)
    asked = (slow, fast, close, nothing)
    comparison = comparing.compare(asked, WISH)
    assert comparison.models == asked
    assert [row.title if row else None for row in comparison.rows] == ["Slow", "Fast", "Close", None]
    assert comparison.best == close, "what is sure of it is more"
    assert comparison.peers == (fast,)
    figures = {figure.name: figure for figure in comparison.figures}
    assert list(figures) == sorted((WRITE, READ), key=[WRITE, READ].index)
    assert [of and of["value"] for _, of in figures[WRITE].cells] == [500, 1500, None, None]
    assert [of for of, _ in figures[WRITE].cells] == list(asked)
    assert (figures[WRITE].best, figures[READ].best) == (1, 0)
    assert (figures[WRITE].unit, figures[READ].title) == ("1/s", "Random read, 4 KiB")
    assert comparison.plot and len(comparison.plot.bars) == 3


def test_a_model_beats_another_with_a_chance_and_itself_never() -> None:
    slow, fast, nothing = model("Slow", 100), model("Fast", 300), model("Nothing", None)
    duels = comparing.compare((slow, fast, nothing), WISH).duels
    assert [duel.model for duel in duels] == [slow, fast, nothing]
    assert [rival for rival, _ in duels[0].chances] == [slow, fast, nothing]
    (own, less, none), (more, itself, _), unknown = ([chance for _, chance in duel.chances] for duel in duels)
    assert own is itself is none is None
    assert (less, more) == pytest.approx((0.1, 0.9))  # nothing was measured: no guess is surer
    assert unknown == [None] * 3


def test_one_alone_is_not_the_best() -> None:
    alone = model("Alone", 100, {WRITE: told(500)})
    comparison = comparing.compare((alone, model("Nothing", None)), WISH)
    assert (comparison.best, comparison.peers) == (None, ())
    assert [figure.best for figure in comparison.figures] == [None]
    (work,) = comparison.works
    assert [cell and cell.is_best for cell in work.cells] == [False, None]


@pytest.mark.parametrize(("other", "best"), [(400, True), (409.05, True), (411, False)])
def test_a_kind_of_work_has_a_best_where_intervals_lie_apart(other: float, best: bool) -> None:
    """450 is the lower end of the first, and 1.1 times the other its upper."""
    first, second = model("First", 100, {WRITE: told(500)}), model("Second", 100, {WRITE: told(other)})
    (work,) = comparing.compare((second, first), WISH).works
    assert [cell and cell.is_best for cell in work.cells] == [False, best]
    assert [cell and cell.times for cell in work.cells][1] == "1×"


def test_what_a_slot_limits_counts_by_its_lower_end() -> None:
    limited = model("Limited", 100, {WRITE: told(1000, at_least=True, lower=750)})
    (work,) = comparing.compare((limited,), WISH).works
    assert work.cells[0] and work.cells[0].times == "1.5×"
    assert work.name == "small writes"
