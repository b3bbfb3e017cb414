"""Plots of a model show every card in its row, and over its month of manufacture."""

import pytest

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.summary import Group, Sample, Specimen
from submissions.models import CardModel, Measurement
from submissions.pages.content import dossier
from submissions.pages.forms.finder_form import FinderForm
from submissions.pages.plots import of_compare, of_models, scale
from submissions.pages.plots.figure import percent
from tests.advice import ability, advice_on

OLD = Specimen(card="c1", value=500.0, runs=1, month="2023-11", believed=True)
NEW = Specimen(card="c2", value=2000.0, runs=2, month="2024-02", believed=False)
UNDATED = Specimen(card="c3", value=1000.0, runs=1, month="", believed=True)
YEAR_ALONE = Specimen(card="c4", value=900.0, runs=1, month="2024", believed=True)
OTHER = Specimen(card="c5", value=800.0, runs=1, month="2024-01", believed=True)
FIRST = Group(variant="SA04G 1.1", host="Pi 4", all=7, specimens=(OLD, YEAR_ALONE, UNDATED, NEW))
SECOND = Group(variant="SA08G 2.0", host="Pi 5", all=1, specimens=(OTHER,))
SAMPLE = Sample(rows=(FIRST, SECOND), cards=8, specimens=8, all_rows=3)


PI = boards.find("raspberry-pi-5")
METHOD, OTHER_METHOD = "rand_write_4k", "rand_write_4k_unqueued"


def test_it_works() -> None:
    value = ability("small_writes", 900, lower=600, upper=1200)
    plot = of_models.draw_strip("small_writes", {METHOD: SAMPLE}, value, PI)
    model = "The model: 900 IOPS"
    assert [note.words for note in plot.notes][:3] == [
        model,
        "SA04G 1.1 · Pi 4 · 7 cards",
        "SA08G 2.0 · Pi 5 · 1 card",
    ]
    assert [bar.tip for bar in plot.bars] == [
        f"{model}, measured in a Raspberry Pi 5 or 500, 600 IOPS to 1,200 IOPS"
    ]
    assert [(mark.tip, mark.faint, mark.style) for mark in plot.marks][:4:3] == [
        ("card c1, 500 IOPS, 1 run, Pi 4, November 2023", False, 0),
        ("card c2, 2,000 IOPS, 2 runs, Pi 4, February 2024, does not count", True, 0),
    ]
    assert plot.marks[-1].style == 1 and [key.words for key in plot.legend] == ["SA04G 1.1", "SA08G 2.0"]
    assert "This chart shows 5 of 8 marks" in plot.words.note
    assert "Of 3 rows, the 2 with the most cards are shown." in plot.words.note
    assert plot.table.rows[0] == (
        *("c2", "SA04G 1.1", "Pi 4", "Random write, 4 KiB", "February 2024"),
        *("2,000 IOPS (does not count)", "2"),
    )
    assert [row[0] for row in plot.table.rows] == ["c2", "c3", "c4", "c5", "c1"]
    assert plot.table.rows[1][4] == "–"


def test_all_methods_of_an_ability_stand_in_one_plot() -> None:
    whole = Sample(rows=(SECOND,), cards=1, specimens=1, all_rows=1)
    plot = of_models.draw_strip("small_writes", {METHOD: whole, OTHER_METHOD: whole}, None, PI)
    assert [note.words for note in plot.notes] == [
        "SA08G 2.0 · Pi 5 · Random write, 4 KiB · 1 card",
        "SA08G 2.0 · Pi 5 · Random write, 4 KiB, no queue · 1 card",
    ]
    assert plot.words.name == "strip-small_writes" and len(plot.marks) == 2


def test_one_silicon_that_is_drawn_whole_needs_no_words() -> None:
    whole = Sample(rows=(SECOND,), cards=1, specimens=1, all_rows=1)
    plot = of_models.draw_strip("small_writes", {METHOD: whole}, None, PI)
    assert plot.legend == plot.bars == ()
    assert plot.words.note == (
        "1 card; each mark is the median of its runs in one kind of host. The axis is logarithmic."
    )


def test_a_bar_that_a_link_hid_begins_at_its_value() -> None:
    value = ability("large_reads", 45e6, lower=40e6, upper=90e6, at_least=True)
    whole = Sample(rows=(SECOND,), cards=1, specimens=1, all_rows=1)
    (bar,) = of_models.draw_strip("large_reads", {"seq_read": whole}, value, PI).bars
    assert bar.x == bar.middle and bar.tip.startswith("The model: at least 45 MB/s")
    assert not bar.is_expected


def test_an_expected_bar_looks_different() -> None:
    value = ability("small_writes", 900, origin="elsewhere")
    whole = Sample(rows=(SECOND,), cards=1, specimens=1, all_rows=1)
    (bar,) = of_models.draw_strip("small_writes", {METHOD: whole}, value, PI).bars
    assert bar.is_expected and "expected from other devices" in bar.tip


def test_cards_stand_over_their_month_of_manufacture() -> None:
    """The months are November, January and February; a card without a month is left out."""
    plot = of_models.draw_history("rand_write_4k", SAMPLE)
    assert plot is not None
    assert [mark.tip.split(",")[0] for mark in plot.marks] == ["card c1", "card c2", "card c5"]
    first, last, between = (mark.x for mark in plot.marks)
    assert (between - first) / (last - first) == pytest.approx(2 / 3, abs=1e-3)
    assert [mark.faint for mark in plot.marks] == [False, True, False]
    assert plot.x_ticks[0].words == "2023-11"
    assert not plot.segments
    assert plot.words.note.startswith("3 of 5 cards have a date of manufacture.")
    assert (plot.words.name, plot.words.x_title, plot.words.y_title) == (
        "history-rand_write_4k",
        "Manufactured",
        "Random write, 4 KiB",
    )
    assert [row[0] for row in plot.table.rows] == ["c2", "c5", "c1"]


def test_of_one_month_nothing_is_drawn() -> None:
    rows = (Group("SA04G 1.1", "Pi 4", (OLD, OLD, UNDATED), all=3),)
    assert of_models.draw_history("rand_write_4k", Sample(rows, 2, 3, 1)) is None
    assert [of_models._month_words(number) for number in (24_287, 24_288.4)] == ["2023-12", "2024-01"]


def test_of_many_abilities_those_of_the_use_are_drawn() -> None:
    wish = FinderForm({"board": "raspberry-pi-4", "use": "pi-root"}).wish()
    figures = ("seq_write_spi", "seq_read", "seq_write", "rand_read_4k", METHOD)
    strips, histories = dossier._draw_plots(wish, dict.fromkeys(figures, SAMPLE), advice_on({}))
    assert [plot.words.name for plot in strips] == [
        *("strip-small_writes", "strip-small_reads", "strip-large_writes", "strip-large_reads"),
    ]
    histories_of = ("rand_write_4k", "rand_read_4k", "seq_write", "seq_read")
    assert [plot.words.name for plot in histories] == [f"history-{name}" for name in histories_of]


def test_leading_abilities_stand_on_one_scale_with_the_need() -> None:
    card, use = CardModel(name="Kingston 4 GB"), uses.find_use("pi-root")
    advice = advice_on({"small_writes": 1000}, lower=500, upper=2000, cards=2)
    plot = of_compare.draw_leading([(card, advice)], use)
    axis = scale.logarithmic([500, 1000, 2000])
    assert plot is not None and of_compare.draw_leading([(card, advice_on({}))], use) is None
    (bar,) = plot.bars
    ends = [percent(axis, amount) for amount in (500, 1000, 2000)]
    assert [bar.x, bar.middle, bar.x + bar.width] == pytest.approx(ends, abs=0.01)
    assert bar.tip == "1,000 IOPS, 500 IOPS to 2,000 IOPS, 2 cards, 1 trusted source"
    assert plot.table.rows == (
        ("Kingston 4 GB", "1,000 IOPS", "500 IOPS to 2,000 IOPS", "2 cards, 1 trusted source"),
    )
    assert [note.x for note in plot.notes if note.rule] == [percent(axis, 500)]


def test_a_spread_is_a_share_in_percent() -> None:
    assert [of_models.spread_words(Measurement(spread=spread)) for spread in (0.043, None)] == ["4 %", "–"]
