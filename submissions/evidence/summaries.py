"""Make the summaries that pages of models show, as unsaved rows of `ModelSummary`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from submissions.domain import geometry
from submissions.domain.estimation.evidence import Index
from submissions.domain.estimation.groups import find_medians, number_rows
from submissions.domain.ranking import summary
from submissions.domain.ranking.summary import (
    MOST_RUNS,
    MOST_TOLD,
    Price,
    Sample,
    SpecimenRow,
    Summary,
)
from submissions.evidence import asides, records
from submissions.evidence.records import Measured, Records, Runs, group_slices
from submissions.models import CardModel, ModelSummary


def get_summary(model: CardModel) -> ModelSummary:
    """Return the stored summary of a model, or make the summary if none is stored yet, as during a bulk load."""
    kept: ModelSummary | None = getattr(model, "summary", None)
    return kept or make_summaries(records.load_records([model]))[0]


def make_summaries(model_records: Sequence[Records], *, at: datetime | None = None) -> list[ModelSummary]:
    """Make summaries of models; two queries for any number of them. `at` is the time when the records were read."""
    told = asides.load_asides(model_records)
    return [_row(of_model, aside, at) for of_model, aside in zip(model_records, told, strict=True)]


def _row(model_records: Records, aside: Mapping[str, Any], at: datetime | None) -> ModelSummary:
    left_out = [
        pk for measured in model_records.measured.values() for pk in measured.pk[~measured.believed].tolist()
    ]
    prices = [_price(label) for label in model_records.prices]
    shown = Summary(
        samples=_samples(model_records),
        doubts=summary.doubts(doubt for suspicions in model_records.doubts for doubt in suspicions),
        prices=tuple(sorted(prices, key=lambda price: price.bought_on, reverse=True)[:MOST_TOLD]),
        inside=tuple(geometry.consensus(model_records.geometry)),
        all_prices=len(prices),
        runs=len(model_records.runs),
        left_out=len(left_out),
        units=tuple(sorted(model_records.units)),
        **aside,
    )
    return ModelSummary(
        card_model_id=model_records.model.pk,
        judged_at=at,
        told=msgspec.to_builtins(shown),
        newest_runs=model_records.runs.pk[:MOST_RUNS].tolist(),
        left_out=left_out[:MOST_TOLD],
    )


def _price(label: Mapping[str, Any]) -> Price:
    price: dict[str, Any] = {column.name: label.get(column.name) or "" for column in fields(Price)}
    return Price(**price)


def _samples(model_records: Records) -> dict[str, Sample]:
    runs, row_of_run, names = model_records.runs, *_rows(model_records)
    return {
        figure: _sample(measured, runs.where(measured.run), row_of_run[measured.run], names)
        for figure, measured in model_records.measured.items()
        if (measured.value > 0).any()
    }


def _rows(model_records: Records) -> tuple[Index, list[tuple[str, str]]]:
    runs = model_records.runs
    silicon = {variant.pk: str(variant) for variant in model_records.variants}
    pairs, of_run = np.unique(np.column_stack([runs.variant, runs.host]), axis=0, return_inverse=True)
    called = [
        (silicon[variant], model_records.hosts[host].name_with_mode) for variant, host in pairs.tolist()
    ]
    names = {name: at for at, name in enumerate(dict.fromkeys(called))}
    return np.array([names[name] for name in called])[of_run.reshape(-1)], list(names)


def _sample(measured: Measured, runs: Runs, row: Index, names: Sequence[tuple[str, str]]) -> Sample:
    shown = np.flatnonzero(measured.value > 0)
    first, place = number_rows(row[shown], measured.believed[shown].astype(np.int64), runs.card[shown])
    one = shown[first]
    middle = find_medians(place, measured.value[shown], len(one))
    order = np.lexsort((measured.believed[one], runs.card_number[one], middle, row[one]))
    one = one[order]
    columns = (
        runs.card_number[one],
        runs.month[one],
        middle[order],
        np.bincount(place, minlength=len(one))[order],
        measured.believed[one],
    )
    groups = {names[row[one[own.start]]]: _Ascending(own, columns) for own in group_slices(row[one])}
    return summary.sample(groups, cards=len(np.unique(runs.card[shown])))


class _Ascending(Sequence[SpecimenRow]):
    """A lazy sequence of the cards in one row of the table of cards that a page shows, the slowest card first."""

    def __init__(self, own: slice, columns: Iterable[NDArray[Any]]) -> None:
        self._columns = [column[own].tolist() for column in columns]

    def __len__(self) -> int:
        return len(self._columns[0])

    def __getitem__(self, at: Any) -> Any:
        card_number, month, value, runs, believed = (column[at] for column in self._columns)
        written = f"{month // 100}-{month % 100:02}" if month else ""
        return f"{card_number:015x}"[:6], written, value, runs, believed
