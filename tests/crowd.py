"""Simulate a crowd of reports with a known truth: models, cards, hosts, buses, people, variants, mistakes and spam.

All values are invented and drawn from a seed. The kinds of effects follow published surveys: writes differ far more
between models than reads, the bus limits reads, and a few models have most of the cards.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tests.worlds import FIGURES, LINKED, LINKS, NAMES, REFERENCE_LINK, Manners, Size

Array = NDArray[Any]
_SIZE, _MANNERS = Size(), Manners()


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """A simulated crowd: columns per run, card, host and model, and the truth behind them.

    `values`: by figure, one value per run, nan where it was not measured. `truth`: by figure, the log value of each
    model on the reference host (host effect 0, bus REFERENCE_LINK), the median over honest cards of its first silicon.
    `signature`: the silicon of each card, -1 where no run showed it. `host_link`: the speed that the hosts state.

    Only an oracle knows the rest: `log_mean` (the truth as if no bus limited it, figures x models), `host_effect`
    (figures x hosts), `host_top` (log of the speed that each bus truly reaches), `sound` (per run: no mistake, and an
    honest person), `specimens` (by figure, models x cards as shops sell them, on the reference host).
    """

    model: Array
    card: Array
    host: Array
    submitter: Array
    values: Mapping[str, Array]
    host_link: Array
    host_type: Array
    traits: Array
    card_model: Array
    card_submitter: Array
    card_month: Array
    signature: Array
    truth: Mapping[str, Array]
    kind: Array
    ratio: Array
    spammed: Array
    cards: int
    log_mean: Array
    host_effect: Array
    host_top: Array
    sound: Array
    specimens: Mapping[str, Array]
    manners: Manners


def crowd(seed: int, size: Size = _SIZE, manners: Manners = _MANNERS) -> Crowd:
    """Return the simulated crowd of a seed."""
    chance = np.random.default_rng(seed)
    hosts = _hosts(chance, size.hosts, manners)
    models = _models(chance, size.models, manners)
    cards = _cards(chance, size, models)
    runs = _draw_runs(chance, size, hosts, cards)
    values = _values(chance, hosts, models, cards, runs, manners)
    runs["sound"] = np.ones(len(runs["card"]), dtype=bool)
    if manners.mistakes:
        runs, values = _add_mistakes(chance, runs, values, hosts)
    spammed = np.zeros(size.models, dtype=bool)
    if manners.spam:
        runs, values, cards, spammed = _add_spam(
            chance, runs, values, cards, hosts, models, share=manners.spammers
        )
    return Crowd(
        model=cards["model"][runs["card"]],
        card=runs["card"],
        host=runs["host"],
        submitter=runs["submitter"],
        values=dict(zip(NAMES, values, strict=True)),
        host_link=hosts["stated"],
        host_type=hosts["type"],
        traits=models["traits"],
        card_model=cards["model"],
        card_submitter=cards["submitter"],
        card_month=cards["month"],
        signature=_shown_silicon(cards, runs, hosts, manners),
        truth=_truth(models),
        kind=models["kind"],
        ratio=models["ratio"],
        spammed=spammed,
        cards=len(cards["model"]),
        log_mean=models["log_mean"],
        host_effect=hosts["effect"],
        host_top=hosts["top"],
        sound=runs["sound"],
        specimens=_specimens(np.random.default_rng([seed, 1]), models),
        manners=manners,
    )


Table = dict[str, Array]


def _draw_shares(chance: Generator, count: int, sigma: float) -> Array:
    # A few of the parties have large shares.
    weights = np.exp(sigma * chance.standard_normal(count))
    return weights / weights.sum()


def _hosts(chance: Generator, count: int, manners: Manners) -> Table:
    shares = np.array([link[1] for link in LINKS])
    kind = chance.choice(len(LINKS), size=count, p=shares / shares.sum())
    usual = 0.5 * chance.standard_normal((len(FIGURES), len(LINKS)))
    own = np.sqrt(0.75) * chance.standard_normal((len(FIGURES), count))
    effect = np.array([figure.host for figure in manners.figures])[:, None] * (usual[:, kind] + own)
    reach = np.array([link[2] for link in LINKS])[kind]
    return {
        "type": np.arange(count) if manners.own_types else kind,
        "kind": kind,
        "reach": reach,
        "stated": _stated_speeds(reach, kind, manners),
        "top": np.log(reach) + 0.03 * chance.standard_normal(count),
        "hides": np.array([link[3] for link in LINKS])[kind],
        "effect": effect - effect.mean(axis=1, keepdims=True),
        "popularity": _draw_shares(chance, count, 1.0),
    }


def _stated_speeds(reach: Array, kind: Array, manners: Manners) -> Array:
    """Return the bus speeds that hosts state, in bytes per second; inf for a host that states none."""
    chance = np.random.default_rng(len(kind))
    wrong = (kind == len(LINKS) - 1) & (chance.uniform(size=len(kind)) < manners.wrong)
    said = np.where(wrong, LINKS[3][2], reach)
    return np.where(chance.uniform(size=len(kind)) < manners.silent, np.inf, said)


def _models(chance: Generator, count: int, manners: Manners) -> Table:
    brands, lines_per_brand, sizes, figures = 40, 5, 7, manners.figures
    brand = chance.choice(brands, size=count, p=_draw_shares(chance, brands, 0.0 if manners.lone else 1.0))
    line = brand * lines_per_brand + chance.integers(lines_per_brand, size=count)
    capacity = chance.integers(sizes, size=count)
    log_mean = np.log([figure.typical for figure in figures])[:, None] + np.zeros(count)
    parts = (("brand", brand), ("line", line), ("capacity", capacity), ("model", np.arange(count)))
    for name, group in parts:
        spreads = np.array([getattr(figure, name) for figure in figures])[:, None]
        log_mean = log_mean + spreads * _draw_related(chance, int(group.max()) + 1)[:, group]
    kind = chance.choice(4, size=count, p=_kind_shares(manners))
    swapped = (kind == 1) | (kind == 2)
    ratio = np.where(swapped, np.exp(chance.uniform(np.log(1.15), np.log(4), count)), 1.0)
    touched = chance.uniform(size=(len(FIGURES), count))
    touched[chance.integers(len(FIGURES), size=count), np.arange(count)] = 1.0
    return {
        "traits": np.column_stack([brand, line, capacity]),
        "log_mean": log_mean,
        "kind": kind,
        "ratio": ratio,
        "drop": -np.log(ratio) * touched,
        "second_share": chance.uniform(0.2, 0.5, count),
        "signatures": np.maximum(chance.choice([1, 2, 3], size=count, p=[0.5, 0.35, 0.15]), 1 + (kind == 1)),
        "spread": np.exp(0.3 * chance.standard_normal(count)) * np.where(kind == 3, 3.0, 1.0),
        "popularity": _draw_shares(chance, count, 1.2),
        "swap_month": chance.integers(24, 96, size=count),
    }


def _kind_shares(manners: Manners) -> list[float]:
    odd = [manners.visible, manners.hidden, manners.wide]
    return [1 - sum(odd), *odd]


def _draw_related(chance: Generator, count: int, common: float = 0.4) -> Array:
    """Return a standard normal row per figure.

    Any two rows have the correlation `common`, but columns are independent.
    """
    shared = chance.standard_normal(count)
    own = chance.standard_normal((len(FIGURES), count))
    return np.sqrt(common) * shared + np.sqrt(1 - common) * own


def _cards(chance: Generator, size: Size, models: Table) -> Table:
    count, submitters = int(0.3 * size.runs), max(int(0.1 * size.runs), 2)
    model = chance.choice(size.models, size=count, p=models["popularity"])
    return _draw_cards(chance, model, models) | {
        "submitter": chance.choice(submitters, size=count, p=_draw_shares(chance, submitters, 0.8)),
        "popularity": _draw_shares(chance, count, 0.8),
    }


def _draw_cards(chance: Generator, model: Array, models: Table) -> Table:
    count = len(model)
    second = chance.uniform(size=count) < models["second_share"][model]
    many = models["signatures"][model]
    other = np.where(many > 1, 1 + chance.integers(2, size=count) % np.maximum(many - 1, 1), 0)
    month = models["swap_month"][model] + np.where(second, 1, -1) * chance.integers(0, 24, size=count)
    effect = _draw_related(chance, count, 0.3) * models["spread"][model]
    effect *= np.array([figure.card for figure in FIGURES])[:, None] * _tail_factors(chance, 5, count)
    bad = chance.uniform(size=count) < 0.04
    effect += np.where(bad, np.log(chance.uniform(0.25, 0.8, count)), 0.0)
    changed = second & np.isin(models["kind"][model], (1, 2))
    effect += np.where(changed, models["drop"][:, model], 0.0)
    return {
        "model": model,
        "silicon": np.where(second & (models["kind"][model] != 2), other, 0),
        "month": month,
        "effect": effect,
    }


def _specimens(chance: Generator, models: Table, each: int = 20) -> dict[str, Array]:
    count = len(models["kind"])
    cards = _draw_cards(chance, np.repeat(np.arange(count), each), models)
    values = models["log_mean"][:, :, None] + cards["effect"].reshape(len(FIGURES), count, each)
    top = np.where(LINKED, np.log(REFERENCE_LINK), np.inf)[:, :, None]
    return dict(zip(NAMES, np.minimum(values, top), strict=True))


def _tail_factors(chance: Generator, freedom: int, count: int) -> Array:
    # Factors that turn normal values into t-distributed values of the same standard deviation.
    return np.sqrt((freedom - 2) / chance.chisquare(freedom, size=count))


def _draw_runs(chance: Generator, size: Size, hosts: Table, cards: Table) -> Table:
    # Every card is measured once, and then cards at random; an owner has one or two hosts, and lends a card in twenty.
    count, submitters = len(cards["model"]), int(cards["submitter"].max()) + 1
    more = chance.choice(count, size=max(size.runs - count, 0), p=cards["popularity"])
    card = np.concatenate([np.arange(count), more])
    home = chance.choice(len(hosts["type"]), size=(2, submitters), p=hosts["popularity"])
    has_two = chance.uniform(size=submitters) < 0.45
    borrowed = chance.uniform(size=len(card)) < 0.02
    submitter = np.where(borrowed, chance.integers(submitters, size=len(card)), cards["submitter"][card])
    which = (chance.uniform(size=len(card)) < 0.4) & has_two[submitter]
    return {"card": card, "submitter": submitter, "host": home[which.astype(int), submitter]}


def _values(
    chance: Generator, hosts: Table, models: Table, cards: Table, runs: Table, manners: Manners
) -> Array:
    """Return the measured values as figures x runs, nan where a figure was not measured."""
    card, host = runs["card"], runs["host"]
    pairs, cell = np.unique(card * len(hosts["type"]) + host, return_inverse=True)
    rows = []
    for number, figure in enumerate(FIGURES):
        log_value = models["log_mean"][number, cards["model"][card]] + cards["effect"][number, card]
        log_value = log_value + hosts["effect"][number, host]
        log_value += figure.interaction * chance.standard_normal(len(pairs))[cell]
        log_value += figure.repeat * chance.standard_t(3, size=len(card)) / np.sqrt(3)
        if figure.linked:
            top = hosts["top"][host] - 0.015 * np.abs(chance.standard_normal(len(card)))
            log_value = _limit_to_link(log_value, top, manners.soft)
        measured = chance.uniform(size=len(card)) < figure.share
        rows.append(np.where(measured, np.exp(log_value), np.nan))
    return np.array(rows)


def _limit_to_link(log_value: Array, top: Array, soft: float) -> Array:
    # A smooth minimum, unless `soft` is 0.
    if soft == 0:
        return np.minimum(log_value, top)
    return -soft * np.logaddexp(-log_value / soft, -top / soft)


def _add_mistakes(chance: Generator, runs: Table, values: Array, hosts: Table) -> tuple[Table, Array]:
    """Change 10 % of the runs: throttled or busy 5 %, from the page cache 2 %, in a wrong unit 1 %, sent twice 2 %."""
    count = len(runs["card"])
    fate = chance.uniform(size=count)
    values = values * np.where(fate < 0.05, chance.uniform(0.3, 0.85, count), 1.0)
    cached = (fate >= 0.05) & (fate < 0.07)
    boost = hosts["reach"][runs["host"]] * chance.uniform(1.2, 15, count)
    values = np.where(LINKED & cached & np.isfinite(values), boost, values)
    slipped = np.flatnonzero((fate >= 0.07) & (fate < 0.08))
    factor = chance.choice([8, 1 / 8, 1000, 1 / 1000, 1.048576], size=len(slipped))
    values[chance.integers(len(FIGURES), size=len(slipped)), slipped] *= factor
    runs["sound"] = fate >= 0.08
    twice = np.concatenate([np.arange(count), np.flatnonzero(fate > 0.98)])
    return {name: column[twice] for name, column in runs.items()}, values[:, twice]


def _add_spam(
    chance: Generator, runs: Table, values: Array, cards: Table, hosts: Table, models: Table, *, share: float
) -> tuple[Table, Array, Table, Array]:
    # Some submitters try to raise or lower one model each by 20 to 120 runs on invented cards.
    submitters = int(cards["submitter"].max()) + 1
    log_runs: list[Table] = []
    more_values, more_models, more_owners = [], [], []
    next_card = len(cards["model"])
    attackers = chance.choice(submitters, size=max(int(share * submitters), 1), replace=False)
    spammed = np.zeros(models["log_mean"].shape[1], dtype=bool)
    for attacker in attackers:
        model = int(chance.choice(cards["model"]))
        spammed[model] = True
        count, own = int(chance.integers(20, 121)), int(chance.integers(4, 25))
        bias = chance.choice([-1, 1]) * chance.uniform(0.5, 1.5)
        host = int(chance.choice(len(hosts["type"]), p=hosts["popularity"]))
        claimed = (
            models["log_mean"][:, model, None] + bias + 0.05 * chance.standard_normal((len(FIGURES), count))
        )
        top = np.where(LINKED, np.log(hosts["reach"][host]), np.inf)
        more_values.append(np.exp(np.minimum(claimed, top)))
        card = next_card + chance.integers(own, size=count)
        columns = {"card": card, "submitter": attacker, "host": host, "sound": False}
        log_runs.append({name: np.broadcast_to(column, count) for name, column in columns.items()})
        more_models += [model] * own
        more_owners += [int(attacker)] * own
        next_card += own
    joined = {name: np.concatenate([runs[name], *(log_run[name] for log_run in log_runs)]) for name in runs}
    extra = len(more_models)
    grown = cards | {
        "model": np.append(cards["model"], more_models),
        "submitter": np.append(cards["submitter"], more_owners),
        "silicon": np.append(cards["silicon"], np.zeros(extra, dtype=int)),
        "month": np.append(cards["month"], np.full(extra, 60)),
    }
    return joined, np.concatenate([values, *more_values], axis=1), grown, spammed


def _shown_silicon(cards: Table, runs: Table, hosts: Table, manners: Manners) -> Array:
    # Readers that hide the CID hide the silicon.
    if not manners.readers_hide_cid:
        return cards["silicon"]
    seen = np.zeros(len(cards["model"]), dtype=bool)
    seen[runs["card"][~hosts["hides"][runs["host"]]]] = True
    return np.where(seen, cards["silicon"], -1)


def _truth(models: Table) -> dict[str, Array]:
    top = np.where(LINKED, np.log(REFERENCE_LINK), np.inf)
    return dict(zip(NAMES, np.minimum(models["log_mean"], top), strict=True))
