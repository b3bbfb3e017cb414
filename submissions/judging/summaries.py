"""What the pages of models show of their cards, as rows not stored yet."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from statistics import median
from typing import Any

import msgspec

from submissions.domain import geometry, summary
from submissions.domain.metrics import FIGURES
from submissions.domain.summary import MOST_RUNS, MOST_TOLD, Price, Sample, Specimen, Summary, Trial
from submissions.judging import records
from submissions.judging.records import KnownCard, KnownRun, Records, Told
from submissions.models import CardModel, ModelSummary

# (card, kind of host in words, believed) -> of each run.
_Values = Mapping[tuple[KnownCard, str, bool], Sequence[float]]


def of(model: CardModel) -> ModelSummary:
    """What is kept of it; while a bulk load or an older release leaves that behind, what would be."""
    kept: ModelSummary | None = getattr(model, "summary", None)
    return kept if kept and kept.is_current else row(records.read([model])[0])


def row(known: Records) -> ModelSummary:
    """What is told of this model."""
    left_out = [one.pk for one in known.measured if one.figure and not one.is_believed]
    prices = [_price(run) for run in known.runs if run.label.get("price")]
    told = Summary(
        samples={figure: _sample(values) for figure, values in _values(known.measured).items()},
        trials=tuple(dict.fromkeys(_trials(known.measured)))[:MOST_TOLD],
        doubts=summary.doubts(one for card in known.cards for one in card.suspicions or ()),
        prices=tuple(sorted(prices, key=lambda one: one.bought_on, reverse=True)[:MOST_TOLD]),
        inside=tuple(geometry.consensus(_readings(known))),
        all_prices=len(prices),
        runs=len(known.runs),
        left_out=len(left_out),
    )
    return ModelSummary(
        card_model_id=known.model.pk,
        judged_at=known.model.judged_at,
        told=msgspec.to_builtins(told),
        newest_runs=[run.pk for run in known.runs[:MOST_RUNS]],
        left_out=left_out[:MOST_TOLD],
    )


def _price(run: KnownRun) -> Price:
    told: dict[str, Any] = {one.name: run.label.get(one.name) or "" for one in fields(Price)}
    return Price(**told)


def _values(measured: Iterable[Told]) -> dict[str, _Values]:
    found: dict[str, defaultdict[tuple[KnownCard, str, bool], list[float]]] = {}
    for one in measured:
        if one.value and one.figure in FIGURES:
            of_figure = found.setdefault(one.figure, defaultdict(list))
            of_figure[one.run.card, one.run.host.in_words, one.is_believed].append(one.value)
    return dict(found)


def _sample(values: _Values) -> Sample:
    groups = defaultdict(list)
    for (card, host, believed), of_runs in values.items():
        one = Specimen(card.key[:6], card.manufactured, median(of_runs), len(of_runs), believed)
        groups[str(card.variant), host].append(one)
    return summary.sample(groups)


def _trials(measured: Iterable[Told]) -> Iterable[Trial]:
    """Each card counts once, by what was found last."""
    last = {one.run.card: one for one in measured if not one.figure}
    for card, one in last.items():
        yield Trial(one.value or 0.0, card.variant.capacity_bytes, one.kind == "good")


def _readings(known: Records) -> list[geometry.Reading]:
    return [
        geometry.Reading(one.run.card.pk, one.quantity, one.value, one.code, one.log_odds)
        for one in known.geometry
    ]
