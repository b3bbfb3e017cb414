"""What its cards say of a model, any of which may be odd: worn, faulty or throttled.

    y_u ~ (1 - e) N(m, v_u) + e t_3(m - d, v_u + s²)        p(m | y) ∝ N(m; market) Π_u p(y_u | m)^k_u

Odd cards are slower, by a factor that differs. Of many cards the odd one is plain to see; of one card nobody can tell,
and the market decides how likely it is. Mean and variance are summed over a grid, so that two humps stay two humps:
the only card of a model at a third of what is usual is either slow or odd, and the interval says so. k_u, the share of
a card that counts, is what its submitter and the other cards on its hosts leave of it. The odds e / (1 - e) are those
of each card, by what its other figures show. Of a card that links hid, p(y_u | m) is how likely it reaches so much.
"""

from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement import distributions, robust
from submissions.domain.judgement.crowd import Expected
from submissions.domain.judgement.parameters import Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask

# Points of the grid: near where the fit is, in its standard deviations, and all the way to what is usual.
_NEAR = np.linspace(-6.0, 6.0, 19)
_FAR = np.linspace(0.0, 1.0, 19)
_BEYOND = 2.5  # spreads of the market beyond both, where the grid ends
# Cards say at least this share of what the market does, where they say anything: own means stay finite.
_LEAST = 0.02
# What the cards alone say may lie this much further from the market than their middle does.
_SLACK = 1.1
# Log odds beyond these are as good as certain, and their squares still numbers in single precision.
_CERTAIN = (-60.0, 30.0)
# What one figure, and all others together, may say of a card's being odd, in log odds.
_ONE_FIGURE, _ALL_FIGURES = (-3.0, 5.0), (-2.0, 6.0)


@dataclass(frozen=True, slots=True, eq=False)
class Cards:
    """Per card: its model, its log value with the variance v of that about the model, what its submitter leaves of it
    (`scale`), and what the other cards on its hosts do (`alone`); k is both. `at_least`: a link hid the card, which
    does `value` or more. `odds`: log of how many times as likely as usual it is odd."""

    model: Index
    value: Floats
    variance: Floats
    scale: Floats
    alone: Floats
    at_least: Mask
    odds: Floats

    def where(self, keep: Mask) -> "Cards":
        return Cards(**{name: getattr(self, name)[keep] for name in self.__slots__})


def odds(away: Floats, variance: Floats, kinds: Index, parameters: Parameters) -> Floats:
    """Log of how many times as likely as usual each card is odd, per figure and card, by what its other figures of the
    same kind (`kinds`, of each figure) show. `away`: how far it lies from its model, nan where that is not known, with
    the `variance` of that.

    A worn, throttled or busy card is slow in all it does. But figures of a sound card go together, too: n of them say
    no more than the root of n would if they did not.
    """
    broad = variance + parameters.odd_spread**2
    sound = -0.5 * away**2 / variance - 0.5 * np.log(variance)
    odd = -2 * np.log1p((away + parameters.odd_below) ** 2 / (3 * broad)) - 0.5 * np.log(broad)
    told = np.nan_to_num(np.clip(odd - sound, *_ONE_FIGURE))
    others = (kinds[:, None] == kinds) & ~np.eye(len(kinds), dtype=bool)
    number = others @ np.isfinite(away).astype(np.float64)
    total: Floats = np.clip(others @ told / np.sqrt(np.maximum(number, 1)), *_ALL_FIGURES)
    return total


def posterior(
    cards: Cards, *, near: Expected, market: Expected, parameters: Parameters
) -> tuple[Floats, Floats]:
    """(mean, variance) of each model. `near`: where the fit found it, market included."""
    grid = _grid(near, market)
    log_density = -0.5 * market.precision[:, None] * (grid - market.mean[:, None]) ** 2
    log_density += _told(cards, grid, near.mean, parameters)
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True)) * _widths(grid)
    density /= density.sum(axis=1, keepdims=True)
    mean = (density * grid).sum(axis=1)
    return mean, (density * (grid - mean[:, None]) ** 2).sum(axis=1)


def _told(cards: Cards, grid: Floats, origin: Floats, parameters: Parameters) -> Floats:
    """Log likelihood of the cards of each model at each point of its grid; single precision is as much as it needs."""
    model, variance, counts = cards.model, cards.variance, cards.scale * cards.alone
    broad = 1 / (variance + parameters.odd_spread**2)
    # Cards that share a host share its error; that they are all odd is as unlikely as ever.
    usual = np.log(parameters.odd_cards / (1 - parameters.odd_cards))
    odds = np.exp(np.clip((usual + cards.odds) / cards.alone, *_CERTAIN)) * np.sqrt(broad * variance)
    single = (cards.value - origin[model], np.sqrt(0.5 / variance), np.sqrt(broad / 3), np.sqrt(odds))
    away, narrow, flat, chance = (column.astype(np.float32) for column in single)
    below, hidden = np.float32(parameters.odd_below), np.flatnonzero(cards.at_least)
    told = []
    for points in robust.in_parts((grid - origin[:, None]).astype(np.float32).T, columns=len(model)):
        apart = away - points[:, model]
        odd = chance / (1 + ((apart + below) * flat) ** 2)
        likely = np.exp(-((apart * narrow) ** 2)) + odd**2
        likely[:, hidden] = _reached(apart[:, hidden] * narrow[hidden], parameters)
        told.append(robust.sums_of_rows(model, counts * np.log(likely), count=len(grid)))
    return np.vstack(told).T


def _reached(distance: Floats, parameters: Parameters) -> Floats:
    """How likely a card is to do so much or more, which an odd one hardly does. `distance`: above its model, in
    sqrt(2) standard deviations."""
    likely: Floats = np.maximum(0.5 * distributions.erfc(distance), parameters.shown_more)
    return likely


def without_market(
    mean: Floats, variance: Floats, market: Expected, *, middle: Floats
) -> tuple[Floats, Floats]:
    """(mean, precision) that, put together with the market, give this mean and, where that can be, this variance.

    Two humps may be as wide as the market itself. The mean alone then tells how much the cards count: they say nothing
    that lies far beyond their `middle` (nan: no middle is known).
    """
    away, reach = mean - market.mean, _SLACK * (middle - market.mean)
    precision = np.maximum(1 / variance - market.precision, _LEAST * market.precision)
    beyond = away * (precision + market.precision) / precision
    short = (np.abs(beyond) > np.abs(reach)) & (away * reach > away**2)
    part = np.divide(away, reach - away, out=np.ones_like(away), where=short)
    precision = np.where(short, market.precision * part, precision)
    return mean + away * market.precision / precision, precision


def _grid(near: Expected, market: Expected) -> Floats:
    """Models x points, ascending: evenly spaced near the fit, where the trapezoid rule is exact."""
    beyond = _BEYOND / np.sqrt(market.precision)
    low = np.minimum(near.mean, market.mean) - beyond
    high = np.maximum(near.mean, market.mean) + beyond
    close = near.mean[:, None] + _NEAR / np.sqrt(near.precision)[:, None]
    far = low[:, None] + (high - low)[:, None] * _FAR
    inside = (far > close[:, :1]) & (far < close[:, -1:])
    return np.sort(np.hstack([close, np.where(inside, close[:, :1], far)]), axis=1)


def _widths(grid: Floats) -> Floats:
    """What each point of the grid stands for, by the trapezoid rule."""
    step = np.diff(grid, axis=1)
    widths = np.zeros_like(grid)
    widths[:, 1:] += step / 2
    widths[:, :-1] += step / 2
    return widths
