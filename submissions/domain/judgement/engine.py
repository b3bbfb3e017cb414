"""The way from evidence to judgement, for one model or for all: the same calls, so that both give the same numbers.

`learn` fits the whole crowd; `judge` applies what was learned to any number of models. What is said of a model depends
on the evidence of that model and on what was learned, and on nothing else.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement import composite, link_limits, variation
from submissions.domain.judgement.cells import Cells, gather
from submissions.domain.judgement.composite import Figures
from submissions.domain.judgement.crowd import CrowdFigure
from submissions.domain.judgement.crowd_survey import survey
from submissions.domain.judgement.estimates import Estimates, estimate_all
from submissions.domain.judgement.inputs import Evidence
from submissions.domain.judgement.link_limits import Links
from submissions.domain.judgement.moderation import PRIOR
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Index
from submissions.domain.judgement.sides import Values, values_of
from submissions.domain.judgement.variation import Findings, Pool

# Of fewer cells or models, a figure keeps what is usual: spreads would be guesses.
_LEAST_CELLS, _LEAST_MODELS = 30, 10
# Up to so many, all figures are fitted in one go.
_FEW_CELLS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class CrowdFit:
    """What one full fit learned. A figure without `links` is limited by what data sheets say alone."""

    figures: Mapping[str, CrowdFigure]
    links: Mapping[str, Links]
    pool: Pool
    rho: float


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """`estimates` of the figures that were measured; `figures`: of all, columns in the order of `names`."""

    names: tuple[str, ...]
    estimates: Mapping[str, Estimates]
    figures: Figures
    findings: Findings


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    estimates: Mapping[str, Estimates]
    values: Mapping[str, Values]
    figures: Figures


def prior_fit(prior: Mapping[str, CrowdFigure]) -> CrowdFit:
    """What stands in for a full fit before the first: the figures of `prior`, and no model is flagged."""
    priors = dict.fromkeys(prior, PRIOR)
    return CrowdFit(prior, {}, Pool(priors, priors), composite.PRIOR_CORRELATION)


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
    links = {
        name: link_limits.learn(runs, hosts=len(host_types), parameters=parameters)
        for name, runs in evidence.runs.items()
        if name in linked
    }
    crowd_figures = {
        name: _surveyed(evidence, name, links.get(name), host_types, parameters) or prior[name]
        for name in prior
    }
    reading = _read(evidence, crowd_figures, links, parameters)
    pool = _pool(evidence, reading, prior, parameters)
    crowd = CrowdFit(crowd_figures, links, pool, composite.correlation(reading.figures))
    return crowd, _judged(evidence, crowd, reading, standing_flags, parameters)


def judge(
    evidence: Evidence,
    crowd: CrowdFit,
    *,
    standing_flags: Mapping[int, int],
    parameters: Parameters = DEFAULTS,
) -> Judged:
    """What the evidence says. `standing_flags`: model -> its cards when it was flagged last; such a flag falls late."""
    reading = _read(evidence, crowd.figures, crowd.links, parameters)
    return _judged(evidence, crowd, reading, standing_flags, parameters)


def _surveyed(
    evidence: Evidence, name: str, links: Links | None, host_types: Index, parameters: Parameters
) -> CrowdFigure | None:
    """One figure of the crowd; None where too little of it was measured."""
    if name not in evidence.runs:
        return None
    cells = gather(evidence.runs[name], links, parameters=parameters)
    if len(cells) < _LEAST_CELLS or len(np.unique(cells.model)) < _LEAST_MODELS:
        return None
    return survey(
        cells,
        traits=evidence.traits,
        cards=len(evidence.cards.model),
        host_types=host_types,
        parameters=parameters,
    )


def _read(
    evidence: Evidence,
    crowd_figures: Mapping[str, CrowdFigure],
    links: Mapping[str, Links],
    parameters: Parameters,
) -> _Reading:
    cells = {
        name: gather(runs, links.get(name), parameters=parameters) for name, runs in evidence.runs.items()
    }
    estimates: dict[str, Estimates] = {}
    for names in _together(cells):
        fitted = estimate_all(
            [(cells[name], crowd_figures[name]) for name in names],
            traits=evidence.traits,
            cards=len(evidence.cards.model),
            parameters=parameters,
        )
        estimates |= zip(names, fitted, strict=True)
    values = {
        name: values_of(cells[name], of_figure, crowd_figures[name].spreads)
        for name, of_figure in estimates.items()
    }
    return _Reading(estimates, values, _figures(evidence, crowd_figures, estimates))


def _together(cells: Mapping[str, Cells]) -> Iterable[Sequence[str]]:
    """All figures of few models in one go; of a whole crowd each alone, for the sake of memory."""
    if sum(map(len, cells.values())) <= _FEW_CELLS:
        return [list(cells)] if cells else []
    return [[name] for name in cells]


def _figures(
    evidence: Evidence, crowd_figures: Mapping[str, CrowdFigure], estimates: Mapping[str, Estimates]
) -> Figures:
    nothing = np.zeros(evidence.models)
    expected = [
        of_model.market.expected(evidence.traits, of_model.spreads) for of_model in crowd_figures.values()
    ]
    return Figures(
        own_mean=np.column_stack(
            [estimates[name].own_mean if name in estimates else nothing for name in crowd_figures]
        ),
        own_precision=np.column_stack(
            [estimates[name].own_precision if name in estimates else nothing for name in crowd_figures]
        ),
        market_mean=np.column_stack([of_model.mean for of_model in expected]),
        market_spread=np.column_stack([of_model.precision**-0.5 for of_model in expected]),
    )


def _pool(
    evidence: Evidence, reading: _Reading, prior: Mapping[str, CrowdFigure], parameters: Parameters
) -> Pool:
    pool = variation.survey(evidence.cards, reading.values, parameters=parameters)
    priors = dict.fromkeys(prior, PRIOR)
    return Pool(
        priors | dict(pool.between),
        priors | dict(pool.within),
        pool.varies_below,
        pool.suspected_below,
    )


def _judged(
    evidence: Evidence,
    crowd: CrowdFit,
    reading: _Reading,
    standing_flags: Mapping[int, int],
    parameters: Parameters,
) -> Judged:
    findings = variation.find(
        evidence.cards, reading.values, crowd.pool, standing_flags=standing_flags, parameters=parameters
    )
    return Judged(tuple(crowd.figures), reading.estimates, reading.figures, findings)
