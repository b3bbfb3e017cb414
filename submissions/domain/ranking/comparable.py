"""Figures on the scale the judgement works on, and what is believed of them before anything was measured."""

import math
from dataclasses import replace
from functools import cache

import numpy as np

from submissions.domain.judgement.crowd import CrowdFigure, Market
from submissions.domain.judgement.crowd_survey import PRIOR_SPREADS
from submissions.domain.measuring import metrics
from submissions.domain.ranking import interfaces, uses
from submissions.domain.ranking.uses import Term

# What models have in common with others of their kind.
TRAITS = ("brand", "line", "capacity")


@cache
def judged_figures() -> dict[str, Term]:
    """Figures that any profile weighs in any slot, in the order of the registry, each with its reference and usual
    spread.
    """
    terms = {
        term.figure: term
        for profile in reversed(uses.all_profiles().values())
        for interface in interfaces.all_interfaces().values()
        for term in profile.on(interface)
    }
    return {name: terms[name] for name in metrics.FIGURES if name in terms}


@cache
def is_linked(figure: str) -> bool:
    """Whether a host's link limits it: it is counted in bytes per second."""
    return metrics.FIGURES[figure].metric == "throughput"


def sign(figure: str) -> int:
    """1, or -1 where less is better: a latency is judged as its inverse."""
    return -1 if metrics.METRICS[metrics.FIGURES[figure].metric].better == "lower" else 1


def log_value(figure: str, value: float) -> float:
    """Natural log of a value in its base unit, more is better. Raises ValueError for zero and less."""
    return sign(figure) * math.log(value)


def value(figure: str, log: float) -> float:
    """The value in its base unit; the inverse of `log_value`."""
    return math.exp(sign(figure) * log)


def prior_figures(*, hosts: int = 0, traits: tuple[int, ...] = (0,) * len(TRAITS)) -> dict[str, CrowdFigure]:
    """Figure -> what is believed of it before any fit: the reference of the profiles, and their spread.

    `hosts`, `traits`: how many there are, all of them unknown.
    """
    return {name: _prior_figure(term, hosts, traits) for name, term in judged_figures().items()}


def _prior_figure(term: Term, hosts: int, traits: tuple[int, ...]) -> CrowdFigure:
    nothing = tuple(np.zeros(count + 1) for count in traits)
    return CrowdFigure(
        host_effect=np.zeros(hosts + 1),
        host_variance=np.full(hosts + 1, PRIOR_SPREADS.unseen_host()),
        spreads=replace(PRIOR_SPREADS, market=term.spread),
        market=Market(log_value(term.figure, term.reference), nothing, nothing),
        slot=metrics.FIGURES[term.figure].slot,
    )
