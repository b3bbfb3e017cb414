"""All of it on a crowd with troubles: better than plain medians, honest about it, and not moved by spam."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from submissions.domain.judgement import robust, sides, variation
from submissions.domain.judgement.cells import Cells, gather
from submissions.domain.judgement.crowd import CrowdFigure
from submissions.domain.judgement.crowd_survey import survey
from submissions.domain.judgement.estimates import Estimates
from submissions.domain.judgement.link_limits import learn
from tests.crowd import Crowd, crowd
from tests.submissions.domain.judgement.small import estimate
from tests.worlds import FIGURES, NAMES, REFERENCE_LINK, Size

SIZE = Size(models=400, hosts=40, runs=16_000)
HONEST_CARDS = int(0.3 * SIZE.runs)
Fits = dict[str, tuple[Cells, CrowdFigure, Estimates]]


@pytest.fixture(scope="module")
def drawn() -> Crowd:
    return crowd(12, SIZE)


@pytest.fixture(scope="module")
def fits(drawn: Crowd) -> Fits:
    return {figure.name: fitted(drawn, figure.name, linked=figure.linked) for figure in FIGURES}


def fitted(drawn: Crowd, name: str, *, linked: bool) -> tuple[Cells, CrowdFigure, Estimates]:
    runs = drawn.runs_of(name)
    cells = gather(runs, learn([runs], hosts=SIZE.hosts) if linked else None)
    around = survey(cells, traits=drawn.traits, cards=drawn.cards, host_types=drawn.host_type)
    return cells, around, estimate(cells, around, traits=drawn.traits, cards=drawn.cards)


def on_the_reference_host(name: str, values: np.ndarray) -> np.ndarray:
    return np.minimum(values, np.log(REFERENCE_LINK)) if name.startswith("seq") else values


@pytest.mark.parametrize("name", NAMES)
def test_it_orders_models_better_than_plain_medians(drawn: Crowd, fits: Fits, name: str) -> None:
    runs, estimates, truth = drawn.runs_of(name), fits[name][2], drawn.truth[name]
    fair = (estimates.cards > 0) & (drawn.kind == 0)
    medians = robust.medians(runs.model, runs.log_value, count=SIZE.models)
    plain, judged = (
        kendalltau(on_the_reference_host(name, values)[fair], truth[fair]).statistic
        for values in (medians, estimates.mean)
    )
    assert judged > plain + 0.01


@pytest.mark.parametrize("name", NAMES)
def test_it_says_how_sure_it_is(drawn: Crowd, fits: Fits, name: str) -> None:
    """Nominal 95 %; a small crowd tells hosts and spreads less well than a large one."""
    estimates, truth = fits[name][2], drawn.truth[name]
    fair = (estimates.cards > 0) & (drawn.kind == 0)
    low, high = (on_the_reference_host(name, estimates.mean + side * 1.96 * estimates.sd) for side in (-1, 1))
    assert 0.85 < ((low <= truth) & (truth <= high))[fair].mean() < 0.995


def test_spam_moves_hardly_any_model(drawn: Crowd, fits: Fits) -> None:
    name = "rand_write_4k"
    _, around, estimates = fits[name]
    runs = drawn.runs_of(name)
    honest = gather(runs.where(runs.card < HONEST_CARDS))
    calm = estimate(honest, around, traits=drawn.traits, cards=drawn.cards)
    hit = drawn.spammed & (calm.cards > 0)
    assert hit.sum() >= 5
    assert np.quantile(np.abs(estimates.mean - calm.mean)[hit], 0.9) < 0.12


def test_flags_are_mostly_right(drawn: Crowd, fits: Fits) -> None:
    values = {
        name: sides.values_of(cells, estimates, around.spreads)
        for name, (cells, around, estimates) in fits.items()
    }
    facts = sides.CardFacts(drawn.card_model, drawn.signature, drawn.card_submitter)
    pool, compared = variation.survey(facts, values)
    varies = variation.find(facts, compared, pool).varies
    right = [model for model in varies if drawn.kind[model] == 1]
    assert len(right) >= 3
    assert len(varies) - len(right) <= 1
