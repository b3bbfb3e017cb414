"""Pictures of a model: every specimen in its row, and over its month of manufacture."""

import pytest

from submissions.domain.ranking.summary import Group, Sample, Specimen
from submissions.models import CardModel, Measurement, Score
from submissions.pages.content import dossier
from submissions.pages.forms.finder_form import FinderForm
from submissions.pages.plots import of_compare, of_models, scale
from submissions.pages.plots.figure import percent

OLD = Specimen(card="c1", value=500.0, runs=1, month="2023-11", believed=True)
NEW = Specimen(card="c2", value=2000.0, runs=2, month="2024-02", believed=False)
UNDATED = Specimen(card="c3", value=1000.0, runs=1, month="", believed=True)
YEAR_ALONE = Specimen(card="c4", value=900.0, runs=1, month="2024", believed=True)
OTHER = Specimen(card="c5", value=800.0, runs=1, month="2024-01", believed=True)
FIRST = Group(variant="SA04G 1.1", host="Pi 4", all=7, specimens=(OLD, YEAR_ALONE, UNDATED, NEW))
SECOND = Group(variant="SA08G 2.0", host="Pi 5", all=1, specimens=(OTHER,))
SAMPLE = Sample(rows=(FIRST, SECOND), cards=8, specimens=8, all_rows=3)


def test_it_works() -> None:
    plot = of_models.strip("rand_write_4k", SAMPLE, {"value": 900.0, "lower": 600.0, "upper": 1200.0})
    assert [note.words for note in plot.notes][:3] == [
        "The model: 900 IOPS",
        "SA04G 1.1 · Pi 4 · 7 cards",
        "SA08G 2.0 · Pi 5 · 1 card",
    ]
    assert [bar.tip for bar in plot.bars] == ["900 IOPS, 95 % sure: 600 IOPS to 1,200 IOPS"]
    assert [(mark.tip, mark.faint, mark.style) for mark in plot.marks][:4:3] == [
        ("card c1, 500 IOPS, 1 run, Pi 4, November 2023", False, 0),
        ("card c2, 2,000 IOPS, 2 runs, Pi 4, February 2024, does not count", True, 0),
    ]
    assert plot.marks[-1].style == 1 and [key.words for key in plot.legend] == ["SA04G 1.1", "SA08G 2.0"]
    assert "5 of 8 marks are drawn" in plot.words.note
    assert "Of 3 rows the 2 with most cards are shown." in plot.words.note
    assert plot.table.rows[0] == (
        "c2",
        "SA04G 1.1",
        "Pi 4",
        "February 2024",
        "2,000 IOPS (does not count)",
        "2",
    )
    assert [row[0] for row in plot.table.rows] == ["c2", "c3", "c4", "c5", "c1"]
    assert plot.table.rows[1][3] == "–"


def test_one_silicon_that_is_drawn_whole_needs_no_words() -> None:
    whole = Sample(rows=(SECOND,), cards=1, specimens=1, all_rows=1)
    plot = of_models.strip("rand_write_4k", whole, None)
    assert plot.legend == plot.bars == ()
    assert plot.words.note == (
        "1 card; each mark is the median of its runs in one kind of host. Logarithmic axis."
    )
    assert of_models.strip("rand_write_4k", whole, {"value": 900.0}).bars == ()


def test_cards_stand_over_their_month_of_manufacture() -> None:
    """November, January and February; what has no month has no place."""
    plot = of_models.history("rand_write_4k", SAMPLE)
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
    assert of_models.history("rand_write_4k", Sample(rows, 2, 3, 1)) is None
    assert [of_models._month_words(number) for number in (24_287, 24_288.4)] == ["2023-12", "2024-01"]


def test_of_many_figures_those_that_weigh_most_are_drawn() -> None:
    wish = FinderForm({"board": "raspberry-pi-4", "profile": "pi-root"}).wish()
    terms = sorted(wish.profile.on(wish.board.interface), key=lambda term: (-term.share, term.figure))
    samples = dict.fromkeys(["seq_read_spi", *(term.figure for term in reversed(terms))], SAMPLE)
    strips, histories = dossier._pictures(wish, samples, {})
    assert [plot.words.name for plot in strips] == [f"strip-{term.figure}" for term in terms[:4]]
    assert [plot.words.name for plot in histories] == [f"history-{term.figure}" for term in terms[:4]]


def test_scores_stand_on_one_scale_in_multiples_of_enough() -> None:
    card = CardModel(name="Kingston 4 GB")
    plot = of_compare.scores([Score(card_model=card, value=100, lower=50, upper=200, cards=2)])
    axis = scale.logarithmic([0.5, 1, 2])
    assert plot is not None and of_compare.scores([]) is None
    (bar,) = plot.bars
    ends = [percent(axis, multiple) for multiple in (0.5, 1, 2)]
    assert [bar.x, bar.middle, bar.x + bar.width] == pytest.approx(ends, abs=0.01)
    assert bar.tip == "1×, 0.5× – 2×, 2 cards"
    assert plot.table.rows == (("Kingston 4 GB", "1×", "0.5×", "2×", "2"),)


def test_a_spread_is_a_share_in_percent() -> None:
    assert [of_models.spread_words(Measurement(spread=spread)) for spread in (0.043, None)] == ["4 %", "–"]
