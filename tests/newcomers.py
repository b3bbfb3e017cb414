"""Models that a fitted crowd has never seen, measured on hosts that it has never seen."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from submissions.domain.judgement.inputs import Evidence
from submissions.domain.judgement.runs import Runs
from submissions.domain.judgement.sides import CardFacts
from tests.crowd import Crowd
from tests.worlds import NAMES, REFERENCE_LINK

_CARDS, _PEOPLE = 8, 4


@dataclass(frozen=True, slots=True, eq=False)
class Newcomers:
    """`evidence` of new models that are like the models `like` of the crowd in what they truly do."""

    evidence: Evidence
    like: NDArray[np.int64]


def newcomers(drawn: Crowd, seed: int, *, hosts: int) -> Newcomers:
    """One model for each of 40 of the crowd: 8 cards as shops sell them, odd ones among them, of 4 people, two runs
    each, spread over so many new hosts."""
    chance = np.random.default_rng(seed)
    calm = np.flatnonzero(drawn.kind == 0)
    like = chance.choice(calm, size=min(40, len(calm)), replace=False)
    cards = len(like) * _CARDS
    model = np.repeat(np.arange(len(like)), _CARDS)
    number = np.arange(cards)
    host_of = number % _CARDS % hosts + hosts * model
    submitter = number % _PEOPLE + _PEOPLE * model
    nothing = np.full(cards, -1)
    columns = [np.repeat(column, 2) for column in (model, number, -1 - host_of, submitter)]
    runs = {}
    for figure in drawn.manners.figures:
        effect = figure.host * chance.standard_normal(len(like) * hosts)
        value = drawn.specimens[figure.name][like, :_CARDS].ravel() + effect[host_of]
        value += figure.interaction * chance.standard_normal(cards)
        twice = np.repeat(value, 2) + figure.repeat * chance.standard_t(3, 2 * cards) / np.sqrt(3)
        reach = np.full(2 * cards, np.log(REFERENCE_LINK) if figure.linked else np.inf)
        runs[figure.name] = Runs(
            model=columns[0],
            card=columns[1],
            host=columns[2],
            submitter=columns[3],
            log_value=np.minimum(twice, reach),
            log_reach=reach,
        )
    reports = {name: np.arange(2 * cards) for name in NAMES}
    evidence = Evidence(runs, reports, drawn.traits[like], CardFacts(model, nothing, submitter))
    return Newcomers(evidence, like)
