"""The way from evidence to judgement, for one model or for all: the same calls, so that both give the same numbers.

`learn` fits the whole crowd; `judge` applies what was learned to any number of models. What we say of a model depends
on the evidence of that model and on what was learned, and on nothing else.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace

import numpy as np

from submissions.domain.judgement import composite, factors, link_limits, variation
from submissions.domain.judgement.cells import Cells, gather
from submissions.domain.judgement.composite import Figures, expect
from submissions.domain.judgement.crowd import CrowdFigure, Expected
from submissions.domain.judgement.crowd_survey import survey
from submissions.domain.judgement.estimates import Estimates, estimate_all
from submissions.domain.judgement.inputs import Evidence
from submissions.domain.judgement.link_limits import Links
from submissions.domain.judgement.moderation import PRIOR
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.predicted import Predicted, crowd_cards, predict
from submissions.domain.judgement.robust import Floats, Index
from submissions.domain.judgement.sides import CardFacts, Values, values_of
from submissions.domain.judgement.variation import Compared, Findings, Pool

# Of fewer cells or models, a figure keeps what is usual. Spreads have priors, but a level needs some models to lie on.
_LEAST_CELLS, _LEAST_MODELS = 6, 5
# Up to so many rows, all figures are worked out in one go.
_FEW_ROWS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class CrowdFit:
    """What one full fit learned. `links` are the same for every figure that a link limits; no other has any;
    `loadings`: figures x factors."""

    figures: Mapping[str, CrowdFigure]
    links: Mapping[str, Links]
    pool: Pool
    loadings: Floats

    @property
    def rho(self) -> Floats:
        """How figures go together: figures x figures. Those of different kinds of slot say nothing of each other."""
        slots = np.array([of_figure.slot for of_figure in self.figures.values()])
        alike: Floats = slots[:, None] == slots[None, :]
        return factors.correlation(self.loadings) * alike


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """`estimates` of the figures that were measured, and what is `predicted` of a card from a shop. Of all, in the
    order of `names`: `figures` each by itself, and what is `expected` as they inform one another."""

    names: tuple[str, ...]
    estimates: Mapping[str, Estimates]
    predicted: Mapping[str, Predicted]
    figures: Figures
    expected: composite.Expected
    findings: Findings


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    estimates: Mapping[str, Estimates]
    values: Mapping[str, Values]
    figures: Figures


def prior_fit(prior: Mapping[str, CrowdFigure]) -> CrowdFit:
    """What stands in for a full fit before the first: the figures of `prior`, and no model is flagged."""
    priors = dict.fromkeys(prior, PRIOR)
    return CrowdFit(prior, {}, Pool(priors, priors), factors.usual(len(prior)))


def learn(
    evidence: Evidence,
    *,
    host_types: Index,
    linked: Collection[str],
    prior: Mapping[str, CrowdFigure],
    standing_flags: Mapping[int, int],
    parameters: Parameters = DEFAULTS,
) -> tuple[CrowdFit, Judged]:
    """One full fit, and what it says of every model. `linked`: figures that a host's link limits; `prior`: figure ->
    what is believed where too little was measured; `standing_flags` as `judge` takes them."""
    limited = {name: runs for name, runs in evidence.runs.items() if name in linked}
    link = link_limits.learn(limited.values(), hosts=len(host_types), parameters=parameters)
    links = dict.fromkeys(limited, link)
    cells = _cells(evidence, links, parameters)
    crowd_figures = {
        name: _surveyed(evidence, cells.get(name), host_types, before, parameters)
        for name, before in prior.items()
    }
    reading = _read(evidence, cells, crowd_figures, parameters)
    crowd_figures = {
        name: _with_cards(of_figure, reading.estimates.get(name), evidence.cards)
        for name, of_figure in crowd_figures.items()
    }
    pool, compared = variation.survey(evidence.cards, reading.values, parameters=parameters)
    crowd = CrowdFit(crowd_figures, links, _of_all(pool, prior), factors.learn(reading.figures))
    return crowd, _judged(evidence, crowd, reading, compared, standing_flags, parameters)


def judge(
    evidence: Evidence,
    crowd: CrowdFit,
    *,
    standing_flags: Mapping[int, int],
    parameters: Parameters = DEFAULTS,
) -> Judged:
    """What the evidence says. `standing_flags`: model -> its cards when it was flagged last; such a flag falls late."""
    reading = _read(evidence, _cells(evidence, crowd.links, parameters), crowd.figures, parameters)
    compared = variation.compare(evidence.cards, reading.values, crowd.pool, parameters=parameters)
    return _judged(evidence, crowd, reading, compared, standing_flags, parameters)


def _cells(evidence: Evidence, links: Mapping[str, Links], parameters: Parameters) -> dict[str, Cells]:
    return {
        name: gather(runs, links.get(name), parameters=parameters) for name, runs in evidence.runs.items()
    }


def _surveyed(
    evidence: Evidence, cells: Cells | None, host_types: Index, before: CrowdFigure, parameters: Parameters
) -> CrowdFigure:
    """One figure of the crowd; as it was `before` where too little of it was measured."""
    if cells is None or len(cells) < _LEAST_CELLS or len(np.unique(cells.model)) < _LEAST_MODELS:
        return before
    learned = survey(
        cells,
        traits=evidence.traits,
        cards=len(evidence.cards.model),
        host_types=host_types,
        parameters=parameters,
    )
    return replace(learned, slot=before.slot)


def _with_cards(crowd_figure: CrowdFigure, estimates: Estimates | None, cards: CardFacts) -> CrowdFigure:
    """The same with how far cards lie from their model; of too few nothing is learned."""
    if estimates is None:
        return crowd_figure
    away = crowd_cards(estimates, cards.model)
    return replace(crowd_figure, spreads=replace(crowd_figure.spreads, cards=away)) if away else crowd_figure


def _read(
    evidence: Evidence,
    cells: Mapping[str, Cells],
    crowd_figures: Mapping[str, CrowdFigure],
    parameters: Parameters,
) -> _Reading:
    expected = {
        name: of_figure.market.expected(evidence.traits, of_figure.spreads)
        for name, of_figure in crowd_figures.items()
    }
    estimates: dict[str, Estimates] = {}
    for names in _in_one_go(cells):
        fitted = estimate_all(
            [(cells[name], crowd_figures[name]) for name in names],
            [expected[name] for name in names],
            cards=len(evidence.cards.model),
            parameters=parameters,
        )
        estimates |= zip(names, fitted, strict=True)
    values = {
        name: values_of(cells[name], of_figure, crowd_figures[name].spreads)
        for name, of_figure in estimates.items()
    }
    return _Reading(estimates, values, _figures(evidence.models, expected, estimates))


def _in_one_go(figures: Mapping[str, Sized]) -> Iterable[Sequence[str]]:
    """All figures of few models in one go; of a whole crowd each alone, for the sake of memory. `figures`: name ->
    anything as long as the figure has rows."""
    if sum(map(len, figures.values())) <= _FEW_ROWS:
        return [list(figures)] if figures else []
    return [[name] for name in figures]


def _figures(models: int, expected: Mapping[str, Expected], estimates: Mapping[str, Estimates]) -> Figures:
    nothing = np.zeros(models)
    return Figures(
        own_mean=np.column_stack(
            [estimates[name].own_mean if name in estimates else nothing for name in expected]
        ),
        own_precision=np.column_stack(
            [estimates[name].own_precision if name in estimates else nothing for name in expected]
        ),
        market_mean=np.column_stack([of_figure.mean for of_figure in expected.values()]),
        market_spread=np.column_stack([of_figure.precision**-0.5 for of_figure in expected.values()]),
    )


def _of_all(pool: Pool, prior: Mapping[str, CrowdFigure]) -> Pool:
    """The pool with what is usual of figures that nobody measured."""
    priors = dict.fromkeys(prior, PRIOR)
    return replace(pool, between=priors | dict(pool.between), within=priors | dict(pool.within))


def _judged(
    evidence: Evidence,
    crowd: CrowdFit,
    reading: _Reading,
    compared: Compared,
    standing_flags: Mapping[int, int],
    parameters: Parameters,
) -> Judged:
    findings = variation.find(
        evidence.cards, compared, crowd.pool, standing_flags=standing_flags, parameters=parameters
    )
    expected = expect(reading.figures, rho=crowd.rho)
    estimates = _together(reading, crowd, expected)
    predicted = _predicted(estimates, evidence.cards.model, crowd.figures, parameters)
    return Judged(tuple(crowd.figures), estimates, predicted, reading.figures, expected, findings)


def _predicted(
    estimates: Mapping[str, Estimates],
    card_model: Index,
    crowd_figures: Mapping[str, CrowdFigure],
    parameters: Parameters,
) -> dict[str, Predicted]:
    predicted: dict[str, Predicted] = {}
    for names in _in_one_go(dict.fromkeys(estimates, card_model)):
        figures = [(estimates[name], crowd_figures[name].spreads) for name in names]
        predicted |= zip(names, predict(figures, card_model, parameters=parameters), strict=True)
    return predicted


def _together(reading: _Reading, crowd: CrowdFit, expected: composite.Expected) -> dict[str, Estimates]:
    """The estimates with the figures of a model informing one another."""
    return {
        name: replace(
            reading.estimates[name],
            mean=expected.mean[:, at],
            sd=np.hypot(np.sqrt(expected.covariance[:, at, at]), crowd.figures[name].spreads.level),
        )
        for at, name in enumerate(crowd.figures)
        if name in reading.estimates
    }
