"""The rank of a model on a board is one number, computed from stored performances only."""

import random
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from submissions.domain.ranking import uses
from submissions.domain.ranking.advice import Place
from submissions.domain.ranking.boards import find
from submissions.domain.ranking.order import Group, order_key
from submissions.domain.ranking.proof import Proof
from submissions.domain.ranking.uses import find_use
from submissions.domain.ranking.wish import Wish
from submissions.evidence import places
from submissions.models import CardModel, Performance
from submissions.models.performance import ORDERS
from tests.performances import add_performance

pytestmark = pytest.mark.django_db
PI_5, SLOT = find("raspberry-pi-5"), "raspberry-pi-5"
ROOT = find_use("pi-root")
PASSES = {"small_reads": 4000.0, "large_writes": 40e6}


@pytest.fixture(autouse=True)
def models() -> None:
    today = timezone.localdate()
    add_performance("Good", SLOT, {"small_writes": 4000, **PASSES}, price=9.0, priced_on=today)
    add_performance("Fair", SLOT, {"small_writes": 3900, **PASSES}, price=7.0, priced_on=today, people=5)
    add_performance("Unclear", SLOT, {"small_writes": 550}, price=1.0, priced_on=today)
    slow = {"small_writes": 9000.0, "small_reads": 500.0}
    add_performance("Slow reads", SLOT, slow, price=2.0, priced_on=today)
    fake = {"small_writes": 9000, **PASSES}
    add_performance("Fake", SLOT, fake, price=3.0, priced_on=today, lost_data=True)
    add_performance("Reads alone", SLOT, {"small_reads": 9000})
    add_performance("Elsewhere", "sdr104", {"small_writes": 9000, **PASSES})
    add_performance("Simulated", SLOT, {"small_writes": 9000}, slug="simulated-x", simulated=True)


def _wish(board: str = SLOT, use: str = "pi-root", **chosen: Any) -> Wish:
    return Wish(find(board), uses.find_use(use), chosen)


def _names(wish: Wish) -> list[str]:
    return [row.card_model.name for row in Performance.objects.wanted(wish).with_models()]


def _place(name: str) -> Place | None:
    return places.load_advice(CardModel.objects.get(name=name), _wish()).place


def test_it_works() -> None:
    assert _names(_wish()) == ["Good", "Fair", "Unclear", "Slow reads", "Fake"]
    assert _place("Good") == _place("Fair") == Place(1, shared=True, listed=4)
    assert _place("Unclear") == Place(3, shared=False, listed=4)


def test_a_card_that_fails_a_need_comes_after_those_that_pass() -> None:
    assert _place("Slow reads") == Place(4, shared=False, listed=4)


@pytest.mark.parametrize("name", ["Fake", "Reads alone", "Elsewhere"])
def test_no_place(name: str) -> None:
    assert _place(name) is None


def test_an_invented_card_has_a_place_among_its_like() -> None:
    assert _place("Simulated") == Place(1, shared=False, listed=1)


def test_lists_and_pages_say_the_same(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(2):
        advised = places.advise(Performance.objects.wanted(_wish()).with_models(), _wish())
    names = _names(_wish())
    assert [one.advice.place for one in advised] == [_place(name) for name in names]


def test_one_model_takes_two_queries(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    model = CardModel.objects.get(name="Good")
    with django_assert_num_queries(2):
        places.load_advice(model, _wish())


def test_sql_orders_as_the_core_does() -> None:
    rows = list(Performance.objects.ranking(PI_5, ROOT))
    keys = [(group, -order_key(mean, sd), pk) for pk, mean, sd, group in rows]
    assert keys == sorted(keys)


def test_advice_and_sql_agree_on_who_passes() -> None:
    advised = places.advise(Performance.objects.wanted(_wish()).with_models(), _wish())
    passing = set(
        Performance.objects.wanted(_wish()).placed().passing(ROOT).values_list("card_model__name", flat=True)
    )
    assert passing == {model.name for model, advice in advised if advice.passes_needs}
    failing = {model.name for model, advice in advised if advice.fails_need}
    assert failing == {"Slow reads"}


def test_sql_judges_needs_as_the_core_does() -> None:
    draw = random.Random(43)
    for number in range(40):
        values = {need.ability: need.threshold * draw.uniform(0.3, 3) for need in ROOT.needs}
        kept = {name: value for name, value in values.items() if name == ROOT.leading or draw.random() < 0.7}
        add_performance(
            f"Drawn {number}", SLOT, kept, sd=draw.uniform(0.05, 0.5), at_least=draw.random() < 0.3
        )
    groups = {pk: group for pk, _, _, group in Performance.objects.ranking(PI_5, ROOT)}
    passing = set(
        Performance.objects.list_measured(PI_5, ROOT).passing(ROOT).values_list("card_model", flat=True)
    )
    for row in Performance.objects.list_measured(PI_5, ROOT).with_models():
        advice = row.make_advice(PI_5, ROOT, place=None)
        fails = Group.FAILING if advice.fails_need else Group.PASSING
        assert groups[row.card_model_id] == (Group.EXCLUDED if advice.is_excluded else fails)
        passes = all(result.state == "pass" for result in advice.needs)
        assert (row.card_model_id in passing) == passes
    assert {*groups.values()} == {Group.PASSING, Group.FAILING, Group.EXCLUDED} and len(passing) > 2


def test_a_card_that_the_link_held_back_fails_no_need() -> None:
    add_performance("Linked", SLOT, {"small_writes": 4000, "large_writes": 5e6}, at_least=True)
    assert _place("Linked") == Place(1, shared=True, listed=5)


def test_the_fallback_is_less_sure() -> None:
    add_performance("Filled", "sdr104", {"sustained_writes": 40e6})
    add_performance("Streamed", "sdr104", {"large_writes": 41e6})
    rows = Performance.objects.ranking(find("dashcam"), find_use("camera"))
    named = {pk: sd for pk, _, sd, _ in rows}
    filled, streamed = (CardModel.objects.get(name=name).pk for name in ("Filled", "Streamed"))
    assert named[filled] == pytest.approx(0.1) and named[streamed] == pytest.approx(0.316, abs=0.001)
    assert list(named).index(filled) < list(named).index(streamed)


def test_a_card_that_does_not_fit_has_no_place_there() -> None:
    add_performance("Full size", "sdr104", {"small_reads": 9000}, form="SD")
    model = CardModel.objects.get(name="Full size")
    assert places.load_advice(model, _wish("steam-deck", "media")).place is None
    assert places.load_advice(model, _wish("uhs-i-slot", "media")).place == Place(1, shared=False, listed=2)


def test_neighbours() -> None:
    good, fair = (CardModel.objects.get(name=name).pk for name in ("Good", "Fair"))
    found = places.load_places(PI_5, ROOT)
    assert found.neighbours(good, each_side=1) == [good, fair]
    assert found.neighbours(CardModel.objects.get(name="Fake").pk) == []


def test_a_model_between_its_neighbours(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    fair = CardModel.objects.get(name="Fair")
    with django_assert_num_queries(2):
        shown = places.load_neighbours(fair, _wish())
    assert [model.name for model, _ in shown] == ["Good", "Fair", "Unclear", "Slow reads"]
    assert [advice.place and advice.place.number for _, advice in shown] == [1, 1, 3, 4]


def test_answers_for_many_devices_take_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    model = CardModel.objects.get(name="Elsewhere")
    with django_assert_num_queries(1):
        answers = places.load_answers(model, [_wish(), _wish("uhs-i-slot"), _wish("dashcam", "camera")])
    assert [advice.passes_needs for _, advice in answers] == [False, True, False]


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        ({"price_max": 7.0}, ["Fair", "Unclear", "Slow reads", "Fake"]),
        ({"q": "fair"}, ["Fair"]),
        ({"min_cards": 5}, ["Fair"]),
    ],
)
def test_facets_filter(chosen: dict[str, Any], names: list[str]) -> None:
    CardModel.objects.update(currency="EUR")
    CardModel.objects.filter(name="Fair").update(words="fair")
    assert _names(_wish(**chosen)) == names


def test_a_price_counts_for_a_year() -> None:
    for name, days in (("Fair", 364), ("Unclear", 365)):
        priced = timezone.localdate() - timedelta(days=days)
        CardModel.objects.filter(name=name).update(priced_on=priced)
    assert _names(_wish(price_max=7.0)) == ["Fair", "Slow reads", "Fake"]
    in_order = Performance.objects.wanted(_wish()).order_by(*ORDERS["price"])
    assert [row.card_model.name for row in in_order] == ["Slow reads", "Fair", "Good", "Unclear", "Fake"]
    for name, offered in (("Fair", True), ("Unclear", False)):
        assert (CardModel.objects.get(name=name).current_offer is not None) == offered


def test_any_ability_filters() -> None:
    assert _names(_wish(small_reads_min=1.0, small_writes_min=3950.0)) == ["Good", "Slow reads", "Fake"]
    assert _names(_wish(large_writes_min=40.0)) == ["Good", "Fair", "Fake"]
    assert _names(_wish(large_writes_min=41.0)) == []


def test_a_latency_has_a_most() -> None:
    add_performance("Quick", SLOT, {"small_writes": 600, "synced_small_writes_p99": 20e6})
    assert _names(_wish(synced_small_writes_p99_max=20.0)) == ["Quick"]
    assert _names(_wish(synced_small_writes_p99_max=19.0)) == []


def test_only_what_was_measured_here() -> None:
    add_performance("Guess", SLOT, {"small_writes": 600}, origin="elsewhere")
    assert "Guess" in _names(_wish()) and "Guess" not in _names(_wish(origin="here"))


def test_the_fallback_counts_where_nobody_measured_the_leading_ability() -> None:
    add_performance("Filled", "sdr104", {"sustained_writes": 40e6}, origin="elsewhere")
    add_performance("Streamed", "sdr104", {"large_writes": 40e6})
    assert _names(_wish("dashcam", "camera", origin="here")) == ["Elsewhere", "Streamed"]


@pytest.mark.parametrize(
    ("order", "first"), [("small_writes", "Good"), ("price", "Unclear"), ("name", "Fair")]
)
def test_orders(order: str, first: str) -> None:
    CardModel.objects.filter(name="Slow reads").delete()
    names = [row.card_model.name for row in Performance.objects.wanted(_wish()).order_by(*ORDERS[order])]
    assert names[0] == first and names[-1] == ("Unclear" if order == "name" else "Fake")


@pytest.mark.parametrize("proof", [Proof.STRANGER, Proof.SOURCE])
def test_the_word_of_one_stranger_gives_no_place(proof: Proof) -> None:
    row = add_performance("Told", SLOT, {"small_writes": 20_000, **PASSES})
    row.proofs = [proof if log is not None else None for log in row.means]
    row.save()
    assert (_place("Told") is None) == (proof == Proof.STRANGER)
    assert _names(_wish())[-2 if proof == Proof.STRANGER else 0] == "Told"


def test_a_card_that_is_too_small_for_a_use_has_no_place() -> None:
    add_performance("Small", SLOT, {"small_writes": 9000, **PASSES}, capacity_gb=2)
    assert _place("Small") is None and _names(_wish())[-1] in ("Small", "Fake")


def test_sql_judges_a_fallback_as_the_core_does() -> None:
    draw, board, use = random.Random(44), find("dashcam"), find_use("dashcam")
    for number in range(40):
        values = {"large_writes": 30e6 * draw.uniform(0.1, 3)}
        if draw.random() < 0.3:
            values["sustained_writes"] = 30e6 * draw.uniform(0.3, 3)
        sd, hidden = draw.uniform(0.05, 0.5), draw.random() < 0.3
        add_performance(f"Drawn {number}", "sdr104", values, sd=sd, at_least=hidden)
    groups = {pk: group for pk, _, _, group in Performance.objects.ranking(board, use)}
    for row in Performance.objects.list_measured(board, use).with_models():
        fails = row.make_advice(board, use, place=None).fails_need
        assert groups[row.card_model_id] == (Group.FAILING if fails else Group.PASSING)
    assert {*groups.values()} == {Group.PASSING, Group.FAILING}
