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
    """What is kept of it; while a bulk load or an older release leaves that behind, what would be."""
    kept: ModelSummary | None = getattr(model, "summary", None)
    return kept if kept and kept.is_current else row(records.read([model])[0])


def row(known: Records) -> ModelSummary:
    """What is told of this model."""
    left_out = [pk for one in known.measured.values() for pk in one.pk[~one.believed].tolist()]
    prices = [_price(run) for run in known.runs if run.label.get("price")]
    told = Summary(
        samples=_samples(known),
        trials=tuple(dict.fromkeys(_trials(known.kept)))[:MOST_TOLD],
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


def _samples(known: Records) -> dict[str, Sample]:
    silicon = {one.pk: str(one) for one in known.variants}
    rows = [(run.card, silicon[run.card.variant.pk], run.host.in_words) for run in known.runs]
    number = {row: at for at, row in enumerate(dict.fromkeys(rows))}
    row_of_run = np.array([number[row] for row in rows])
    return {
        figure: _sample(one, row_of_run[one.run], list(number))
        for figure, one in known.measured.items()
        if figure in FIGURES and (one.value > 0).any()
    }


def _sample(measured: Measured, row: Index, rows: Sequence[tuple[KnownCard, str, str]]) -> Sample:
    """`row`: place among `rows` of each value; of a card in a kind of host what is believed and what is not are two."""
    told = measured.value > 0
    which, place = np.unique(2 * row[told] + measured.believed[told], return_inverse=True)
    middle = robust.medians(place, measured.value[told], count=len(which))
    number = robust.counts(place, count=len(which))
    groups = defaultdict(list)
    for at, value, runs in zip(which.tolist(), middle.tolist(), number.tolist(), strict=True):
        card, silicon, host = rows[at // 2]
        groups[silicon, host].append((card.key[:6], card.manufactured, value, runs, at % 2 == 1))
    return summary.sample(groups)


def _trials(kept: Iterable[Kept]) -> Iterable[Trial]:
    """Each card counts once, by what was found last."""
    for one in {one.run.card: one for one in kept}.values():
        yield Trial(one.value or 0.0, one.run.card.variant.capacity_bytes, one.kind == "good")


def _readings(known: Records) -> list[geometry.Reading]:
    return [
        geometry.Reading(one.run.card.pk, one.quantity, one.value, one.code, one.log_odds)
        for one in known.geometry
    ]
