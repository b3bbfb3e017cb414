"""Small crowds by hand: rows of runs, surroundings with round numbers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from submissions.domain.judgement.cells import Cells
from submissions.domain.judgement.composite import Composite, Figures, expect, weigh
from submissions.domain.judgement.crowd import CrowdFigure, Market, Spreads
from submissions.domain.judgement.estimates import Estimates, estimate_all
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index
from submissions.domain.judgement.runs import Runs

# Without t weights and odd cards, and without widening, so that numbers can be computed by hand.
PLAIN = replace(DEFAULTS, tail=1e9, odd_cards=1e-30, level=0.0)
SPREADS = Spreads(repeat=0.1, interaction=0.1, card=0.2, host=0.3, market=0.5, level=0.0)
NO_TRAITS = np.zeros((1, 0), dtype=np.int64)


def runs(rows: Sequence[tuple[int, int, int, int, float]], reach: float = np.inf) -> Runs:
    """Rows of (model, card, host, submitter, log value)."""
    model, card, host, submitter = np.array([row[:4] for row in rows], dtype=np.int64).reshape(-1, 4).T
    values = np.array([row[4] for row in rows], dtype=np.float64)
    return Runs(model, card, host, submitter, values, np.full(len(rows), reach))


def surroundings(hosts: int = 4, spreads: Spreads = SPREADS) -> CrowdFigure:
    """Hosts that add nothing and are known exactly; a market at 0."""
    effect, variance = np.zeros(hosts + 1), np.zeros(hosts + 1)
    variance[-1] = spreads.host**2
    return CrowdFigure(effect, variance, spreads, Market(0.0, (), ()))


def estimate(
    cells: Cells,
    crowd_figure: CrowdFigure,
    *,
    traits: Index,
    cards: int,
    parameters: Parameters = DEFAULTS,
) -> Estimates:
    """`estimate_all` of one figure."""
    expected = crowd_figure.market.expected(traits, crowd_figure.spreads)
    (estimates,) = estimate_all([(cells, crowd_figure)], [expected], cards=cards, parameters=parameters)
    return estimates


def composite(
    figures: Figures,
    *,
    weights: Floats,
    log_reference: Floats,
    rho: Floats,
    parameters: Parameters = DEFAULTS,
) -> Composite:
    """What is expected of all models, weighed once."""
    expected = expect(figures, rho=rho)
    return weigh(expected, weights=weights, log_reference=log_reference, parameters=parameters)
