"""Sliders by which a reader weighs the figures: at first as the default purpose does."""

import pytest

from submissions.domain.measuring import metrics
from submissions.domain.ranking import boards, profiles
from submissions.pages.forms.weights import WeightsForm

FIRST = next(iter(boards.all_boards().values()))


def test_at_first_the_heaviest_figure_of_the_default_purpose_stands_at_ten() -> None:
    shares = {term.figure: term.share for term in profiles.find(profiles.DEFAULT).terms}
    most = max(shares.values())
    form = WeightsForm({})
    tenths = {name: round(10 * share / most) for name, share in shares.items()}
    assert form.weights() == {name: weight for name, weight in tenths.items() if weight}
    assert (max(tenths.values()), form.weights()["rand_write_4k"]) == (10, 10)
    assert (form.board_chosen, form.interface()) == (FIRST, FIRST.interface)


def test_who_moves_one_slider_weighs_by_nothing_else() -> None:
    form = WeightsForm({"seq_read": "3", "rand_read_4k": "0", "board": "raspberry-pi-3"})
    assert form.weights() == {"seq_read": 3.0}
    assert form.board_chosen.slug == "raspberry-pi-3"
    values = {field.name: str(field.value()) for field in form.sliders}
    assert values["seq_read"] == "3" and {values[name] for name in values if name != "seq_read"} == {"0"}


@pytest.mark.parametrize(
    "asked", [{"seq_read": "11"}, {"seq_read": "-1"}, {"seq_read": "x"}, {"board": "abacus"}]
)
def test_nonsense_weighs_nothing(asked: dict[str, str]) -> None:
    form = WeightsForm(asked)
    assert "seq_read" not in form.weights() or "board" in asked
    assert form.board_chosen == FIRST


def test_there_is_a_slider_for_each_figure_of_a_purpose_for_cards_in_the_order_of_the_table() -> None:
    form = WeightsForm({})
    names = [field.name for field in form.sliders]
    assert names == [name for name in metrics.FIGURES if name in names]
    assert {"rand_write_4k", "seq_read"} <= set(names)
    assert not [name for name in names if metrics.FIGURES[name].slot]
    assert [field.label for field in form.sliders][:1] == [metrics.FIGURES[names[0]].title]
    offered = [slug for slug, _ in form.fields["board"].choices]  # type: ignore[attr-defined]
    assert offered == [board.slug for board in boards.all_boards().values() if not board.interface.slot]
    assert 'type="range"' in str(form["seq_read"]) and 'max="10"' in str(form["seq_read"])
