"""Simulate the site that `tests.bench.attacks` attacks: an honest crowd with a known truth."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from submissions.domain.estimation.crowd import Crowd
from submissions.domain.estimation.estimate import estimate
from submissions.domain.estimation.estimates import Estimates
from submissions.domain.estimation.evidence import Evidence, Floats, Index
from submissions.domain.estimation.learn import learn
from submissions.domain.estimation.people import NO_RECORD, STRANGER, VOUCHED, PersonRecord, learn_record
from tests.bench.crowds import CATALOGUE, make_evidence
from tests.crowd import crowd as draw_crowd
from tests.worlds import NAMES, Manners, Size

# Reports of the honest crowd arrive over this many weeks; a burst comes in the following week.
WEEKS = 150
RUNS_PER_MODEL, HOSTS = 40, 60
METHODS = np.array([CATALOGUE.methods.index(name) for name in NAMES])
ABILITIES = CATALOGUE.find_abilities(METHODS)
LEADING = int(ABILITIES[NAMES.index("rand_write_4k")])
_COLUMNS = tuple(column.name for column in fields(Evidence) if column.name != "models")


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The evidence of a site and all that a full fit has learned from it."""

    evidence: Evidence
    hosts: int
    crowd: Crowd
    record: PersonRecord
    estimates: Estimates

    @property
    def mean(self) -> Floats:
        """Return the estimated log values of the methods on the reference host: methods x models."""
        return self.estimates.mean[ABILITIES]

    def find_places(self) -> Index:
        """Return the rank of each model by its main ability; 0 for a model without a rank."""
        score = (self.estimates.mean - self.estimates.sd / 2)[LEADING]
        measured = np.flatnonzero(self.estimates.is_measured[LEADING])
        places = np.zeros(len(score), np.int64)
        places[measured[np.argsort(-score[measured])]] = 1 + np.arange(len(measured))
        return places


def fit_twice(evidence: Evidence, hosts: int, record: PersonRecord = NO_RECORD) -> Fitted:
    """Fit a site twice, as in two successive nights: the second fit uses the records of people from the first."""
    for _ in range(2):
        crowd = learn(grade(evidence, record), CATALOGUE, hosts=hosts)
        record = learn_record(evidence, crowd)
    graded = grade(evidence, record)
    return Fitted(graded, hosts, crowd, record, estimate(graded, crowd))


def grade(evidence: Evidence, record: PersonRecord) -> Evidence:
    """Return the evidence with the distrust of each person that follows from their record."""
    is_vouched = evidence.ignorance == VOUCHED
    return replace(evidence, ignorance=record.grade_ignorance(evidence.person, evidence.model, is_vouched))


@dataclass(frozen=True)
class Site:
    """An honest crowd after a fit. `truth`: the log values of the methods on the reference host, methods x models."""

    fitted: Fitted
    truth: Floats

    @cached_property
    def people(self) -> int:
        """Return the number of people, which is also the number of the next new person."""
        return int(self.fitted.evidence.person.max()) + 1

    @cached_property
    def cards(self) -> Index:
        """Return the number of cards of each model."""
        _, first = np.unique(self.fitted.evidence.card, return_index=True)
        return np.bincount(self.fitted.evidence.model[first], minlength=self.fitted.evidence.models)

    @cached_property
    def leader(self) -> int:
        """Return the model with rank 1 among the site's models."""
        return int(self.fitted.find_places().tolist().index(1))

    @cached_property
    def well_known(self) -> Index:
        """Return the models, sorted by their number of cards, the largest first."""
        return np.argsort(-self.cards, kind="stable")

    @cached_property
    def common_host(self) -> int:
        """Return the host with the most reports."""
        return int(np.bincount(self.fitted.evidence.host).argmax())

    def find_targets(self, *, cards: int, count: int, is_good: bool) -> Index:
        """Return models of the top quarter, or of the lower half, with a number of cards close to `cards`."""
        places = self.fitted.find_places()
        share = places / places.max()
        allowed = np.flatnonzero((places > 0) & ((share <= 1 / 4) if is_good else (share > 1 / 2)))
        return allowed[np.argsort(np.abs(np.log(self.cards[allowed] / cards)), kind="stable")[:count]]

    def report(self, model: Index, log_values: Floats, *, host: Any, **columns: Any) -> Evidence:
        """Return the rows of reports, each of a new card with a value for each method, limited by the bus of its host.

        `log_values`: methods x reports, on the reference host. A `host` beyond the last one is new, without a limiting
        bus.
        """
        count, methods = len(model), len(METHODS)
        host = np.broadcast_to(host, count)
        known = np.minimum(host, self.fitted.hosts - 1)
        effect = np.where(host < self.fitted.hosts, self.fitted.crowd.host_effect[ABILITIES][:, known], 0.0)
        reach = np.where(host < self.fitted.hosts, self.reach[:, known], np.inf)
        given = columns | {
            "model": model,
            "host": host,
            "card": self.fitted.evidence.card.max() + 1 + np.arange(count),
        }
        rows = {name: np.tile(np.broadcast_to(column, count), methods) for name, column in given.items()}
        top = reach - 0.01
        rows |= {
            "method": np.repeat(METHODS, count),
            "log_value": np.minimum(log_values + np.nan_to_num(effect), top).ravel(),
            "log_reach": reach.ravel(),
            "report": self.fitted.evidence.report.max() + 1 + rows["card"],
            "ignorance": np.full(count * methods, STRANGER),
            "age_years": np.zeros(count * methods),
        }
        return Evidence(models=int(model.max()) + 1, **rows)

    @cached_property
    def reach(self) -> Floats:
        """Return the log of the rate of each host's bus: methods x hosts."""
        evidence = self.fitted.evidence
        reach = np.full((len(CATALOGUE.methods), self.fitted.hosts), np.inf)
        reach[evidence.method, evidence.host] = evidence.log_reach
        return reach[METHODS]

    def fit_with(self, *more: Evidence) -> Fitted:
        """Return the fit of the site with more rows."""
        joined = join([self.fitted.evidence, *more])
        return fit_twice(joined, int(joined.host.max()) + 1, self.fitted.record)


def join(parts: Sequence[Evidence]) -> Evidence:
    """Return the evidence with the rows of all parts."""
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS}
    return Evidence(models=max(part.models for part in parts), **columns)


def draw_site(seed: int, models: int, *, single: float = 0.0, vouched: int = 0) -> Site:
    """Draw a random site and fit it.

    `single`: share of the cards that are the only one of their owner; `vouched`: number of trusted sources, such as
    imports.
    """
    drawn = draw_crowd(seed, Size(models, HOSTS, RUNS_PER_MODEL * models), Manners(spam=False))
    chance = np.random.default_rng([seed, 2])
    is_single = (chance.uniform(size=drawn.cards) < single)[drawn.card]
    person = np.where(is_single, drawn.submitter.max() + 1 + drawn.card, drawn.submitter)
    is_vouched = np.isin(person, np.argsort(-np.bincount(drawn.submitter))[:vouched])
    week = np.where(is_vouched, -1, chance.integers(WEEKS, size=drawn.cards)[drawn.card])
    evidence = make_evidence(drawn)
    run = evidence.report
    graded = replace(
        evidence,
        person=person[run],
        network=np.where(is_vouched, -1, person)[run],
        week=week[run],
        ignorance=np.where(is_vouched, VOUCHED, STRANGER)[run],
    )
    return Site(fit_twice(graded, HOSTS), np.array([drawn.truth[name] for name in NAMES]))
