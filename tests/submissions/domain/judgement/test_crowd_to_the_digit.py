"""The judgement of one small crowd, number by number: stored scores do not move unless somebody means it.

No random numbers, which change with numpy: quantiles of a normal distribution in an uneven order. Forty-eight models,
six cards each; two silicons in model 0 of which one is half as fast, model 1 scatters; one model was measured in a
wrong unit, and one value is over its link. `python -m` of this module records anew.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

from submissions.domain.judgement import engine
from submissions.domain.judgement.composite import composite
from submissions.domain.judgement.crowd import CrowdFigure, Market, Spreads
from submissions.domain.judgement.evidence import Evidence
from submissions.domain.judgement.runs import Runs
from submissions.domain.judgement.sides import CardFacts

FILE = Path(__file__).with_name("crowd_to_the_digit.json")
MODELS, PER_MODEL, RUNS, HOSTS = 48, 6, 5, 32
CARDS = MODELS * PER_MODEL
HOST_TYPES = np.repeat([0, 1, 2, -1], 8)
REACH = np.repeat([3.0, 4.0, 6.0, 6.0], 8)
CARD = np.repeat(np.arange(CARDS), RUNS)
MODEL = CARD // PER_MODEL
# Three runs on one host, two on another.
HOST = (CARD * 3 + np.tile([0, 0, 0, 12, 12], CARDS)) % HOSTS
SUBMITTER = np.where(MODEL == 5, 3, (CARD * 7 + (HOST > 12)) % 25)
TRAITS = np.column_stack([np.arange(MODELS) % 5, np.arange(MODELS) // 5 - 1])
SIGNATURE = np.where(np.arange(CARDS) % 7 == 6, -1, np.arange(CARDS) % 2)


def spread(count: int, step: float) -> np.ndarray:
    """Normal quantiles of the fractions of multiples of `step`."""
    return ndtri((np.arange(1, count + 1) * step) % 1)


def values(at: int) -> np.ndarray:
    """Log values of all runs of figure number `at`."""
    of_card = 0.12 * spread(CARDS, 0.618034 + at / 50)
    of_card *= np.exp(0.4 * spread(MODELS, 0.381966))[np.arange(CARDS) // PER_MODEL]  # models differ in it
    of_card[PER_MODEL : 2 * PER_MODEL] *= 8
    of_card[:PER_MODEL] -= 0.7 * SIGNATURE[:PER_MODEL]
    of_run = 0.05 * spread(len(CARD), 0.414214 + at / 70)
    of_model = 3 + 0.5 * spread(MODELS, 0.732051 + at / 90) + 0.1 * (np.arange(MODELS) % 5)
    log_value = of_model[MODEL] + of_card[CARD] + of_run + 0.1 * spread(HOSTS, 0.302776)[HOST]
    return log_value


def runs(at: int) -> Runs:
    """Figure 0 is limited by links; its slowest value of model 7 is over one. Model 9 has a run in a wrong unit."""
    log_value, reach = values(at), np.full(len(CARD), np.inf)
    if at == 0:
        reach = REACH[HOST] + 0.02
        log_value = np.minimum(log_value, REACH[HOST] - 0.01 * np.abs(spread(len(CARD), 0.236068)))
        log_value[7 * PER_MODEL * RUNS] += 2.0
    log_value[9 * PER_MODEL * RUNS + 2] += np.log(1000)
    return Runs(MODEL, CARD, HOST, SUBMITTER, log_value, reach)


def evidence() -> Evidence:
    figures = {name: runs(at) for at, name in enumerate(("linked", "free", "other"))}
    few = figures["other"].where(MODEL % 2 == 0)
    submission = {"linked": np.arange(len(CARD)) // 2, "free": np.arange(len(CARD)) // 2}
    cards = CardFacts(np.arange(CARDS) // PER_MODEL, SIGNATURE, np.arange(CARDS) * 7 % 25)
    return Evidence(
        {**figures, "other": few}, {**submission, "other": submission["free"][MODEL % 2 == 0]}, TRAITS, cards
    )


def usual() -> CrowdFigure:
    spreads = Spreads(repeat=0.1, interaction=0.1, card=0.2, host=0.3, market=0.5)
    nothing = tuple(np.zeros(12) for _ in range(2))
    return CrowdFigure(np.zeros(HOSTS + 1), np.full(HOSTS + 1, 0.09), spreads, Market(3.0, nothing, nothing))


@cache
def learned() -> tuple[engine.CrowdFit, engine.Judged]:
    names = ("linked", "free", "other", "never")
    return engine.learn(
        evidence(),
        host_types=HOST_TYPES,
        linked={"linked"},
        usual=dict.fromkeys(names, usual()),
        standing={2: CARDS, 3: 6},
    )


def digest(column: np.ndarray) -> tuple[float, ...]:
    """How many there are, their mean, and their mean under uneven weights: no value can move unnoticed."""
    numbers = np.asarray(column, dtype=np.float64).ravel()
    there = np.isfinite(numbers)
    weight = 1 + 0.5 * np.sin(np.arange(len(numbers)))
    return float(there.sum()), float(numbers[there].mean()), float((weight * numbers)[there].mean())


@cache
def numbers() -> dict[str, tuple[float, ...]]:
    fit, judged = learned()
    rows: dict[str, tuple[float, ...]] = {"rho": (fit.rho,)}
    for name, around in fit.figures.items():
        spreads = around.spreads
        rows[f"{name} spreads"] = (
            spreads.repeat,
            spreads.interaction,
            spreads.card,
            spreads.host,
            spreads.market,
            spreads.level,
        )
        rows[f"{name} hosts"] = digest(around.host_effect) + digest(around.host_variance)
        rows[f"{name} market"] = digest(np.concatenate([[around.market.general], *around.market.effects]))
        rows[f"{name} unsure"] = digest(np.concatenate([[0.0], *around.market.variances]))
    for name, learned_links in fit.links.items():
        rows[f"{name} reach"] = digest(learned_links.log_reach)
    for name, estimates in judged.estimates.items():
        for column in ("mean", "sd", "own_mean", "own_precision", "card_value", "card_vote", "card_scale"):
            rows[f"{name} {column}"] = digest(getattr(estimates, column))
        rows[f"{name} counts"] = tuple(
            float(getattr(estimates, column).sum()) for column in ("cards", "submitters", "runs", "at_least")
        )
    for name, prior in fit.pool.between.items():
        within = fit.pool.within[name]
        rows[f"{name} pool"] = (prior.freedom, prior.variance, within.freedom, within.variance)
    rows["below"] = (fit.pool.varies_below, fit.pool.suspected_below)
    for model, found in (*judged.findings.varies.items(), *judged.findings.suspected.items()):
        for row in found:
            rows[f"{type(row).__name__} {model} {row.figure}"] = tuple(
                float(number)
                for field in row.__dataclass_fields__
                if field != "figure"
                for number in np.ravel(getattr(row, field))
            )
    together = composite(
        judged.figures, weights=np.array([4.0, 2.0, 1.0, 1.0]), log_reference=np.full(4, 3.0), rho=fit.rho
    )
    for column in ("log_ratio", "sd", "covered", "caution"):
        rows[f"composite {column}"] = digest(getattr(together, column))
    return rows


RECORDED: dict[str, list[float]] = json.loads(FILE.read_text()) if FILE.exists() else {}


@pytest.mark.parametrize("name", RECORDED)
def test_every_number_is_what_it_was(name: str) -> None:
    assert numbers()[name] == pytest.approx(RECORDED[name], rel=1e-5, abs=1e-9)


def test_nothing_is_said_that_was_not() -> None:
    assert numbers().keys() == RECORDED.keys()


if __name__ == "__main__":
    lines = (
        f'"{name}": {json.dumps([float(f"{number:.8g}") for number in row])}'
        for name, row in numbers().items()
    )
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
