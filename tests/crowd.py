"""A crowd with ground truth: models, cards, hosts, links, submitters, swapped silicon, mistakes, and spam.

Everything is invented and drawn from a seed. Sizes of effects follow what published surveys show in kind: writes
differ far more between models than reads, reads end at the link, few models have many cards and many have few.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from submissions.domain.judgement.runs import Runs

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """Spreads in natural-log units, as in judgement.crowd; `linked`: bytes per second, ends at the link."""

    name: str
    typical: float
    brand: float
    line: float
    capacity: float
    model: float
    host: float
    card: float
    interaction: float
    repeat: float
    linked: bool = False
    share: float = 1.0


# Sizes are estimates. They were set so that plain medians and means of runs err about as much as in the prototypes that
# the goals of the bench come from: what the judgement adds can then be compared.
FIGURES = (
    Figure("seq_read", 78e6, 0.10, 0.14, 0.05, 0.16, 0.05, 0.05, 0.03, 0.04, linked=True),
    Figure("seq_write", 24e6, 0.30, 0.42, 0.25, 0.18, 0.06, 0.08, 0.04, 0.06, linked=True),
    Figure("rand_read_4k", 1700.0, 0.20, 0.25, 0.08, 0.14, 0.08, 0.06, 0.04, 0.05, share=0.85),
    Figure("rand_write_4k", 480.0, 0.50, 0.60, 0.30, 0.22, 0.09, 0.08, 0.05, 0.07, share=0.85),
    Figure("open_au_random_16k_osync", 9e5, 0.50, 0.60, 0.30, 0.25, 0.09, 0.10, 0.06, 0.08, share=0.6),
)
NAMES = tuple(figure.name for figure in FIGURES)

# type of host: share of submitters, bytes per second its link reaches, whether it hides the CID.
# Reached: about 22 of 25, 44 of 50, 90 of 104 MB/s on Raspberry Pi 3, 4, 5; 33 MB/s through USB 2.
LINKS = (
    ("high speed slot", 0.08, 22e6, False),
    ("DDR50 slot", 0.18, 44e6, False),
    ("SDR104 slot", 0.26, 90e6, False),
    ("USB 2 reader", 0.08, 33e6, True),
    ("USB 3 reader", 0.40, 93e6, True),
)
REFERENCE_LINK = 93e6
KINDS = ("none", "visible", "hidden", "wide")


@dataclass(frozen=True, slots=True)
class Size:
    models: int = 5000
    hosts: int = 300
    runs: int = 200_000


@dataclass(frozen=True, slots=True)
class Manners:
    """Which troubles the crowd has. Shares are of models, runs or submitters."""

    visible: float = 0.06
    hidden: float = 0.03
    wide: float = 0.03
    mistakes: bool = True
    spam: bool = True
    readers_hide_cid: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """Columns per run (`values`: figure -> per run, nan where not measured), per card, host and model, and the truth.

    `truth`: figure -> log value of each model on the reference host (host effect 0, link REFERENCE_LINK), the
    median over honest cards of its first silicon. `signature` per card: its silicon, -1 where no run showed it.
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
    cards: int = field(default=0)

    def runs_of(self, figure: str) -> Runs:
        """What the judgement gets to see of one figure."""
        value = self.values[figure]
        measured = np.isfinite(value)
        linked = next(row for row in FIGURES if row.name == figure).linked
        reach = np.log(self.host_link[self.host]) if linked else np.full(len(value), np.inf)
        columns = (self.model, self.card, self.host, self.submitter, np.log(value), reach)
        return Runs(*(column[measured] for column in columns))


def crowd(seed: int, size: Size = Size(), manners: Manners = Manners()) -> Crowd:
    """The crowd of this seed."""
    chance = np.random.default_rng(seed)
    hosts = _hosts(chance, size.hosts)
    models = _models(chance, size.models, manners)
    cards = _cards(chance, size, models)
    runs = _runs(chance, size, hosts, cards)
    values = _values(chance, hosts, models, cards, runs)
    if manners.mistakes:
        runs, values = _mistakes(chance, runs, values, hosts)
    spammed = np.zeros(size.models, dtype=bool)
    if manners.spam:
        runs, values, cards, spammed = _spam(chance, runs, values, cards, hosts, models)
    return Crowd(
        model=cards["model"][runs["card"]],
        card=runs["card"],
        host=runs["host"],
        submitter=runs["submitter"],
        values=dict(zip(NAMES, values, strict=True)),
        host_link=hosts["reach"],
        host_type=hosts["type"],
        traits=models["traits"],
        card_model=cards["model"],
        card_submitter=cards["submitter"],
        card_month=cards["month"],
        signature=_shown(cards, runs, hosts, manners),
        truth=_truth(models),
        kind=models["kind"],
        ratio=models["ratio"],
        spammed=spammed,
        cards=len(cards["model"]),
    )


Table = dict[str, Array]


def _uneven(chance: Generator, count: int, sigma: float) -> Array:
    """Shares of `count` parties of which few are large."""
    weights = np.exp(sigma * chance.standard_normal(count))
    return weights / weights.sum()


def _hosts(chance: Generator, count: int) -> Table:
    shares = np.array([link[1] for link in LINKS])
    kind = chance.choice(len(LINKS), size=count, p=shares / shares.sum())
    usual = 0.5 * chance.standard_normal((len(FIGURES), len(LINKS)))
    own = np.sqrt(0.75) * chance.standard_normal((len(FIGURES), count))
    effect = np.array([figure.host for figure in FIGURES])[:, None] * (usual[:, kind] + own)
    return {
        "type": kind,
        "reach": np.array([link[2] for link in LINKS])[kind],
        "truly_reached": 0.03 * chance.standard_normal(count),
        "hides": np.array([link[3] for link in LINKS])[kind],
        "effect": effect - effect.mean(axis=1, keepdims=True),
        "popularity": _uneven(chance, count, 1.0),
    }


def _models(chance: Generator, count: int, manners: Manners) -> Table:
    brands, lines_per_brand, sizes = 40, 5, 7
    brand = chance.choice(brands, size=count, p=_uneven(chance, brands, 1.0))
    line = brand * lines_per_brand + chance.integers(lines_per_brand, size=count)
    capacity = chance.integers(sizes, size=count)
    log_mean = np.log([figure.typical for figure in FIGURES])[:, None] + np.zeros(count)
    parts = (("brand", brand), ("line", line), ("capacity", capacity), ("model", np.arange(count)))
    for name, group in parts:
        spreads = np.array([getattr(figure, name) for figure in FIGURES])[:, None]
        log_mean = log_mean + spreads * _related(chance, int(group.max()) + 1)[:, group]
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
        "popularity": _uneven(chance, count, 1.2),
        "swap_month": chance.integers(24, 96, size=count),
    }


def _kind_shares(manners: Manners) -> list[float]:
    odd = [manners.visible, manners.hidden, manners.wide]
    return [1 - sum(odd), *odd]


def _related(chance: Generator, count: int, common: float = 0.4) -> Array:
    """One standard normal row per figure; any two rows have correlation `common`."""
    shared = chance.standard_normal(count)
    own = chance.standard_normal((len(FIGURES), count))
    return np.sqrt(common) * shared + np.sqrt(1 - common) * own


def _cards(chance: Generator, size: Size, models: Table) -> Table:
    count, submitters = int(0.3 * size.runs), max(int(0.1 * size.runs), 2)
    model = chance.choice(size.models, size=count, p=models["popularity"])
    second = chance.uniform(size=count) < models["second_share"][model]
    many = models["signatures"][model]
    other = np.where(many > 1, 1 + chance.integers(2, size=count) % np.maximum(many - 1, 1), 0)
    month = models["swap_month"][model] + np.where(second, 1, -1) * chance.integers(0, 24, size=count)
    effect = _related(chance, count, 0.3) * models["spread"][model]
    effect *= np.array([figure.card for figure in FIGURES])[:, None] * _heavy(chance, 5, count)
    bad = chance.uniform(size=count) < 0.04
    effect += np.where(bad, np.log(chance.uniform(0.25, 0.8, count)), 0.0)
    changed = second & np.isin(models["kind"][model], (1, 2))
    effect += np.where(changed, models["drop"][:, model], 0.0)
    return {
        "model": model,
        "submitter": chance.choice(submitters, size=count, p=_uneven(chance, submitters, 0.8)),
        "silicon": np.where(second & (models["kind"][model] != 2), other, 0),
        "month": month,
        "effect": effect,
        "popularity": _uneven(chance, count, 0.8),
    }


def _heavy(chance: Generator, freedom: int, count: int) -> Array:
    """Factor that turns normal into t values of the same standard deviation."""
    return np.sqrt((freedom - 2) / chance.chisquare(freedom, size=count))


def _runs(chance: Generator, size: Size, hosts: Table, cards: Table) -> Table:
    """Every card once, then as it comes; an owner has one host or two, and lends one card in twenty."""
    count, submitters = len(cards["model"]), int(cards["submitter"].max()) + 1
    more = chance.choice(count, size=max(size.runs - count, 0), p=cards["popularity"])
    card = np.concatenate([np.arange(count), more])
    home = chance.choice(len(hosts["type"]), size=(2, submitters), p=hosts["popularity"])
    has_two = chance.uniform(size=submitters) < 0.45
    borrowed = chance.uniform(size=len(card)) < 0.02
    submitter = np.where(borrowed, chance.integers(submitters, size=len(card)), cards["submitter"][card])
    which = (chance.uniform(size=len(card)) < 0.4) & has_two[submitter]
    return {"card": card, "submitter": submitter, "host": home[which.astype(int), submitter]}


def _values(chance: Generator, hosts: Table, models: Table, cards: Table, runs: Table) -> Array:
    """figures x runs, nan where not measured."""
    card, host = runs["card"], runs["host"]
    pairs, cell = np.unique(card * len(hosts["type"]) + host, return_inverse=True)
    rows = []
    for number, figure in enumerate(FIGURES):
        log_value = models["log_mean"][number, cards["model"][card]] + cards["effect"][number, card]
        log_value = log_value + hosts["effect"][number, host]
        log_value += figure.interaction * chance.standard_normal(len(pairs))[cell]
        log_value += figure.repeat * chance.standard_t(3, size=len(card)) / np.sqrt(3)
        if figure.linked:
            top = np.log(hosts["reach"][host]) + hosts["truly_reached"][host]
            log_value = np.minimum(log_value, top - 0.015 * np.abs(chance.standard_normal(len(card))))
        measured = chance.uniform(size=len(card)) < figure.share
        rows.append(np.where(measured, np.exp(log_value), np.nan))
    return np.array(rows)


def _mistakes(chance: Generator, runs: Table, values: Array, hosts: Table) -> tuple[Table, Array]:
    """About one run in ten: throttled or busy 5 %, page cache 2 %, a wrong unit 1 %, sent twice 2 %."""
    count = len(runs["card"])
    fate = chance.uniform(size=count)
    values = values * np.where(fate < 0.05, chance.uniform(0.3, 0.85, count), 1.0)
    cached = (fate >= 0.05) & (fate < 0.07)
    linked = np.array([figure.linked for figure in FIGURES])[:, None]
    boost = hosts["reach"][runs["host"]] * chance.uniform(1.2, 15, count)
    values = np.where(linked & cached & np.isfinite(values), boost, values)
    slipped = np.flatnonzero((fate >= 0.07) & (fate < 0.08))
    factor = chance.choice([8, 1 / 8, 1000, 1 / 1000, 1.048576], size=len(slipped))
    values[chance.integers(len(FIGURES), size=len(slipped)), slipped] *= factor
    twice = np.concatenate([np.arange(count), np.flatnonzero(fate > 0.98)])
    return {name: column[twice] for name, column in runs.items()}, values[:, twice]


def _spam(
    chance: Generator, runs: Table, values: Array, cards: Table, hosts: Table, models: Table
) -> tuple[Table, Array, Table, Array]:
    """0.6 % of the submitters push or sink one model each with 20 to 120 runs on cards they invent."""
    submitters = int(cards["submitter"].max()) + 1
    log_runs: list[Table] = []
    more_values, more_models, more_owners = [], [], []
    next_card = len(cards["model"])
    attackers = chance.choice(submitters, size=max(int(0.006 * submitters), 1), replace=False)
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
        top = np.where([figure.linked for figure in FIGURES], np.log(hosts["reach"][host]), np.inf)
        more_values.append(np.exp(np.minimum(claimed, top[:, None])))
        card = next_card + chance.integers(own, size=count)
        log_runs.append({"card": card, "submitter": np.full(count, attacker), "host": np.full(count, host)})
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


def _shown(cards: Table, runs: Table, hosts: Table, manners: Manners) -> Array:
    """Silicon of each card as far as a run in a host that shows the CID tells it."""
    if not manners.readers_hide_cid:
        return cards["silicon"]
    seen = np.zeros(len(cards["model"]), dtype=bool)
    seen[runs["card"][~hosts["hides"][runs["host"]]]] = True
    return np.where(seen, cards["silicon"], -1)


def _truth(models: Table) -> dict[str, Array]:
    top = np.where([figure.linked for figure in FIGURES], np.log(REFERENCE_LINK), np.inf)
    return dict(zip(NAMES, np.minimum(models["log_mean"], top[:, None]), strict=True))
