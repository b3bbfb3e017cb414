"""The judgement of three small crowds, number by number: stored scores do not move unless somebody means it.

No random numbers, which change with numpy: quantiles of a normal distribution in an uneven order. Forty-eight models,
six cards each; two silicons in model 0 of which one is half as fast, model 1 scatters; one model was measured in a
wrong unit, and one value is over its link. The second crowd is as young sites are (`uneven`): half of its cards are of
four models, most models have one or two, people are trusted or not, and nothing is known of brands. The third is a
quarrel (`street`): links are soft and of every speed, two hosts belie what they say, a card in eight is odd, and a
person in three is off by up to 4.5 times. `python -m` of this module records anew.
"""

import json
from collections.abc import Iterator
from dataclasses import astuple, replace
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

from submissions.domain.judgement import engine, link_limits, reputation
from submissions.domain.judgement.composite import Figures
from submissions.domain.judgement.crowd import CrowdFigure, Market, Spreads
from submissions.domain.judgement.inputs import Counted, Evidence, apart
from submissions.domain.judgement.reputation import TRUSTED, UNTRUSTED, VOUCHED, Voices
from submissions.domain.judgement.runs import Runs
from submissions.domain.judgement.sides import CardFacts
from submissions.domain.judgement.variation import Findings
from tests.submissions.domain.judgement.small import composite

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


def usual_of(hosts: int, market: Market) -> CrowdFigure:
    """The same with fewer hosts, and one that was not seen."""
    around, known = usual(), slice(hosts + 1)
    effect, variance = around.host_effect[known], around.host_variance[known]
    return replace(around, host_effect=effect, host_variance=variance, market=market)


UNEVEN_CARD_MODEL = np.repeat(np.arange(30), np.maximum(40 // np.arange(1, 31), 1))
UNEVEN_RUNS = 1 + np.arange(len(UNEVEN_CARD_MODEL)) % 3


def uneven() -> Evidence:
    """Nine cards of model 0 are of one submitter, some of models 0 and 1 hold a slower silicon, model 2 scatters."""
    cards = len(UNEVEN_CARD_MODEL)
    card = np.repeat(np.arange(cards), UNEVEN_RUNS)
    model, host, number = UNEVEN_CARD_MODEL[card], (5 * card + np.arange(len(card))) % 14, len(card)
    person = np.where(np.arange(cards) % 45 < 9, 3, np.arange(cards) * 11 % 60)
    level = np.select([person % 4 == 0, person % 5 == 0], [UNTRUSTED, VOUCHED], TRUSTED)
    signature = np.where(UNEVEN_CARD_MODEL < 2, np.arange(cards) % 4 - 1, UNEVEN_CARD_MODEL % 3)
    of_model = 3 + 0.5 * spread(30, 0.732051)
    figures, submissions = {}, {}
    for at, name in enumerate(("linked", "free")):
        of_card = 0.1 * spread(cards, 0.618034 + at / 30) * np.where(UNEVEN_CARD_MODEL == 2, 6, 1)
        of_card = of_card - 0.6 * ((UNEVEN_CARD_MODEL < 2) & (signature == 1))
        log_value = (of_model[model] + of_card[card]) + 0.15 * spread(14, 0.302776)[host]
        log_value = log_value + 0.04 * spread(number, 0.414214 + at / 40)
        reach = np.where(host % 3 == 0, 3.4, np.inf) if name == "linked" else np.full(number, np.inf)
        belief = np.where(level == UNTRUSTED, 0.5, 1.0)[card]
        every = Runs(model, card, host, person[card], np.minimum(log_value, reach), reach, belief)
        kept = np.arange(number) % 5 != at
        figures[name], submissions[name] = every.where(kept), (np.arange(number) // 2)[kept]
    levels = {name: level[of_figure.card] for name, of_figure in figures.items()}
    facts = CardFacts(UNEVEN_CARD_MODEL, signature, person, level >= TRUSTED)
    return Evidence(figures, submissions, np.zeros((30, 0), dtype=np.int64), facts, levels)


STREET_CARD_MODEL = np.repeat(np.arange(36), 1 + np.arange(36) % 9)
STREET_HOSTS, STREET_PEOPLE = 30, 34


def off(person: np.ndarray) -> np.ndarray:
    """By how much, in log, people of each number are off."""
    return np.where(person % 3 == 0, np.linspace(-1.5, 1.5, STREET_PEOPLE)[person], 0.0)


def street() -> Evidence:
    """Hosts 28 and 29 say that their links are slow, and are not."""
    cards = len(STREET_CARD_MODEL)
    card = np.repeat(np.arange(cards), 1 + np.arange(cards) * 3 % 5)
    number, person = len(card), np.arange(cards) * 13 % STREET_PEOPLE
    model, host = STREET_CARD_MODEL[card], (7 * card + np.arange(number) // 2) % STREET_HOSTS
    links = np.append(np.linspace(2.4, 4.6, STREET_HOSTS - 2), [9.0, 9.0])[host]
    odd = np.where(np.arange(cards) % 8 == 3, 1.6 * spread(cards, 0.302776), 0.0)
    figures, submissions = {}, {}
    for at, name in enumerate(("linked", "free")):
        of_card = 0.12 * spread(cards, 0.618034 + at / 30) + odd + at * off(person)
        log_value = (3.2 + 0.5 * spread(36, 0.732051))[model] + of_card[card]
        log_value = log_value + 0.1 * spread(STREET_HOSTS, 0.414214)[host]
        if name == "linked":
            log_value = link_limits.softened(log_value, links, 0.08)
        log_value = log_value + 0.03 * spread(number, 0.236068 + at / 40)
        said = np.where(host % 4 == 1, np.inf, np.where(host < STREET_HOSTS - 2, links, 2.6))
        reach = said if name == "linked" else np.full(number, np.inf)
        kept = np.arange(number) % 7 != at
        every = Runs(model, card, host, person[card], log_value, reach)
        figures[name], submissions[name] = every.where(kept), (np.arange(number) // 2)[kept]
    signature = np.where(np.arange(cards) % 5 == 4, -1, np.arange(cards) % 3)
    facts = CardFacts(STREET_CARD_MODEL, signature, person, person % 3 > 0)
    return Evidence(figures, submissions, (np.arange(36) % 4 - 1)[:, None], facts)


def of_the_street() -> Iterator[tuple[str, tuple[float, ...]]]:
    """The fit, what it says of each model, and who is trusted after one fit and after two."""
    measured = street()
    around = usual_of(STREET_HOSTS, Market(3.0, (np.zeros(4),), (np.full(4, 0.2),)))
    fit, judged = engine.learn(
        measured,
        host_types=np.arange(STREET_HOSTS) % 7 - 1,
        linked={"linked"},
        prior={"linked": around, "free": around},
        standing_flags={8: 2},
    )
    yield from chain(of_the_fit(fit), of_the_models(judged), of_the_flags(judged.findings))
    yield from of_the_scores(judged.figures, fit.rho)
    yield "soft", tuple(links.soft for links in fit.links.values())
    yield from of_the_people(measured)


def of_the_people(measured: Evidence) -> Iterator[tuple[str, tuple[float, ...]]]:
    for vouched in ((), (5, 6)):
        voices = voices_of(measured, vouched)
        record = reputation.NOBODY
        for round_ in range(3):
            level, reliability = reputation.trust_levels(voices, record)
            belief = reputation.beliefs(voices, level, reliability)
            name = f"{len(vouched)} vouched, round {round_}"
            yield f"{name} voices", digest(level) + digest(reliability) + digest(belief)
            record = reputation.learn(voices, record)
            yield f"{name} record", digest(record.established) + digest(record.agrees) + digest(record.person)


def voices_of(measured: Evidence, vouched: tuple[int, ...]) -> Voices:
    rows = list(measured.runs.values())
    figure = np.repeat(np.arange(len(rows)), [len(of_figure.model) for of_figure in rows])
    model, person, log_value = (
        np.concatenate([getattr(of_figure, column) for of_figure in rows])
        for column in ("model", "submitter", "log_value")
    )
    linked = np.array([name == "linked" for name in measured.runs])
    return Voices.of(figure, model, person, log_value, linked=linked, vouched=np.isin(person, vouched))


def learned_of_the_uneven(
    measured: Evidence, nothing: tuple[np.ndarray, ...]
) -> tuple[engine.CrowdFit, engine.Judged]:
    """`nothing`: effects of 0 of every kind of trait."""
    around = usual_of(14, Market(3.0, nothing, nothing))
    return engine.learn(
        measured,
        host_types=np.arange(14) % 4 - 1,
        linked={"linked"},
        prior={"linked": around, "free": around},
        standing_flags={},
    )


def of_the_uneven() -> Iterator[tuple[str, tuple[float, ...]]]:
    """The fit, what it says of each model and of the silicons of two of them, and who stands behind it."""
    measured = uneven()
    fit, judged = learned_of_the_uneven(measured, ())
    yield from chain(of_the_fit(fit), of_the_models(judged), of_the_flags(judged.findings))
    yield from of_the_scores(judged.figures, fit.rho)
    for figures in (("linked", "free"), ("free",)):
        behind = Counted(measured).behind(figures)
        yield f"behind {figures[-1]} {len(figures)}", tuple(np.hstack(astuple(behind)).astype(float).tolist())
    branded = replace(measured, traits=(np.arange(30) % 5 - 1)[:, None])
    silicons = apart(branded, [1, 2])
    told = (silicons.model, silicons.signature, silicons.cards)
    yield "silicons", tuple(np.hstack(told).astype(float).tolist())
    fit, judged = learned_of_the_uneven(branded, (np.zeros(5),))
    for name, row in chain(of_the_fit(fit), of_the_models(judged)):
        yield f"branded {name}", row
    for name, row in of_the_models(engine.judge(silicons.evidence, fit, standing_flags={})):
        yield f"silicons {name}", row


@cache
def learned() -> tuple[engine.CrowdFit, engine.Judged]:
    names = ("linked", "free", "other", "never")
    return engine.learn(
        evidence(),
        host_types=HOST_TYPES,
        linked={"linked"},
        prior=dict.fromkeys(names, usual()),
        standing_flags={2: CARDS, 3: 6},
    )


def digest(column: np.ndarray) -> tuple[float, ...]:
    """How many there are, their mean, and their mean under uneven weights: no value can move unnoticed."""
    numbers = np.asarray(column, dtype=np.float64).ravel()
    there = np.isfinite(numbers)
    weight = 1 + 0.5 * np.sin(np.arange(len(numbers)))
    count = there.sum()
    sums = (numbers[there].sum(), (weight * numbers)[there].sum())
    return float(count), *(float(total / max(count, 1)) for total in sums)


def of_the_fit(fit: engine.CrowdFit) -> Iterator[tuple[str, tuple[float, ...]]]:
    yield "rho and thresholds", (*digest(fit.rho), fit.pool.varies_below, fit.pool.suspected_below)
    for name, around in fit.figures.items():
        yield f"{name} spreads", tuple(float(number) for number in np.hstack(astuple(around.spreads)))
        yield f"{name} hosts", digest(around.host_effect) + digest(around.host_variance)
        yield f"{name} market", digest(np.concatenate([[around.market.general], *around.market.effects]))
        yield f"{name} unsure", digest(np.concatenate([[0.0], *around.market.variances]))
        yield f"{name} pool", astuple(fit.pool.between[name]) + astuple(fit.pool.within[name])
    for name, links in fit.links.items():
        yield f"{name} reach", digest(links.log_reach)


def of_the_models(judged: engine.Judged) -> Iterator[tuple[str, tuple[float, ...]]]:
    for name, predicted in judged.predicted.items():
        yield f"{name} next card", digest(np.hstack([predicted.lower, predicted.upper, predicted.slow]))
    for name, estimates in judged.estimates.items():
        for column in ("mean", "sd", "own_mean", "own_precision", "card_value", "card_vote", "card_scale"):
            yield f"{name} {column}", digest(getattr(estimates, column))
        counts = (getattr(estimates, column) for column in ("cards", "submitters", "runs", "at_least"))
        yield f"{name} counts", tuple(float(count.sum()) for count in counts)


def of_the_flags(findings: Findings) -> Iterator[tuple[str, tuple[float, ...]]]:
    for model, differences in findings.varies.items():
        for row in differences:
            cells = (np.ravel(cell) for cell in astuple(row)[1:])
            yield f"{model} differs in {row.figure}", tuple(np.concatenate(list(cells)).tolist())
    for model, scatters in findings.suspected.items():
        for scatter in scatters:
            yield f"{model} scatters in {scatter.figure}", astuple(scatter)[1:]


def of_the_scores(figures: Figures, rho: np.ndarray) -> Iterator[tuple[str, tuple[float, ...]]]:
    weights = np.array([4.0, 2.0, 1.0, 1.0])[: len(rho)]
    together = composite(figures, weights=weights, log_reference=np.full(len(rho), 3.0), rho=rho)
    for column in ("log_ratio", "sd", "covered", "caution"):
        yield f"composite {column}", digest(getattr(together, column))


@cache
def numbers() -> dict[str, tuple[float, ...]]:
    fit, judged = learned()
    rows = (of_the_fit(fit), of_the_models(judged), of_the_flags(judged.findings))
    of_others = {"uneven": of_the_uneven(), "street": of_the_street()}
    return dict(chain(*rows, of_the_scores(judged.figures, fit.rho))) | {
        f"{crowd} {name}": row for crowd, rows in of_others.items() for name, row in rows
    }


RECORDED: dict[str, list[float]] = json.loads(FILE.read_text()) if FILE.exists() else {}


def test_every_number_is_what_it_was() -> None:
    """One test: of several, whichever comes first would be the only one that runs the judgement, and checks one row."""
    rows = numbers()
    assert not {
        name for name, row in RECORDED.items() if rows[name] != pytest.approx(row, rel=1e-5, abs=1e-9)
    }


def test_nothing_is_said_that_was_not() -> None:
    assert numbers().keys() == RECORDED.keys()


if __name__ == "__main__":
    lines = (
        f'"{name}": {json.dumps([float(f"{number:.8g}") for number in row])}'
        for name, row in numbers().items()
    )
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
