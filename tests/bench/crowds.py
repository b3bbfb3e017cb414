"""Compare the estimates for simulated crowds with their truth, the plain median and an oracle. Nothing fails here.

`make bench-judgement`; SEED is the first seed, WORLDS="600 80" chooses worlds by the first word of their names.
Constants were tuned on seeds below 100 and from 6000 to 6010. Goals: tau within .02 of the oracle at 600 models and
.035 at 80, RMSE at most that of the median, coverage .92 to .97; where people own one card, RMSE within 1.1 x of that
with trust in everybody.
"""

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from submissions.domain.estimation import crowd as crowds
from submissions.domain.estimation.estimate import estimate
from submissions.domain.estimation.estimates import Estimates
from submissions.domain.estimation.evidence import Evidence
from submissions.domain.estimation.learn import learn
from submissions.domain.estimation.parameters import DEFAULTS, Parameters
from submissions.domain.estimation.people import STRANGER, learn_record
from submissions.domain.ranking.catalogue import make_catalogue
from tests import oracle
from tests.crowd import Crowd, crowd
from tests.worlds import FIGURES, FOREIGN, NAMES, REFERENCE_LINK, Figure, Manners, Size

CATALOGUE = make_catalogue()
SEED = int(os.environ.get("SEED", "7000"))
_Z = 1.96
_NEW_CARDS, _NEW_PEOPLE, _NEW_MODELS = 8, 4, 40
_VOUCHED = 4
_ABILITY = [CATALOGUE.ability_of_method[CATALOGUE.methods.index(name)] for name in NAMES]


class World(NamedTuple):
    """A kind of simulated crowds. `one_card`: share of the cards that belong to a person with no other card."""

    size: Size
    manners: Manners = Manners()
    seeds: int = 8
    one_card: float = 0.0


WORLDS = {
    "600": World(Size(600, 164, 24_000)),
    "80": World(Size(80, 60, 3_200)),
    "few": World(Size(1000, 60, 2_400), seeds=2),
    "foreign 600": World(Size(600, 164, 24_000), FOREIGN, 2),
    "foreign 80": World(Size(80, 60, 3_200), FOREIGN),
    "80, 70 % one-card people": World(Size(80, 60, 3_200), one_card=0.7),
    "80, one-card people": World(Size(80, 60, 3_200), one_card=1.0),
    "600, 70 % one-card people": World(Size(600, 164, 24_000), seeds=2, one_card=0.7),
    "600, one-card people": World(Size(600, 164, 24_000), seeds=2, one_card=1.0),
}


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one ability in one crowd.

    Tau and RMSE are those of our estimate, of the plain median and of the oracle. The next three are shares of
    intervals that contain the truth: `covers`, of models; `unseen`, of models on hosts that the crowd has never used;
    `new_card`, of new cards. `trusting`: RMSE if everybody is trusted alike.
    """

    tau: tuple[float, float, float]
    rmse: tuple[float, float, float]
    covers: float
    unseen: float
    new_card: float
    trusting: float

    def columns(self) -> list[float]:
        """Return the whole score as a row of a table."""
        return [*self.tau, *self.rmse, self.covers, self.unseen, self.new_card, self.trusting]


def main() -> None:
    """Print a table of scores for each world."""
    chosen = os.environ.get("WORLDS")
    print(f"seeds from {SEED}; mean of the seeds of each world; nobody has a record but by measurements")
    for name, world in WORLDS.items():
        if not chosen or name.split()[0] in chosen.split():
            cost = _Cost()
            print_scores(name, judge_world(world, cost=cost), cost)


@dataclass(slots=True)
class _Cost:
    """CPU seconds of several crowds: to learn the crowd, to estimate all models, and to estimate one model."""

    learn: float = 0.0
    estimate: float = 0.0
    one: float = 0.0


def judge_world(
    world: World, parameters: Parameters = DEFAULTS, *, cost: _Cost | None = None
) -> NDArray[np.float64]:
    """Return the mean scores of the crowds of a world: abilities x columns."""
    numbers = range(SEED, SEED + world.seeds)
    scores = [judge_crowd(world, seed, parameters, cost or _Cost()) for seed in numbers]
    return np.mean([[score.columns() for score in row] for row in scores], axis=0)


def judge_crowd(world: World, seed: int, parameters: Parameters, cost: _Cost) -> list[Score]:
    """Return the scores of one crowd of a world."""
    drawn = crowd(seed, world.size, world.manners)
    everybody = make_evidence(drawn)
    if world.one_card:
        everybody = _give_own_person(everybody, world.one_card, seed)
    trusting = estimate(everybody, _learn(everybody, drawn, parameters), parameters)
    evidence = grade_people(everybody, drawn, vouched=_VOUCHED if world.one_card else 0)
    begin = time.process_time()
    fitted = _learn(evidence, drawn, parameters)
    learned = time.process_time()
    estimates = estimate(evidence, fitted, parameters)
    cost.learn += (learned - begin) / world.seeds
    cost.estimate += (time.process_time() - learned) / world.seeds
    cost.one += _time_one(evidence, fitted, parameters) / world.seeds
    unseen = _cover_unseen(drawn, fitted, seed, parameters)
    return [_score(drawn, estimates, trusting, number, unseen[number], world) for number in range(len(NAMES))]


def _learn(evidence: Evidence, drawn: Crowd, parameters: Parameters = DEFAULTS) -> crowds.Crowd:
    return learn(evidence, CATALOGUE, hosts=len(drawn.host_top), parameters=parameters)


def make_evidence(drawn: Crowd, *, ignorance: int = 0) -> Evidence:
    """Return the evidence of a simulated crowd; an unknown bus is nan."""
    parts = []
    for figure in FIGURES:
        value = drawn.values[figure.name]
        rows = np.flatnonzero(np.isfinite(value))
        stated = np.where(np.isinf(drawn.host_link), np.nan, np.log(drawn.host_link))
        reach = stated[drawn.host[rows]] if figure.linked else np.full(len(rows), np.inf)
        columns = (drawn.model, drawn.card, drawn.host, drawn.submitter)
        parts.append((figure, *(column[rows] for column in columns), np.log(value[rows]), reach, rows))
    return _join(len(drawn.kind), parts, ignorance)


def _join(models: int, parts: Iterable[Sequence[Any]], ignorance: int = 0) -> Evidence:
    """Return the evidence of several parts.

    A part is (figure, models, cards, hosts, people, log values, log bus rates, reports).
    """
    columns = []
    for figure, model, card, host, person, value, reach, report in parts:
        same = np.zeros(len(model), dtype=np.int64)
        method = same + CATALOGUE.methods.index(figure.name)
        people = (host, person, same - 1, same - 1, same + ignorance)
        columns.append((model, card, method, *people, value, reach, np.zeros(len(model)), report))
    return Evidence(models, *map(np.concatenate, zip(*columns, strict=True)))


def _give_own_person(evidence: Evidence, share: float, seed: int) -> Evidence:
    # A person with only one card does not lend it.
    chance = np.random.default_rng([seed, 7])
    own = chance.uniform(size=int(evidence.card.max()) + 1) < share
    first = int(evidence.person.max()) + 1
    busiest = np.argsort(-np.bincount(evidence.person))[:_VOUCHED]
    changed = own[evidence.card] & ~np.isin(evidence.person, busiest)
    return replace(evidence, person=np.where(changed, first + evidence.card, evidence.person))


def grade_people(evidence: Evidence, drawn: Crowd, *, vouched: int = 0) -> Evidence:
    """Return the evidence with trust in people by their measurements, as on a site; the busiest are `vouched` for."""
    busiest = np.argsort(-np.bincount(evidence.person))[:vouched]
    is_vouched = np.isin(evidence.person, busiest)
    strangers = replace(evidence, ignorance=np.where(is_vouched, 0, STRANGER))
    record = learn_record(strangers, _learn(strangers, drawn))
    return replace(evidence, ignorance=record.grade_ignorance(evidence.person, evidence.model, is_vouched))


def _time_one(evidence: Evidence, fitted: crowds.Crowd, parameters: Parameters) -> float:
    times = []
    for model in range(20):
        own = evidence.where(evidence.model == model)
        own = replace(own, models=1, model=np.zeros_like(own.model))
        begin = time.process_time()
        estimate(own, fitted, parameters)
        times.append(time.process_time() - begin)
    return float(np.median(times))


def _cap(figure: Figure) -> float:
    return float(np.log(REFERENCE_LINK)) if figure.linked else np.inf


def _score(
    drawn: Crowd, estimates: Estimates, trusting: Estimates, number: int, unseen: float, world: World
) -> Score:
    name, top, row = NAMES[number], _cap(FIGURES[number]), _ABILITY[number]
    truth, fair = drawn.truth[name], (estimates.cards[row] > 0) & (drawn.kind == 0)
    values = [
        np.minimum(estimates.mean[row], top),
        estimates.median[row],
        np.minimum(oracle.log_values(drawn, name), top),
        np.minimum(trusting.mean[row], top),
    ]
    rmse = [float(np.sqrt(np.mean((value - truth)[fair] ** 2))) for value in values]
    tau = [float(kendalltau(value[fair], truth[fair]).statistic) for value in values]
    covers = _cover(estimates.mean[row], estimates.sd[row], truth, top)[fair].mean()
    card = _cover(estimates.mean[row][:, None], estimates.card_sd[row][:, None], drawn.specimens[name], top)
    some = estimates.cards[row] > 0
    return Score(
        (tau[0], tau[1], tau[2]), (rmse[0], rmse[1], rmse[2]), covers, unseen, card[some].mean(), rmse[3]
    )


def _cover(mean: Any, sd: Any, truth: Any, top: float) -> Any:
    low, high = (np.minimum(mean + side * _Z * sd, top) for side in (-1, 1))
    return (low - 1e-9 <= truth) & (truth <= high + 1e-9)


def _cover_unseen(drawn: Crowd, fitted: crowds.Crowd, seed: int, parameters: Parameters) -> list[float]:
    # Share of new models with an interval that contains the truth: eight cards on one new host, and on four.
    inside: list[list[Any]] = [[] for _ in NAMES]
    for hosts in (1, 4):
        evidence, like = _make_newcomers(drawn, seed, hosts)
        estimates = estimate(evidence, fitted, parameters)
        for number, name in enumerate(NAMES):
            row = _ABILITY[number]
            truth = drawn.truth[name][like]
            inside[number].append(
                _cover(estimates.mean[row], estimates.sd[row], truth, _cap(FIGURES[number]))
            )
    return [float(np.concatenate(parts).mean()) for parts in inside]


def _make_newcomers(drawn: Crowd, seed: int, hosts: int) -> tuple[Evidence, NDArray[np.int64]]:
    # Eight cards as shops sell them of each model, of four people, two runs each, on new hosts.
    chance = np.random.default_rng(seed)
    calm = np.flatnonzero(drawn.kind == 0)
    like = chance.choice(calm, size=min(_NEW_MODELS, len(calm)), replace=False)
    cards = len(like) * _NEW_CARDS
    model, number = np.repeat(np.arange(len(like)), _NEW_CARDS), np.arange(cards)
    host = number % _NEW_CARDS % hosts + hosts * model
    person, parts = number % _NEW_PEOPLE + _NEW_PEOPLE * model, []
    for figure in drawn.manners.figures:
        effect = figure.host * chance.standard_normal(len(like) * hosts)
        value = drawn.specimens[figure.name][like, :_NEW_CARDS].ravel() + effect[host]
        value += figure.interaction * chance.standard_normal(cards)
        twice = np.repeat(value, 2) + figure.repeat * chance.standard_t(3, 2 * cards) / np.sqrt(3)
        reach = np.full(2 * cards, _cap(figure))
        columns = (np.repeat(column, 2) for column in (model, number, -1 - host, person))
        parts.append((figure, *columns, np.minimum(twice, reach), reach, np.arange(2 * cards)))
    return _join(len(like), parts), like


def print_scores(title: str, table: NDArray[np.float64], cost: _Cost) -> None:
    """Print the scores of a world as a table."""
    print(
        f"\n{title}: {cost.learn:.2f} s of processor to learn, {cost.estimate:.2f} to estimate all,"
        f" {cost.one * 1e3:.1f} ms for one model\n{'':<26}{'tau':>6}{'median':>8}{'oracle':>8}{'RMSE':>8}"
        f"{'median':>8}{'oracle':>8}{'trusting':>10}{'covers':>8}{'unseen host':>12}{'new card':>10}"
    )
    for name, row in zip(NAMES, table, strict=True):
        tau, rmse = row[:3], row[3:6]
        print(
            f"{name:<26}{tau[0]:6.3f}{tau[1]:8.3f}{tau[2]:8.3f}{rmse[0]:8.3f}{rmse[1]:8.3f}{rmse[2]:8.3f}"
            f"{row[9]:10.3f}{row[6]:8.3f}{row[7]:12.3f}{row[8]:10.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
