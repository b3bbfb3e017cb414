"""What the pages of models show of their cards, as rows not stored yet."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

import msgspec
import numpy as np

from submissions.domain import geometry
from submissions.domain.judgement import robust
from submissions.domain.judgement.robust import Index
from submissions.domain.measuring.metrics import FIGURES
from submissions.domain.ranking import summary
from submissions.domain.ranking.summary import MOST_RUNS, MOST_TOLD, Price, Sample, Summary, Trial
from submissions.evidence import records
from submissions.evidence.records import Kept, KnownCard, KnownRun, Measured, Records
from submissions.models import CardModel, ModelSummary


def of(model: CardModel) -> ModelSummary:
    """The stored summary of a model; where a bulk load or an older release left it behind, one worked out anew."""
    kept: ModelSummary | None = getattr(model, "summary", None)
    return kept if kept and kept.is_current else row(records.read([model])[0])


def row(model_records: Records) -> ModelSummary:
    """What the pages of this model show of its cards; makes no query."""
    left_out = [
        pk for measured in model_records.measured.values() for pk in measured.pk[~measured.believed].tolist()
    ]
    prices = [_price(run) for run in model_records.runs if run.label.get("price")]
    shown = Summary(
        samples=_samples(model_records),
        trials=tuple(dict.fromkeys(_trials(model_records.kept)))[:MOST_TOLD],
        doubts=summary.doubts(doubt for card in model_records.cards for doubt in card.suspicions or ()),
        prices=tuple(sorted(prices, key=lambda price: price.bought_on, reverse=True)[:MOST_TOLD]),
        inside=tuple(geometry.consensus(_readings(model_records))),
        all_prices=len(prices),
        runs=len(model_records.runs),
        left_out=len(left_out),
    )
    return ModelSummary(
        card_model_id=model_records.model.pk,
        judged_at=model_records.model.judged_at,
        told=msgspec.to_builtins(shown),
        newest_runs=[run.pk for run in model_records.runs[:MOST_RUNS]],
        left_out=left_out[:MOST_TOLD],
    )


def _price(run: KnownRun) -> Price:
    price: dict[str, Any] = {column.name: run.label.get(column.name) or "" for column in fields(Price)}
    return Price(**price)


def _samples(model_records: Records) -> dict[str, Sample]:
    silicon = {variant.pk: str(variant) for variant in model_records.variants}
    rows = [(run.card, silicon[run.card.variant.pk], run.host.in_words) for run in model_records.runs]
    number = {row: at for at, row in enumerate(dict.fromkeys(rows))}
    row_of_run = np.array([number[row] for row in rows])
    return {
        figure: _sample(measured, row_of_run[measured.run], list(number))
        for figure, measured in model_records.measured.items()
        if figure in FIGURES and (measured.value > 0).any()
    }


def _sample(measured: Measured, row: Index, rows: Sequence[tuple[KnownCard, str, str]]) -> Sample:
    """`row`: place among `rows` of each value; of a card in a kind of host what is believed and what is not are two."""
    shown = measured.value > 0
    which, place = np.unique(2 * row[shown] + measured.believed[shown], return_inverse=True)
    middle = robust.medians(place, measured.value[shown], count=len(which))
    number = robust.counts(place, count=len(which))
    groups = defaultdict(list)
    for at, value, runs in zip(which.tolist(), middle.tolist(), number.tolist(), strict=True):
        card, silicon, host = rows[at // 2]
        groups[silicon, host].append((card.key[:6], card.manufactured, value, runs, at % 2 == 1))
    return summary.sample(groups)


def _trials(kept: Iterable[Kept]) -> Iterable[Trial]:
    """Each card counts once, by what was found last."""
    for trial in {trial.run.card: trial for trial in kept}.values():
        yield Trial(trial.value or 0.0, trial.run.card.variant.capacity_bytes, trial.kind == "good")


def _readings(model_records: Records) -> list[geometry.Reading]:
    return [
        geometry.Reading(read.run.card.pk, read.quantity, read.value, read.code, read.log_odds)
        for read in model_records.geometry
    ]
