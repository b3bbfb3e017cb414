"""The way from evidence to judgement, for one model or for all: the same calls, so that both say the same.

`learn` fits the whole crowd; `judge` applies what was learned to any number of models. What is said of a model depends
on the evidence of that model and on what was learned, and on nothing else.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement import composite, links, variation
from submissions.domain.judgement.cells import Cells, gather
from submissions.domain.judgement.composite import Figures
from submissions.domain.judgement.crowd import CrowdFigure
from submissions.domain.judgement.estimates import Estimates, estimate_all
from submissions.domain.judgement.evidence import Evidence
from submissions.domain.judgement.links import Links
from submissions.domain.judgement.moderation import PRIOR
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Index
from submissions.domain.judgement.sides import Values, values_of
from submissions.domain.judgement.survey import survey
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


def prior_fit(usual: Mapping[str, CrowdFigure]) -> CrowdFit:
    """Before the first full fit: what is usual, and no model is accused of anything."""
    priors = dict.fromkeys(usual, PRIOR)
    return CrowdFit(usual, {}, Pool(priors, priors), composite.USUAL_CORRELATION)


def learn(
    evidence: Evidence,
    *,
    host_types: Index,
    linked: Collection[str],
    usual: Mapping[str, CrowdFigure],
    standing: Mapping[int, int],
    parameters: Parameters = DEFAULTS,
) -> tuple[CrowdFit, Judged]:
    """One full fit, and what it says of everybody. `linked`: figures that a host's link limits; `usual`: figure ->
    what is believed where too little was measured; `standing` as in `judge`."""
    found = {
        name: links.learn(runs, hosts=len(host_types), parameters=parameters)
        for name, runs in evidence.runs.items()
        if name in linked
    }
    around = {
        name: _surveyed(evidence, name, found.get(name), host_types, parameters) or usual[name]
        for name in usual
    }
    reading = _read(evidence, around, found, parameters)
    pool = _pool(evidence, reading, usual, parameters)
    known = CrowdFit(around, found, pool, composite.correlation(reading.figures))
    return known, _judged(evidence, known, reading, standing, parameters)


def judge(
    evidence: Evidence,
    known: CrowdFit,
    *,
    standing: Mapping[int, int],
    parameters: Parameters = DEFAULTS,
) -> Judged:
    """What the evidence says. `standing`: model -> its cards when it was flagged last; such a flag falls late."""
    reading = _read(evidence, known.figures, known.links, parameters)
    return _judged(evidence, known, reading, standing, parameters)


def _surveyed(
    evidence: Evidence, name: str, found: Links | None, host_types: Index, parameters: Parameters
) -> CrowdFigure | None:
    """None where too little was measured."""
    if name not in evidence.runs:
        return None
    cells = gather(evidence.runs[name], found, parameters=parameters)
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
    around: Mapping[str, CrowdFigure],
    found: Mapping[str, Links],
    parameters: Parameters,
) -> _Reading:
    cells = {
        name: gather(runs, found.get(name), parameters=parameters) for name, runs in evidence.runs.items()
    }
    estimates: dict[str, Estimates] = {}
    for names in _together(cells):
        told = estimate_all(
            [(cells[name], around[name]) for name in names],
            traits=evidence.traits,
            cards=len(evidence.cards.model),
            parameters=parameters,
        )
        estimates |= zip(names, told, strict=True)
    values = {name: values_of(cells[name], one, around[name].spreads) for name, one in estimates.items()}
    return _Reading(estimates, values, _figures(evidence, around, estimates))


def _together(cells: Mapping[str, Cells]) -> Iterable[Sequence[str]]:
    """All figures of few models in one go; of a whole crowd each alone, for the sake of memory."""
    if sum(map(len, cells.values())) <= _FEW_CELLS:
        return [list(cells)] if cells else []
    return [[name] for name in cells]


def _figures(
    evidence: Evidence, around: Mapping[str, CrowdFigure], estimates: Mapping[str, Estimates]
) -> Figures:
    nothing = np.zeros(evidence.models)
    expected = [one.market.expected(evidence.traits, one.spreads) for one in around.values()]
    return Figures(
        own_mean=np.column_stack(
            [estimates[name].own_mean if name in estimates else nothing for name in around]
        ),
        own_precision=np.column_stack(
            [estimates[name].own_precision if name in estimates else nothing for name in around]
        ),
        market_mean=np.column_stack([one.mean for one in expected]),
        market_spread=np.column_stack([one.precision**-0.5 for one in expected]),
    )


def _pool(
    evidence: Evidence, reading: _Reading, usual: Mapping[str, CrowdFigure], parameters: Parameters
) -> Pool:
    pool = variation.survey(evidence.cards, reading.values, parameters=parameters)
    untold_of = dict.fromkeys(usual, PRIOR)
    return Pool(
        untold_of | dict(pool.between),
        untold_of | dict(pool.within),
        pool.varies_below,
        pool.suspected_below,
    )


def _judged(
    evidence: Evidence,
    known: CrowdFit,
    reading: _Reading,
    standing: Mapping[int, int],
    parameters: Parameters,
) -> Judged:
    findings = variation.find(
        evidence.cards, reading.values, known.pool, standing=standing, parameters=parameters
    )
    return Judged(tuple(known.figures), reading.estimates, reading.figures, findings)
