"""List the measured values behind an ability of a model, with their effect on the estimate of the ability.

The effects are not stored: the estimation is repeated, so that list and estimate cannot disagree.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from submissions.domain.estimation.estimate import estimate
from submissions.domain.estimation.estimates import Cells
from submissions.domain.estimation.evidence import Evidence
from submissions.domain.estimation.parameters import FAR_WEIGHT
from submissions.domain.measuring.metrics import FIGURES, NUMBER_OF_ABILITY, amount_in_words
from submissions.domain.ranking.catalogue import base_value, make_catalogue
from submissions.evidence import crowds, observations
from submissions.evidence.abilities import limit_digits
from submissions.models import CardModel, Measurement, Run

MOST_VALUES, MOST_UNRANKED = 60, 50


class ValueBehind(NamedTuple):
    """A value of one run, in the base unit of the ability.

    ratio      how many times as fast the method and the host make it, compared with the reference method and host
    weight     1 for a usual value, less for a value far from all others
    at_least   True if the bus of the host was the limit, so that the value is a lower bound
    counts     False for a value faster than the bus of the host, which came from a page cache
    """

    run: Run
    figure: str
    value: float
    ratio: float
    weight: float
    at_least: bool
    counts: bool

    @property
    def figure_title(self) -> str:
        """Return the title of the method by which the value was measured."""
        return FIGURES[self.figure].title

    @property
    def words(self) -> str:
        """Return the value in words, such as "41 MB/s"."""
        return amount_in_words(self.value, self.unit)

    @property
    def unit(self) -> str:
        return FIGURES[self.figure].base_unit

    @property
    def is_far(self) -> bool:
        """Return whether the value lies far from all other values, and therefore counts little."""
        return self.counts and self.weight < FAR_WEIGHT


class Reasons(NamedTuple):
    """The values behind an ability, the most weight first; `values_in_all` also counts values that are not listed.

    `unranked` are measurements that are not used, each with its reason. `is_fitted` is False before the first full fit.
    """

    values: tuple[ValueBehind, ...]
    values_in_all: int
    unranked: tuple[Measurement, ...]
    is_fitted: bool


def list_reasons(model: CardModel, ability: str) -> Reasons:
    """List the values behind an ability of a model; at most six queries."""
    stored = crowds.make_prior() if model.simulated else crowds.current_crowd()
    evidence = observations.gather([model.pk], stored.numbers).evidence
    cells = estimate(evidence, stored.crowd).cells
    abilities = make_catalogue().find_abilities(evidence.method)
    rows = np.flatnonzero(abilities == NUMBER_OF_ABILITY[ability])
    # The last one is that of rows without a cell, which have the number -1.
    weights = np.append(cells.weight, -1.0)
    heaviest = rows[np.argsort(-weights[cells.cell[rows]], kind="stable")][:MOST_VALUES]
    return Reasons(
        values=tuple(_values(model, ability, evidence.where(heaviest), cells, cells.cell[heaviest])),
        values_in_all=len(rows),
        unranked=_unranked_measurements(model, ability),
        is_fitted=stored.fit is not None,
    )


def _values(
    model: CardModel, ability: str, evidence: Evidence, cells: Cells, of_row: np.ndarray
) -> Iterator[ValueBehind]:
    found = Run.objects.of_model(model).filter(submission__in=evidence.report.tolist())
    runs = {run.submission_id: run for run in found}
    for row, cell in enumerate(of_row.tolist()):
        counts = cell >= 0
        yield ValueBehind(
            run=runs[int(evidence.report[row])],
            figure=make_catalogue().methods[evidence.method[row]],
            value=limit_digits(base_value(ability, float(evidence.log_value[row]))),
            ratio=math.exp(cells.offset[cell]) if counts else 1.0,
            weight=float(cells.weight[cell]) if counts else 0.0,
            at_least=counts and bool(cells.at_least[cell]),
            counts=counts,
        )


def _unranked_measurements(model: CardModel, ability: str) -> tuple[Measurement, ...]:
    figures = [name for name, figure in FIGURES.items() if figure.ability == ability]
    measured = Measurement.objects.filter(run__card__variant__card_model=model, figure__in=figures)
    return tuple(measured.not_rankable().by_card()[:MOST_UNRANKED])
