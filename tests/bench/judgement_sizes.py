"""The judgement on markets of every size, our own crowds and foreign ones, figure by figure, beside an oracle.

Part of `make bench-judgement`; MODELS="80 400" and ROUNDS=3 choose sizes and how many crowds of each. Parameters are
tuned on seeds below 100; SEED is where the seeds of a run begin, and each is meant to be used once.
"""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from submissions.domain.judgement import engine, robust
from submissions.domain.judgement.engine import CrowdFit, Judged
from submissions.domain.judgement.estimates import Estimates
from submissions.domain.judgement.inputs import Evidence
from submissions.domain.judgement.predicted import Predicted
from submissions.domain.judgement.sides import CardFacts
from submissions.domain.ranking import comparable
from tests import oracle
from tests.crowd import Crowd, crowd
from tests.newcomers import newcomers
from tests.worlds import FIGURES, FOREIGN, NAMES, REFERENCE_LINK, Manners, Size

MODELS = [int(word) for word in os.environ.get("MODELS", "20 40 80 150 400 5000").split()]
ROUNDS = int(os.environ.get("ROUNDS", "5"))
SEED = int(os.environ.get("SEED", "6000"))
_WORLDS = {"own": Manners(), "foreign": FOREIGN}
_Z = 1.96
_LINKED = [figure.name for figure in FIGURES if figure.linked]


def size_of(models: int, runs: int = 40) -> Size:
    hosts = int(np.clip(1.5 * np.sqrt(models * runs / 2), 15, 300))
    return Size(models=models, hosts=hosts, runs=runs * models)


def evidence_of(drawn: Crowd) -> Evidence:
    runs = {name: drawn.runs_of(name) for name in NAMES}
    reports = {name: np.flatnonzero(np.isfinite(drawn.values[name])) for name in NAMES}
    cards = CardFacts(drawn.card_model, drawn.signature, drawn.card_submitter)
    return Evidence(runs, reports, drawn.traits, cards)


def learn(drawn: Crowd) -> tuple[CrowdFit, Judged]:
    """The full fit of a crowd, as the site makes it."""
    sizes = tuple(int(traits.max()) + 1 for traits in drawn.traits.T)
    prior = comparable.prior_figures(hosts=len(drawn.host_top), traits=sizes)
    return engine.learn(
        evidence_of(drawn),
        host_types=drawn.host_type,
        linked=_LINKED,
        prior={name: prior[name] for name in NAMES},
        standing_flags={},
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of one crowd. `tau`, `rmse`: ours, plain median, oracle; `worst`: largest factor a model is off, of us
    and of the oracle."""

    tau: tuple[float, float, float]
    rmse: tuple[float, float, float]
    worst: tuple[float, float]
    covers: float
    unseen: float
    predicted: float

    def columns(self) -> list[float]:
        return [*self.tau, *self.rmse, *self.worst, self.covers, self.unseen, self.predicted]


def main() -> None:
    print(
        "Markets of every size; per figure, means over crowds of models without planted variation (worst: largest)\n"
        "Goals: tau within 0.03 of the oracle, RMSE at most the median's, worst at most 3, all coverage 0.93-0.97"
    )
    for world, manners in _WORLDS.items():
        for models in MODELS:
            rounds = ROUNDS if models < 2000 else 1
            _print(f"{world}, {models} models", _rows(size_of(models), manners, rounds))
        few = Size(models=1000, hosts=120, runs=2400)
        _print(f"{world}, 1000 models, 1-3 runs each", _rows(few, manners, 1))


def _rows(size: Size, manners: Manners, rounds: int) -> list[dict[str, Row]]:
    return [judged_rows(crowd(SEED + number, size, manners), SEED + number) for number in range(rounds)]


def _print(label: str, crowds: Sequence[dict[str, Row]]) -> None:
    print(f"\n{label}", flush=True)
    print(
        f"{'figure':<26}{'tau ours':>9}{'median':>8}{'oracle':>8}{'RMSE ours':>11}{'median':>8}{'oracle':>8}"
        f"{'worst x':>9}{'oracle':>8}{'covers':>8}{'unseen host':>12}{'new card':>9}  missed"
    )
    for name in NAMES:
        table = np.array([rows[name].columns() for rows in crowds])
        mean = np.nanmean(table, axis=0)
        t, r, worst = mean[:3], mean[3:6], table[:, 6:8].max(axis=0)
        print(
            f"{name:<26}{t[0]:9.3f}{t[1]:8.3f}{t[2]:8.3f}{r[0]:11.3f}{r[1]:8.3f}{r[2]:8.3f}{worst[0]:9.2f}"
            f"{worst[1]:8.2f}{mean[8]:8.3f}{mean[9]:12.3f}{mean[10]:9.3f}  {_missed(t, r, worst[0], mean[8:])}"
        )


def _missed(tau: Any, rmse: Any, worst: float, covers: Any) -> str:
    """The goals that a row falls short of, "" where it reaches all."""
    goals = {
        "tau": tau[0] >= tau[2] - 0.03,
        "RMSE": rmse[0] <= rmse[1],
        "worst": worst <= 3,
        **{
            name: 0.93 <= share <= 0.97
            for name, share in zip(("covers", "unseen", "new card"), covers, strict=True)
        },
    }
    return " ".join(name for name, reached in goals.items() if not reached)


def judged_rows(drawn: Crowd, seed: int) -> dict[str, Row]:
    began = time.perf_counter()
    fit, judged = learn(drawn)
    took = time.perf_counter() - began
    print(f"  seed {seed}: full fit of {len(drawn.model)} runs {took:.1f} s", end="", flush=True)
    unseen = dict(_unseen(drawn, fit, seed))
    return {name: _row(drawn, judged, name, unseen[name]) for name in NAMES}


def cap(name: str) -> float:
    return float(np.log(REFERENCE_LINK)) if name in _LINKED else np.inf


def _row(drawn: Crowd, judged: Judged, name: str, unseen: float) -> Row:
    estimates, truth, top = judged.estimates[name], drawn.truth[name], cap(name)
    fair = (estimates.cards > 0) & (drawn.kind == 0)
    ours = np.minimum(estimates.mean, top)
    runs = drawn.runs_of(name)
    median = robust.medians(runs.model, runs.log_value, count=len(truth))
    best = np.minimum(oracle.log_values(drawn, name), top)
    errors = [(value - truth)[fair] for value in (ours, median, best)]
    taus = [float(kendalltau(value[fair], truth[fair]).statistic) for value in (ours, median, best)]
    return Row(
        tau=(taus[0], taus[1], taus[2]),
        rmse=tuple(float(np.sqrt(np.mean(error**2))) for error in errors),  # type: ignore[arg-type]
        worst=tuple(float(np.exp(np.abs(error).max())) for error in errors[::2]),  # type: ignore[arg-type]
        covers=float(covered(estimates, truth, top)[fair].mean()),
        unseen=unseen,
        predicted=_predicted(drawn, judged.predicted[name], name)[estimates.cards > 0].mean(),
    )


def _predicted(drawn: Crowd, predicted: Predicted, name: str) -> Any:
    """Share of the cards in shops, of each model whatever is inside, that lie where a card is predicted."""
    low, high = (np.minimum(end, cap(name))[:, None] for end in (predicted.lower, predicted.upper))
    shop = drawn.specimens[name]
    return ((low - 1e-9 <= shop) & (shop <= high + 1e-9)).mean(axis=1)


def covered(estimates: Estimates, truth: Any, top: float) -> Any:
    """Whether the 95 % interval of each model holds the truth."""
    low, high = (np.minimum(estimates.mean + side * _Z * estimates.sd, top) for side in (-1, 1))
    return (low - 1e-9 <= truth) & (truth <= high + 1e-9)


def _unseen(drawn: Crowd, fit: CrowdFit, seed: int) -> Iterator[tuple[str, float]]:
    """Share of new models whose interval holds the truth: 8 cards on one new host, and on four."""
    inside: dict[str, list[Any]] = {name: [] for name in NAMES}
    for hosts in (1, 4):
        new = newcomers(drawn, seed, hosts=hosts)
        judged = engine.judge(new.evidence, fit, standing_flags={})
        for name in NAMES:
            inside[name].append(covered(judged.estimates[name], drawn.truth[name][new.like], cap(name)))
    return ((name, float(np.concatenate(parts).mean())) for name, parts in inside.items())


if __name__ == "__main__":
    main()
