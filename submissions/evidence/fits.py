"""Load the last full fit, and convert fits to database rows and back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from django.db.models import BigIntegerField, IntegerField, QuerySet
from django.db.models.functions import Cast

from submissions.domain.judgement import engine, factors
from submissions.domain.judgement.crowd import CrowdFigure, Market, Spreads
from submissions.domain.judgement.engine import CrowdFit
from submissions.domain.judgement.link_limits import Links
from submissions.domain.judgement.moderation import PRIOR, Prior
from submissions.domain.judgement.reputation import Record
from submissions.domain.judgement.variation import Pool
from submissions.domain.ranking import comparable
from submissions.evidence.gathering import NOTHING, Numbers
from submissions.models import FigureFit, Fit
from submissions.sql import copy_columns as copying
from submissions.sql.prepared import PreparedQuery

Lines = dict[str, dict[str, float]]
# Stored with the spreads of a figure: how strongly it depends on the factors that all figures share.
_LOADINGS = "loadings"
# And how softly the link of a host limits it.
_SOFT = "soft"


@dataclass(frozen=True, slots=True, eq=False)
class StoredFit:
    """A full fit, ready to judge by; `fit` is its id, or None for the prior that is used before the first.

    `standing_flags` is the number of cards of each flagged model when its flag was raised, by model id. `lines` is the
    score above which a model needs trusted people (see `claims`), by profile and class of slot.
    """

    fit: int | None
    crowd: CrowdFit
    numbers: Numbers
    standing_flags: Mapping[int, int]
    lines: Lines = field(default_factory=dict)


def current_fit() -> StoredFit:
    """Return the last full fit, or `prior_fit` before the first; one query, and two more for a new fit."""
    newest = _newest()
    return _read(*newest) if newest else prior_fit()


@PreparedQuery
def _newest() -> "QuerySet[Fit, Any]":
    return Fit.objects.order_by("-pk").values_list("pk", flat=True)[:1]


@lru_cache(maxsize=1)
def prior_fit() -> StoredFit:
    """Return the fit that is used before the first one, and always for simulated cards."""
    return StoredFit(None, engine.prior_fit(comparable.prior_figures()), NOTHING, {})


@lru_cache(maxsize=2)
def _read(pk: int) -> StoredFit:
    fit = Fit.objects.get(pk=pk)
    rows = fit.standings.order_by("person", "model").values_list("person", "model", _agrees())
    columns = copying.copy_queryset(rows, dict.fromkeys(("person", "model", "agrees"), "i8"))
    established = np.array(fit.established, dtype=np.int64)
    record = Record(columns["person"], columns["model"], columns["agrees"] > 0, established)
    return from_rows(fit, list(fit.figures.all()), record)


def _agrees() -> Cast:
    return Cast(Cast("agrees", IntegerField()), BigIntegerField())


def from_rows(fit: Fit, figures: Sequence[FigureFit], record: Record) -> StoredFit:
    """Make a full fit from rows of the database or of a dump."""
    rows = {row.figure: row for row in figures}
    numbers = replace(_numbers(list(rows.values())), record=record)
    prior = comparable.prior_figures(hosts=len(numbers.hosts), traits=numbers.sizes)
    loadings = factors.usual(len(prior), fit.correlation)  # as old fits have it
    for at, name in enumerate(prior):
        loadings[at] = rows[name].spreads.get(_LOADINGS, loadings[at]) if name in rows else loadings[at]
    crowd = CrowdFit(
        figures={
            name: _crowd_figure(rows[name], numbers, before.slot) if name in rows else before
            for name, before in prior.items()
        },
        links={name: _links(row, numbers) for name, row in rows.items() if comparable.is_linked(name)},
        pool=_pool(fit, rows, list(prior)),
        loadings=loadings,
    )
    return StoredFit(fit.pk, crowd, numbers, {model: cards for model, cards in fit.standing}, fit.lines)


def _numbers(rows: Sequence[FigureFit]) -> Numbers:
    hosts = sorted({int(pk) for row in rows for pk in row.hosts})
    traits = [
        sorted({name for row in rows for name in row.traits[kind]} - {""}) for kind in comparable.TRAITS
    ]
    return Numbers(
        {pk: number for number, pk in enumerate(hosts)},
        [{name: number for number, name in enumerate(names)} for names in traits],
    )


def _crowd_figure(row: FigureFit, numbers: Numbers, slot: str) -> CrowdFigure:
    stored = {name: value for name, value in row.spreads.items() if name not in (_LOADINGS, _SOFT)}
    spreads = Spreads(**stored | {"cards": tuple(stored.get("cards", ()))})
    unknown = [0.0, spreads.unseen_host()]
    hosts = np.array([row.hosts.get(str(pk), unknown)[:2] for pk in numbers.hosts] + [unknown])
    traits = [
        np.array([row.traits[kind].get(name, row.traits[kind][""]) for name in (*names, "")])
        for kind, names in zip(comparable.TRAITS, numbers.traits, strict=True)
    ]
    effects, variances = (tuple(trait[:, column] for trait in traits) for column in (0, 1))
    return CrowdFigure(hosts[:, 0], hosts[:, 1], spreads, Market(row.general, effects, variances), slot)


def _links(row: FigureFit, numbers: Numbers) -> Links:
    reach = [row.hosts.get(str(pk), [0, 0, None])[2] for pk in numbers.hosts]
    log_reach = [np.nan if of_host is None else of_host for of_host in (*reach, None)]
    return Links(np.array(log_reach), row.spreads.get(_SOFT, 0.0))


def _pool(fit: Fit, rows: Mapping[str, FigureFit], names: Sequence[str]) -> Pool:
    between, within = (
        {name: Prior(*rows[name].priors[side]) if name in rows else PRIOR for name in names}
        for side in ("between", "within")
    )
    return Pool(between, within, fit.varies_below, fit.suspected_below)


def to_rows(crowd: CrowdFit, numbers: Numbers) -> list[FigureFit]:
    """Convert a fit to rows, from which `from_rows` makes the same fit again."""
    return [
        _row(name, crowd, loadings, numbers)
        for name, loadings in zip(crowd.figures, crowd.loadings.tolist(), strict=True)
    ]


def _row(name: str, crowd: CrowdFit, loadings: list[float], numbers: Numbers) -> FigureFit:
    crowd_figure, links = crowd.figures[name], crowd.links.get(name)
    return FigureFit(
        figure=name,
        spreads=asdict(crowd_figure.spreads) | {_LOADINGS: loadings, _SOFT: links.soft if links else 0.0},
        general=crowd_figure.market.general,
        traits=_traits(crowd_figure.market, numbers),
        hosts=_hosts(crowd_figure, links, numbers),
        priors={
            "between": list(asdict(crowd.pool.between[name]).values()),
            "within": list(asdict(crowd.pool.within[name]).values()),
        },
    )


def _traits(market: Market, numbers: Numbers) -> dict[str, dict[str, list[float]]]:
    return {
        kind: {name: [float(effect[at]), float(variance[at])] for name, at in ({**names, "": -1}).items()}
        for kind, names, effect, variance in zip(
            comparable.TRAITS, numbers.traits, market.effects, market.variances, strict=True
        )
    }


def _hosts(crowd_figure: CrowdFigure, links: Links | None, numbers: Numbers) -> dict[str, list[Any]]:
    reach = np.full(len(numbers.hosts) + 1, np.nan) if links is None else links.log_reach
    return {
        str(pk): [
            float(crowd_figure.host_effect[at]),
            float(crowd_figure.host_variance[at]),
            None if np.isnan(reach[at]) else float(reach[at]),
        ]
        for pk, at in numbers.hosts.items()
    }
