"""Scores from what is known of figures: the reference card, slots, and models whose cards differ."""

import math

import numpy as np
import pytest

from submissions.domain.judgement import engine
from submissions.domain.judgement.engine import Judged
from submissions.domain.judgement.inputs import Counted, Evidence, Silicons
from submissions.domain.judgement.runs import Runs
from submissions.domain.judgement.sides import CardFacts
from submissions.domain.ranking import comparable, interfaces, uses
from submissions.domain.ranking.scores import Scores, figures_of, scores, worst

NAMES = tuple(comparable.judged_figures())


def evidence(values: dict[str, list[float]]) -> Evidence:
    """One model; a value per card, each measured by an owner of its own on a host nobody knows."""
    runs, submission = {}, {}
    for name, cards in values.items():
        count = len(cards)
        logs = np.array([comparable.log_value(name, value) for value in cards])
        number = np.arange(count)
        runs[name] = Runs(
            np.zeros(count, int), number, np.full(count, -1), number, logs, np.full(count, np.inf)
        )
        submission[name] = number
    most = max((len(cards) for cards in values.values()), default=0)
    facts = CardFacts(np.zeros(most, int), np.full(most, -1), np.arange(most))
    return Evidence(runs, submission, np.full((1, 3), -1), facts)


def judged(values: dict[str, list[float]]) -> Judged:
    return engine.judge(evidence(values), engine.prior_fit(comparable.prior_figures()), standing_flags={})


def scored(values: dict[str, list[float]], *, profile: str = "pi-root", interface: str = "fastest") -> Scores:
    slots = scores(judged(values))
    return next(
        score for score in slots if (score.profile.name, score.interface.name) == (profile, interface)
    )


def at_references(times: float = 1.0, cards: int = 20) -> dict[str, list[float]]:
    return {name: [times * term.reference] * cards for name, term in comparable.judged_figures().items()}


def test_it_works() -> None:
    score = scored(at_references())
    assert score.value[0] == pytest.approx(100, rel=0.005)  # any of 20 cards may be odd
    assert score.bound[0] == score.lower[0] < score.value[0] < score.upper[0]
    assert score.covered[0] == score.terms == 14


def test_twice_as_good_in_everything_is_nearly_200() -> None:
    assert 190 < scored(at_references(2)).value[0] < 200


def test_a_slot_that_carries_less_caps_what_is_read() -> None:
    fast = {"seq_read": [160e6] * 20}
    assert scored(fast, profile="media").value[0] > scored(fast, profile="media", interface="ddr50").value[0]
    limited = figures_of(judged(fast), 0, interfaces.find("ddr50"))["seq_read"]
    assert (limited["value"], limited["at_least"]) == (46.6e6, False)


def test_cards_faster_than_the_slot_score_alike_in_it() -> None:
    """Reading at 160 or at 90 MB/s is all the same where 45 MB/s pass."""
    faster, fast = (
        scored(at_references() | {"seq_read": [speed] * 20}, profile="media", interface="ddr50")
        for speed in (160e6, 90e6)
    )
    assert faster.value[0] == pytest.approx(fast.value[0], rel=0.01)


def test_a_slot_without_queueing_leaves_queue_depth_32_out() -> None:
    score = scored({"rand_write_4k_qd32": [5000.0] * 20}, interface="ddr50")
    assert (score.covered[0], score.terms) == (0, 14)
    assert scored({"rand_write_4k_unqueued": [5000.0] * 20}, interface="ddr50").covered[0] == 1


def test_what_was_measured_with_a_queue_tells_something_of_slots_without() -> None:
    """Five times the reference is better than the reference, and much less sure than had it been measured here."""
    queued = scored({"rand_write_4k_qd32": [2500.0] * 20}, interface="ddr50")
    measured = scored({"rand_write_4k_unqueued": [2500.0] * 20}, interface="ddr50")
    assert queued.scored[0]
    assert 100 < queued.value[0] < measured.value[0]
    assert queued.bound[0] < measured.bound[0]
    assert scored({"rand_write_4k_unqueued": [2500.0]}, interface="sdr104").scored[0], "and the reverse"


def test_the_weights_of_a_family_stay_together() -> None:
    root = uses.find("pi-root")
    for interface in interfaces.all_interfaces().values():
        shares = {term.figure: term.share for term in root.on(interface)}
        if interface.slot:
            assert not shares
            continue
        assert math.fsum(shares.values()) == pytest.approx(1)
        family = shares["rand_write_4k"] + sum(
            shares.get(f"rand_write_4k_{how}", 0) for how in ("qd32", "unqueued")
        )
        assert family == pytest.approx(0.35)


def test_what_nobody_measured_lowers_what_it_is_ranked_by() -> None:
    values = at_references()
    del values["seq_read"]
    part, full = scored(values), scored(at_references())
    assert part.covered[0] == 13
    assert part.bound[0] == part.lower[0]
    assert part.value[0] / part.lower[0] > part.upper[0] / part.value[0]
    assert part.bound[0] < full.bound[0]


def test_a_model_of_which_nothing_is_known_has_no_score() -> None:
    assert list(scores(judged({}))) == []


def test_a_card_counts_once_for_all_its_figures() -> None:
    behind = Counted(evidence({"seq_read": [1e6, 2e6], "seq_write": [1e6]})).behind(("seq_read", "seq_write"))
    assert (behind.cards[0], behind.runs[0], behind.submitters[0]) == (2, 2, 2)


def test_a_figure_shows_what_its_cards_say_beside_what_is_believed() -> None:
    figure = figures_of(judged({"rand_write_4k": [2000.0]}), 0, interfaces.find("fastest"))["rand_write_4k"]
    assert figure["measured"] == 2000
    assert figure["lower"] < figure["value"] < 2000
    assert figure["cards"] == 1


def test_a_model_whose_cards_differ_is_ranked_by_the_worst_that_counts() -> None:
    """Of ten cards nine are fast and slow ones, one is dead: too few to count."""
    score = scored(at_references())
    worth, covered = np.array([90.0, 60.0, 5.0]), np.ones(3, int)
    every = np.ones(3, bool)
    three = Scores(score.profile, score.interface, score.figures, worth, worth, worth, worth, covered, every)
    silicons = Silicons(
        evidence({}), model=np.zeros(3, int), signature=np.arange(3), cards=np.array([5, 4, 1])
    )
    ranked_by = worst(silicons, three)[0]
    assert (ranked_by.silicon, ranked_by.low, ranked_by.high) == (1, 60, 90)


def places(of_model: Judged) -> dict[tuple[str, str], float]:
    every = scores(of_model)
    return {(one.profile.name, one.interface.name): one.value[0] for one in every if one.scored[0]}


def test_what_was_measured_in_one_kind_of_slot_says_nothing_of_another() -> None:
    in_a_slot, over_spi = judged({"rand_write_4k": [5000]}), judged({"seq_write_spi": [30_000]})
    everywhere = judged({"rand_write_4k": [5000], "seq_write_spi": [30_000], "seq_write_express": [9e8]})

    assert {interface for _, interface in places(in_a_slot)} == {"high_speed", "ddr50", "sdr104", "fastest"}
    assert set(places(over_spi)) == {("logger", "spi")}
    assert places(in_a_slot).items() <= places(everywhere).items()
    assert places(over_spi).items() <= places(everywhere).items()
    assert ("express", "sd_express") in places(everywhere)
