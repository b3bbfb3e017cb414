"""Tests that advice contains all statements about a model for a use in a slot."""

from typing import Any

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.advice import Advice, Place, SlotValues, make_advice
from submissions.domain.ranking.boards import find
from submissions.domain.ranking.catalogue import log_value
from submissions.domain.ranking.gates import ModelFacts
from submissions.domain.ranking.order import NeedState
from submissions.domain.ranking.uses import find_use

VOICES = {"cards": 1, "people": 1, "known_people": 1, "runs": 3, "voices": 1, "proof": 4}


def _values(**measured: float) -> SlotValues:
    abilities: dict[str, dict[str, Any]] = {
        name: {
            "value": value,
            "lower": value / 1.3,
            "upper": value * 1.3,
            "origin": "here",
            "at_least": False,
            "median": value,
            **VOICES,
        }
        for name, value in measured.items()
    }
    logs = [log_value(name, measured[name]) if name in measured else None for name in ABILITIES]
    return SlotValues(abilities, logs, [None if log is None else 0.3 for log in logs])


def _advice(values: SlotValues | None, *, use: str = "pi-root", lost_data: bool = False) -> Advice:
    place = Place(1, shared=False, listed=20) if values else None
    facts = ModelFacts(lost_data=lost_data)
    return make_advice(find("raspberry-pi-5"), find_use(use), facts, values, place=place)


def _states(advice: Advice) -> dict[str, NeedState]:
    return {result.need.ability: result.state for result in advice.needs}


def test_it_works() -> None:
    advice = _advice(_values(small_writes=4118, small_reads=3900, large_writes=70e6))
    assert set(_states(advice).values()) == {NeedState.PASS}
    assert advice.passes_needs and not advice.fails_need
    assert advice.leading is not None and advice.leading.value == 4118


def test_what_nobody_measured_is_said_so() -> None:
    advice = _advice(_values(small_writes=4118))
    assert _states(advice) == {
        "small_writes": "pass",
        "small_reads": "not_measured",
        "large_writes": "not_measured",
    }
    assert not advice.passes_needs and not advice.fails_need


def test_a_model_without_values_has_no_place() -> None:
    advice = _advice(None)
    assert (advice.leading, advice.place, dict(advice.abilities)) == (None, None, {})


def test_a_card_that_lost_data_passes_nothing() -> None:
    advice = _advice(_values(small_writes=4118, small_reads=3900, large_writes=70e6), lost_data=True)
    assert not advice.passes_needs


def test_the_fallback_leads_where_nobody_measured_the_leading_ability() -> None:
    both = _advice(_values(sustained_writes=40e6, large_writes=70e6), use="camera")
    other = _advice(_values(large_writes=70e6), use="camera")
    assert both.leading is not None and both.leading.ability == "sustained_writes"
    assert other.leading is not None and other.leading.ability == "large_writes"
    assert _states(other) == {"sustained_writes": "not_measured"}


def test_a_median_outside_of_the_interval_is_flagged() -> None:
    values = _values(small_writes=1000)
    far = {**values.abilities["small_writes"], "median": 4118.0}
    assert not _leading(values).differs_from_median
    assert _leading(SlotValues({"small_writes": far}, values.means, values.card_sds)).differs_from_median


def _leading(values: SlotValues) -> Any:
    return _advice(values).leading


def test_the_fallback_may_fail_the_leading_need_and_never_passes_it() -> None:
    slow, fast = (_advice(_values(large_writes=rate), use="dashcam") for rate in (5e6, 90e6))
    assert (slow.fails_need, _states(slow)) == (True, {"sustained_writes": "fail"})
    assert (fast.fails_need, _states(fast)) == (False, {"sustained_writes": "not_measured"})


def test_one_report_of_an_unknown_person_proves_neither_a_pass_nor_a_failure() -> None:
    for speed, state in ((4118, NeedState.PASS), (40, NeedState.FAIL)):
        values = _values(small_writes=speed, small_reads=3900, large_writes=70e6)
        for proof, is_proven in ((1, False), (2, True)):
            abilities = {name: {**one, "proof": proof} for name, one in values.abilities.items()}
            advice = _advice(SlotValues(abilities, values.means, values.card_sds))
            assert _states(advice)["small_writes"] == (state if is_proven else NeedState.UNCLEAR)
            assert advice.passes_needs == (is_proven and state is NeedState.PASS)
            assert advice.fails_need == (is_proven and state is NeedState.FAIL)


def test_a_value_far_from_the_tests_in_its_slot_is_an_estimate() -> None:
    values = _values(large_writes=70e6)
    one = values.abilities["large_writes"]
    medians = {"near": 70e6, "slower": 20e6, "faster": 95e6}
    named = {
        name: _leading_write(
            SlotValues({"large_writes": {**one, "median": median}}, values.means, values.card_sds)
        )
        for name, median in medians.items()
    }
    assert {name: value.is_measured for name, value in named.items()} == {
        "near": True,
        "slower": False,
        "faster": False,
    }
    at_limit = SlotValues(
        {"large_writes": {**one, "upper": 70e6, "median": 95e6}}, values.means, values.card_sds
    )
    assert _leading_write(at_limit).is_measured, "the slot limits a card that was faster elsewhere"


def _leading_write(values: SlotValues) -> Any:
    return _advice(values).abilities["large_writes"]


def test_the_fallback_is_less_sure_than_the_ability_that_it_replaces() -> None:
    """At 20 of 30 MB/s the ability itself would fail."""
    leading, instead = (
        _states(_advice(_values(**{name: 20e6}), use="dashcam"))
        for name in ("sustained_writes", "large_writes")
    )
    assert (leading, instead) == ({"sustained_writes": "fail"}, {"sustained_writes": "not_measured"})
