"""What a single model cannot know about itself: hosts, spreads, and what models of its kind usually do."""

from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.judgement.robust import Floats, Index


@dataclass(frozen=True, slots=True)
class Spreads:
    """Standard deviations in log units: `repeat` runs in a cell, `interaction` cells of a card, `card` cards
    of a model, `host` hosts of a type, `host_type` types of hosts, `market` models of the same brand, line and
    capacity; `level`: how far all models together may be off, because the reference host and the middle of honest
    cards are known no better; `cards`: quantiles of how far cards lie from their model, () where too few told. Fits of
    long ago learned no `level`, `host_type` and `cards`."""

    repeat: float
    interaction: float
    card: float
    host: float
    market: float
    level: float = DEFAULTS.level
    host_type: float = 0.0
    cards: tuple[float, ...] = ()

    def unseen_host(self) -> float:
        """Variance of what a host adds of which nothing is known."""
        return self.host**2 + self.host_type**2

    def cell_variance(self, runs: Index) -> Floats:
        variance: Floats = self.interaction**2 + self.repeat**2 / runs
        return variance

    def perfect_card(self) -> float:
        """Weight of a card that was measured well: the unit of the submitter cap."""
        return 1 / (self.card**2 + self.interaction**2 + 0.3 * self.repeat**2)


@dataclass(frozen=True, slots=True, eq=False)
class Market:
    """Expected log value of a model by its traits (brand, line, capacity …): a sum of shrunk effects.

    `variances`: how uncertain each effect is. Each array ends with a place for "not known", which trait -1 finds:
    effect 0, and as uncertain as effects differ.
    """

    general: float
    effects: tuple[Floats, ...]
    variances: tuple[Floats, ...]

    def mean(self, traits: Index) -> Floats:
        """One expectation per row of `traits` (models x kinds of trait, -1: not known)."""
        total = np.full(len(traits), self.general)
        for effect, trait in zip(self.effects, traits.T, strict=True):
            total += effect[trait]
        return total

    def expected(self, traits: Index, spreads: Spreads) -> "Expected":
        """What is expected of each model before its cards are looked at."""
        variance = np.full(len(traits), spreads.market**2)
        for uncertain, trait in zip(self.variances, traits.T, strict=True):
            variance += uncertain[trait]
        return Expected(self.mean(traits), 1 / variance)


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """Per model: expected log value, and how much that weighs (1 / variance)."""

    mean: Floats
    precision: Floats


@dataclass(frozen=True, slots=True, eq=False)
class CrowdFigure:
    """Fixed between two full fits. The host arrays end with a host "not seen yet", which number -1 finds:
    effect 0, and as uncertain as hosts differ. Figures of different kinds of `slot` say nothing of each other."""

    host_effect: Floats
    host_variance: Floats
    spreads: Spreads
    market: Market
    slot: str = ""
