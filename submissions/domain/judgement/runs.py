"""Runs of one figure, as they come from the reports."""

from dataclasses import dataclass, field

import numpy as np

from submissions.domain.judgement import robust
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Believable values of one figure, one row each. Models, cards, hosts and submitters are numbers from 0.

    `log_value`: natural log of a figure where more is better, in its base unit; `log_reach`: log of what the
    host's link reaches in practice, in the same unit, inf where it is not known or does not matter; `belief`: what the
    submitter weighs in this model, as a share of a whole voice (see `reputation`), a whole one where it is not told.
    """

    model: Index
    card: Index
    host: Index
    submitter: Index
    log_value: Floats
    log_reach: Floats
    belief: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if not len(self.belief):
            object.__setattr__(self, "belief", np.ones(len(self.log_value)))
        sizes = {len(getattr(self, name)) for name in self.__slots__}
        if len(sizes) != 1:
            raise ValueError(f"the columns of Runs differ in length: {sorted(sizes)}")
        if not np.isfinite(self.log_value).all():
            raise ValueError("a log_value is not finite; leave out what is missing, zero or less")

    def where(self, keep: Mask | Index) -> "Runs":
        return Runs(*(getattr(self, name)[keep] for name in self.__slots__))


def unit_suspected(runs: Runs, parameters: Parameters = DEFAULTS) -> Mask:
    """Rows about 1000 or 1024 times above or below the middle card of their model: probably kB was written for MB.

    Of two cards neither is known to be right, so a model needs some more; a card has one voice.
    """
    least = np.log(1000) - parameters.slip_margin
    if not len(runs.log_value) or np.ptp(runs.log_value) < least:
        return np.zeros(len(runs.log_value), dtype=bool)
    models = int(runs.model.max()) + 1
    low, high = np.full(models, np.inf), np.full(models, -np.inf)
    np.minimum.at(low, runs.model, runs.log_value)
    np.maximum.at(high, runs.model, runs.log_value)
    wide = (high - low >= least)[runs.model]
    suspected = np.zeros(len(wide), dtype=bool)
    suspected[wide] = _slipped(runs.where(wide), models, parameters)
    return suspected


def _slipped(runs: Runs, models: int, parameters: Parameters) -> Mask:
    first, card = robust.numbered(runs.model, runs.card)
    of_card = robust.medians(card, runs.log_value, count=len(first))
    model = runs.model[first]
    middle = robust.medians(model, of_card, count=models)
    enough = robust.counts(model, count=models) >= parameters.slip_cards
    apart = np.abs(np.abs(runs.log_value - middle[runs.model]) - np.log(1000))
    slipped: Mask = (apart < parameters.slip_margin) & enough[runs.model]
    return slipped


def over_the_link(runs: Runs, parameters: Parameters = DEFAULTS) -> Mask:
    """Rows faster than their link can be: page cache or a wrong unit."""
    return runs.log_value > runs.log_reach + parameters.over_link
