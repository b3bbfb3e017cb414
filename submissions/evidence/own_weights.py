"""Rankings by a reader's own weights."""

import math
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import BigIntegerField, Case, F, Max, Value, When
from django.db.models.functions import Cast, Coalesce

from submissions.domain.judgement import claims
from submissions.domain.judgement.claims import People
from submissions.domain.judgement.composite import Expected, Figures, capped, expect
from submissions.domain.judgement.robust import Floats, Index, Mask
from submissions.domain.judgement.worst_silicon import worst_substantial
from submissions.domain.measuring.metrics import FIGURES
from submissions.domain.ranking import comparable
from submissions.domain.ranking.interfaces import Interface
from submissions.domain.ranking.profiles import Profile
from submissions.domain.ranking.scores import any_measured, log_caps, on_scale, telling, weighted
from submissions.evidence import fits, gathering
from submissions.evidence.fits import StoredFit
from submissions.models import CardModel, Estimate
from submissions.sql import columns as copying

# A ranking by own weights may be so old: it is read anew at most so often. And at least so often, for of two workers
# the one that judged first may be the last to be seen.
FRESH_S, LASTS_S = 10.0, 300.0
_COUNTS = ("cards", "submitters", "trusted", "vouched")


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A model in a ranking made for one reader; fields as `Score` has them, counts those of its best known figure."""

    card_model_id: int
    value: float
    lower: float
    upper: float
    bound: float
    covered: int
    terms: int
    cards: int
    submitters: int
    trusted: int
    vouched: int
    interface: str
    state: str


def ranking_for(weights: Mapping[str, float], interface: Interface) -> list[OwnRow]:
    """Every real model of which a weighed figure was measured, as in any slot, best bound first; claims are left out.
    Weights are above zero and need not sum to 1.

    At most two queries, none of them large unless something changed.
    """
    return _table().ranking(_profile(weights), interface)


def _profile(weights: Mapping[str, float]) -> Profile:
    figures, total = comparable.judged_figures(), math.fsum(weights.values())
    shares = (replace(figures[name], share=weight / total) for name, weight in weights.items())
    return Profile("own", "Your own weights", 1, "", tuple(shares))


def _in_order(rows: Sequence[dict[str, Any]], has_lines: bool) -> list[OwnRow]:
    """The rows with their state, without claims; nothing is one before the last full fit drew a line."""
    people = [People(*(row[name] for name in ("submitters", "trusted", "vouched"))) for row in rows]
    values = np.array([row["value"] for row in rows])
    settled = np.array([has_lines and not of_row.awaited for of_row in people], dtype=bool)
    line = claims.line(values, settled)
    states = (
        claims.state(of_row, covered=row["covered"], value=row["value"], line=line)
        for row, of_row in zip(rows, people, strict=True)
    )
    ordered = (OwnRow(**row, state=state) for row, state in zip(rows, states, strict=True))
    return [row for row in ordered if row.state != claims.CLAIM]


Stamp = tuple[int | None, datetime | None]


@dataclass(eq=False)
class _Table:
    """What is expected of every model, and of the silicons of those whose cards differ: a row each, `silicon` -1 for
    the model as a whole."""

    stamp: Stamp
    read_at: float
    names: tuple[str, ...]
    model: Index
    silicon: Index
    expected: Expected
    cards: Index
    submitters: Index
    trusted: Index
    vouched: Index
    has_lines: bool
    _capped: dict[str, Expected] = field(default_factory=dict)

    def ranking(self, profile: Profile, interface: Interface) -> list[OwnRow]:
        terms = profile.on(interface)
        composites = weighted(self._on(interface), self.names, terms)
        value, lower, upper, bound = on_scale(composites)
        in_slot = [term.figure for term in terms]
        counts = {
            name: np.where(
                composites.covered > 0,
                self._most(getattr(self, name), in_slot),
                self._most(getattr(self, name), profile.figures),
            )
            for name in _COUNTS
        }
        listed = self._worst(value, any_measured(self.expected, telling(self.names, profile)))
        order = listed[np.lexsort((self.model[listed], -bound[listed]))]
        columns = {
            "card_model_id": self.model,
            **{"value": value, "lower": lower, "upper": upper, "bound": bound},
            **{"covered": composites.covered, **counts},
        }
        rows = zip(*(column[order].tolist() for column in columns.values()), strict=True)
        same: dict[str, Any] = {"terms": len(terms), "interface": interface.name}
        return _in_order([same | dict(zip(columns, row, strict=True)) for row in rows], self.has_lines)

    def _on(self, interface: Interface) -> Expected:
        """What is expected in a slot of this class; worked out once for each."""
        with _LOCK:
            if interface.name not in self._capped:
                self._capped[interface.name] = capped(self.expected, log_caps(self.names, interface))
            return self._capped[interface.name]

    def _most(self, counts: Index, figures: Collection[str]) -> Index:
        """The count of the best known of these figures, per row."""
        return counts[:, [name in figures for name in self.names]].max(axis=1)

    def _worst(self, value: Floats, scored: Mask) -> Index:
        """One row for each model: its worst silicon that counts, where its cards differ; else the model."""
        of_model: dict[int, dict[int, int]] = {}
        for row in np.flatnonzero((self.silicon != -1) & scored).tolist():
            of_model.setdefault(int(self.model[row]), {})[row] = int(self.cards[row].max())
        worst = [
            worst_substantial(cards, {row: float(value[row]) for row in cards}) for cards in of_model.values()
        ]
        whole = np.flatnonzero((self.silicon == -1) & scored)
        kept = whole[~np.isin(self.model[whole], list(of_model))]
        return np.concatenate([kept, np.array(worst, dtype=np.int64)])


_LOCK = threading.Lock()  # of the table, and of what it keeps for each slot
_kept: list[_Table] = []


def _table() -> _Table:
    """The table of this process, read anew when something changed and it is no longer fresh: by one thread, for which
    the others wait."""
    stored_fit = fits.current()
    newest = CardModel.objects.real().aggregate(newest=Max("judged_at"))["newest"]
    stamp, now = (stored_fit.fit, newest), time.monotonic()
    with _LOCK:
        if not _kept or now - _kept[0].read_at > (LASTS_S if _kept[0].stamp == stamp else FRESH_S):
            _kept[:] = [_read(stored_fit, stamp, now)]
        return _kept[0]


def _read(stored_fit: StoredFit, stamp: Stamp, now: float) -> _Table:
    rows = _estimates()
    keys, row = np.unique(np.column_stack([rows["model"], rows["silicon"]]), axis=0, return_inverse=True)
    row, names = row.reshape(-1), _names()

    def spread_out(column: str) -> Floats:
        table = np.zeros((len(keys), len(names)))
        table[row, rows["figure"]] = rows[column]
        return table

    crowd_figures = stored_fit.crowd.figures
    traits = gathering.traits_of(keys[:, 0], stored_fit.numbers)
    expected = [crowd_figures[name].market.expected(traits, crowd_figures[name].spreads) for name in names]
    figures = Figures(
        own_mean=spread_out("own_mean"),
        own_precision=spread_out("own_precision"),
        market_mean=np.column_stack([of_figure.mean for of_figure in expected]),
        market_spread=np.column_stack([of_figure.precision**-0.5 for of_figure in expected]),
    )
    counts: dict[str, Any] = {name: spread_out(name).astype(np.int64) for name in _COUNTS}
    return _Table(
        stamp=stamp,
        read_at=now,
        names=names,
        model=keys[:, 0],
        silicon=keys[:, 1],
        expected=expect(figures, rho=stored_fit.crowd.rho_of(names)),
        **counts,
        has_lines=bool(stored_fit.lines),
    )


def _names() -> tuple[str, ...]:
    """The figures of slots for cards, which stand first among those that are judged."""
    return tuple(name for name in comparable.judged_figures() if not FIGURES[name].slot)


def _estimates() -> dict[str, Any]:
    number = BigIntegerField()
    read: dict[str, Any] = {
        "model": F("card_model_id"),
        "silicon": Coalesce(F("variant_id"), Value(-1)),
        "figure": _figure_number(),
        **{name: Cast(F(name), number) for name in _COUNTS},
        "own_mean": F("own_mean"),
        "own_precision": F("own_precision"),
    }
    rows = Estimate.objects.filter(card_model__simulated=False, figure__in=_names())
    types = {name: "f8" if name.startswith("own") else "i8" for name in read}
    return copying.columns(rows.order_by().values_list(*read.values()), types)


def _figure_number() -> Cast:
    """Place of the column `figure` among `comparable.judged_figures`."""
    names = (When(figure=name, then=Value(at)) for at, name in enumerate(comparable.judged_figures()))
    return Cast(Case(*names), BigIntegerField())
