"""What the whole crowd tells: hosts, spreads, and the market."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau

from submissions.domain.judgement.cells import gather
from submissions.domain.judgement.crowd_survey import survey
from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.judgement.runs import Runs
from tests.crowd import Crowd, crowd
from tests.submissions.domain.judgement.small import NO_TRAITS, estimate, runs
from tests.worlds import NAMES, Manners, Size

FIGURE = "rand_write_4k"


@pytest.fixture(scope="module")
def honest() -> Crowd:
    return crowd(11, Size(models=200, hosts=12, runs=8000), Manners(0, 0, 0, mistakes=False, spam=False))


def surveyed(drawn: Crowd, drawn_runs: Runs):
    cells = gather(drawn_runs)
    around = survey(cells, traits=drawn.traits, cards=drawn.cards, host_types=drawn.host_type)
    return around, estimate(cells, around, traits=drawn.traits, cards=drawn.cards)


def test_it_works(honest: Crowd) -> None:
    """The spreads the crowd was drawn with are found again; card spreads differ by model there, so loosely."""
    around, estimates = surveyed(honest, honest.runs_of(FIGURE))
    assert around.spreads.card == pytest.approx(0.08, abs=0.02)
    assert around.spreads.interaction == pytest.approx(0.05, abs=0.01)
    measured = estimates.cards > 0
    assert kendalltau(estimates.mean[measured], honest.truth[FIGURE][measured]).statistic > 0.9


def test_where_links_hide_most_cards_the_others_tell_how_far_they_scatter(honest: Crowd) -> None:
    """Nearly every model has cards on hosts that hide them, and cards elsewhere."""
    around, _ = surveyed(honest, honest.runs_of("seq_read"))
    assert around.spreads.card == pytest.approx(0.05, abs=0.02)
    assert around.spreads.interaction == pytest.approx(0.03, abs=0.015)


def test_the_level_is_as_sure_as_the_mean_of_all_hosts(honest: Crowd) -> None:
    spreads = surveyed(honest, honest.runs_of(FIGURE))[0].spreads
    assert spreads.level == pytest.approx(np.sqrt(spreads.unseen_host() / 12))


@pytest.mark.parametrize("types", [1, 4])
def test_hosts_that_only_show_their_link_leave_the_level_open(honest: Crowd, types: int) -> None:
    """What none of the cards on a third of the hosts tells, they may add or take: all alike if they are of one type,
    and three kinds of links at most."""
    rows = honest.runs_of(FIGURE)
    cells = gather(rows)
    hidden = np.arange(12) % 3 == 0
    limited = replace(cells, at_least=hidden[cells.host])
    of_type = np.where(hidden, 5 + np.arange(12) // 3 % types, honest.host_type)
    spreads = survey(limited, traits=honest.traits, cards=honest.cards, host_types=of_type).spreads
    of_types, of_hosts = spreads.host_type**2 / 9 / min(types, 3), spreads.host**2 / 3 / 12
    assert spreads.level == pytest.approx(np.sqrt(of_types + of_hosts + spreads.unseen_host() / 8))


def test_a_slow_host_is_told_from_a_slow_card(honest: Crowd) -> None:
    """Every run of one host at half the rate: its effect moves by ln 2, the order of the models stays."""
    rows = honest.runs_of(FIGURE)
    busiest = int(np.bincount(rows.host).argmax())
    slower = replace(rows, log_value=rows.log_value - np.log(2) * (rows.host == busiest))
    (before, first), (after, second) = surveyed(honest, rows), surveyed(honest, slower)
    moved = after.host_effect - before.host_effect
    assert moved[busiest] - np.delete(moved, busiest).mean() == pytest.approx(-np.log(2), abs=0.1)
    measured = first.cards > 0
    assert kendalltau(first.mean[measured], second.mean[measured]).statistic > 0.98


def test_hosts_are_measured_from_the_average_host(honest: Crowd) -> None:
    around, _ = surveyed(honest, honest.runs_of(FIGURE))
    assert around.host_effect.mean() == pytest.approx(0, abs=1e-9)
    assert around.host_variance[-1] == around.spreads.unseen_host()


def test_a_host_gone_astray_leaves_the_level_alone(honest: Crowd) -> None:
    """One of twelve hosts 40 off: the others stay where they are."""
    rows = honest.runs_of(FIGURE)
    rarest = int(np.bincount(rows.host).argmin())
    far = replace(rows, log_value=rows.log_value + 40 * (rows.host == rarest))
    before, after = (
        survey(
            gather(each), traits=honest.traits, cards=honest.cards, host_types=honest.host_type
        ).host_effect
        for each in (rows, far)
    )
    others = np.arange(12) != rarest
    assert np.median(np.abs(after - before)[:-1][others]) < 0.03


def test_a_trait_not_known_says_nothing(honest: Crowd) -> None:
    """Models without a brand are expected in the middle, and as uncertain as brands differ."""
    traits = honest.traits.copy()
    traits[::3, 0] = -1
    cells = gather(honest.runs_of(FIGURE))
    market = survey(cells, traits=traits, cards=honest.cards, host_types=honest.host_type).market
    assert market.effects[0][-1] == 0.0
    assert market.variances[0][-1] == market.variances[0].max() > market.variances[0][:-1].min()


def test_a_host_whose_link_hides_nearly_everything_is_taken_for_its_type() -> None:
    """What can be seen there are throttled runs, ten times too slow: ln 10 = 2.3."""
    healthy = [(0, card, 0, card, 0.0) for card in range(20)]
    hidden = [(0, 20 + card, 1, 20 + card, -1.0) for card in range(18)]
    throttled = [(0, 38 + card, 1, 38 + card, -2.3) for card in range(4)]
    rows = runs([*healthy, *hidden, *throttled])
    rows = replace(rows, log_reach=np.where(rows.host == 1, -1.0, np.inf))
    around = survey(gather(rows), traits=NO_TRAITS, cards=42, host_types=np.array([0, 0]))
    assert abs(around.host_effect[1] - around.host_effect[0]) < 0.5


def test_a_host_gone_astray_does_not_take_the_level_with_it() -> None:
    """Twenty hosts agree; on one more, seen with cards of its own, everything is a hundred times slower."""
    rows = [(0, card, card % 20, card, 0.0) for card in range(100)]
    around = survey(
        gather(runs([*rows, *[(0, 100 + card, 20, 100 + card, -4.6) for card in range(40)]])),
        traits=NO_TRAITS,
        cards=140,
        host_types=np.zeros(21, dtype=np.int64),
    )
    assert np.abs(around.host_effect[:20]).max() < 0.1


def test_one_run_is_enough_to_begin_with() -> None:
    around = survey(gather(runs([(0, 0, 0, 0, 5.0)])), traits=NO_TRAITS, cards=1, host_types=np.array([-1]))
    assert around.market.mean(NO_TRAITS)[0] == pytest.approx(5.0, abs=0.06)  # the card may be odd
    assert around.spreads.market == pytest.approx(DEFAULTS.usual_market, abs=0.1)


def test_nothing_to_survey_is_said() -> None:
    with pytest.raises(ValueError, match="no cells"):
        survey(gather(runs([])), traits=NO_TRAITS, cards=0, host_types=np.zeros(0, dtype=np.int64))


def test_the_spread_of_hosts_survives_types_of_one_host_each() -> None:
    """Nobody can say whether such a host is odd or its type; both together differ as far as hosts do."""
    found, true = [], []
    for seed in (13, 14, 15):
        drawn = crowd(seed, Size(models=150, hosts=60, runs=6000), Manners(lone=True, own_types=True))
        found.append(surveyed(drawn, drawn.runs_of(FIGURE))[0].spreads.unseen_host())
        true.append(drawn.host_effect[NAMES.index(FIGURE)].var())
    assert np.sqrt(np.mean(found)) == pytest.approx(np.sqrt(np.mean(true)), rel=0.1)


@pytest.mark.parametrize("models", [20, 40, 80, 150])
def test_the_spread_of_a_small_market_survives(models: int) -> None:
    """Models differ by 0.6; brand and line have nearly one model each."""
    for seed in range(4):
        drawn = crowd(seed, Size(models=models, hosts=30, runs=40 * models), Manners(lone=True))
        around, estimates = surveyed(drawn, drawn.runs_of(FIGURE))
        fair = (estimates.cards > 0) & (drawn.kind == 0)
        assert around.spreads.market > 0.35
        assert np.abs(estimates.mean - drawn.truth[FIGURE])[fair].max() < np.log(3)
