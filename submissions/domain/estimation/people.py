"""Grade how little is known of people, and find those who count as one voice.

    record = agreed / (agreed + differed + 6)      over models that people of two other networks measured

That is the share of agreeing models to expect of a person who starts with six wrong ones: a few honest reports buy no
record. The ignorance about a person is 0 if the operator vouches for the source, 1 for a record above .6, 2 above .45,
else 3, a stranger. The model that is estimated is left out, so that no report speaks for itself. People are compared
with the best known others: with vouched sources if two of them measured the model, else with people who have a record
if there are two, else with everybody; and with those of one voice as one, if there are two voices. Records are learned
in rounds, and in the first only vouched sources are known.

People who may be one person, or follow one call, count as one voice: those of one network (see `visitors.visitor`), and
strangers with reports of one model from one week. A person of two such groups counts in the larger one. The group
shares one effect in the estimation, the batch, and more people do not reduce its variance: 50 invented reports of a
week weigh little more than one report, and so do 30 honest ones after a post in a forum. But those 30 average out the
differences between people and cards, so they count more than a single person: as much as three, if batches, people and
cards have equal variances. No report is left out, and none makes a model disappear. People who have a record may well
come in one week, as all do in the first of a site; they are never in a batch with strangers, and vouched sources are in
none.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from submissions.domain.estimation.crowd import Crowd
from submissions.domain.estimation.evidence import Evidence, Floats, Index, Mask
from submissions.domain.estimation.groups import count_different, find_medians, number_rows
from submissions.domain.estimation.parameters import DEFAULTS, EFFECTS

VOUCHED, STRANGER = 0, 3
# Wrong models with which every person starts, and the records above which ignorance is 1 and 2.
_UNPROVEN, _BARS = 6, (0.6, 0.45)
# SQL over the rows of one person in the table of standings: true if that person has a record.
KNOWN_SQL = f"count(*) FILTER (WHERE agrees) > {_BARS[-1]} * (count(*) + {_UNPROVEN})"
# People agree if they differ by less than this many standard deviations of cards, people and noise, all together.
_AGREES, _DIFFERING = 4.5, [EFFECTS.index(name) for name in ("cell", "card", "person")]
_COMPARED_WITH, _ROUNDS = 2, 3
# So many people with a record settle how fast a model is.
SETTLED_BY = 3


@dataclass(frozen=True, slots=True, eq=False)
class PersonRecord:
    """Whether each person agreed with others about each model, as columns: a row for each person and model.

    People and models may have any numbers.
    """

    person: Index
    model: Index
    agrees: Mask

    def grade_ignorance(self, person: Index, model: Index, is_vouched: Mask) -> Index:
        """Return for each pair of person and model how little is known of the person: 0 (vouched for) to 3 (stranger).

        It follows from how often the person agreed with others about all models except that of the pair.
        """
        people = np.concatenate([self.person, person])
        _, of_person = number_rows(people)
        _, of_pair = number_rows(people, np.concatenate([self.model, model]))
        agreed, differed = (
            _count_recorded(of_person, some) - _count_recorded(of_pair, some)
            for some in (self.agrees, ~self.agrees)
        )
        return np.where(is_vouched, VOUCHED, _grade(agreed, differed))

    def find_known_people(self) -> Index:
        """Return the people with a record of confirmed results, judged by all models together.

        Numbers are ascending.
        """
        people, number = np.unique(self.person, return_inverse=True)
        agreed = np.bincount(number[self.agrees], minlength=len(people))
        known: Index = people[_grade(agreed, np.bincount(number) - agreed) < STRANGER]
        return known


NO_RECORD = PersonRecord(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.bool_))


def _count_recorded(group: Index, some: Mask) -> Index:
    # The rows of the record come first in `group`, then the rows to count for.
    count = np.bincount(group[: len(some)][some], minlength=len(group))
    counts: Index = count[group[len(some) :]]
    return counts


def _grade(agreed: Index, differed: Index) -> Index:
    record = agreed / (agreed + differed + _UNPROVEN)
    grade: Index = STRANGER - (record[:, None] > _BARS).sum(axis=1)
    return grade


def learn_record(evidence: Evidence, crowd: Crowd) -> PersonRecord:
    """Learn about which models each person agrees with others; values are converted to the reference host.

    People and models have the numbers of the evidence. Values that the bus of a host limited are not compared.
    """
    voices, record = _collect_voices(evidence, crowd), NO_RECORD
    for _ in range(_ROUNDS):
        ignorance = record.grade_ignorance(voices.person, voices.model, voices.is_vouched)
        record = _compare(voices, ignorance)
    return record


def find_tolerance(crowd: Crowd) -> Floats:
    """Return for each ability the difference in natural log up to which the values of two people agree."""
    tolerance: Floats = _AGREES * np.sqrt(crowd.variance[_DIFFERING].sum(axis=0))
    return tolerance


class _Group(NamedTuple):
    """The first row of each group, and for every row the number of its group."""

    first: Index
    number: Index


@dataclass(frozen=True, slots=True, eq=False)
class _Voices:
    """The values of people as columns: a row for each person and root (pair of ability and model).

    `value`: the median on the reference host, in units of the tolerance (see `find_tolerance`). `by_batch`,
    `by_network`: groups of rows of one root; the people of a group may be one person, so they are compared as one.
    """

    root: Index
    by_batch: _Group
    by_network: _Group
    model: Index
    person: Index
    value: Floats
    is_vouched: Mask


def _collect_voices(evidence: Evidence, crowd: Crowd) -> _Voices:
    ability = crowd.catalogue.find_abilities(evidence.method)
    reach, effect = _find_reach_and_effect(evidence, crowd, ability)
    batch = number_batches(evidence)
    kept = evidence.log_value < reach - DEFAULTS.link_margin
    apart = evidence.log_value - effect - crowd.method_effect[evidence.method]
    value = (apart / find_tolerance(crowd)[ability])[kept]
    rows, ability = evidence.where(kept), ability[kept]
    first, voice = number_rows(rows.model, ability, rows.person)
    ability, rows, batch = ability[first], rows.where(first), batch[kept][first]
    crowds = [np.where(crowd < 0, -1 - rows.person, crowd) for crowd in (batch, rows.network)]
    by_batch, by_network = (_Group(*number_rows(rows.model, ability, crowd)) for crowd in crowds)
    return _Voices(
        root=number_rows(rows.model, ability)[1],
        by_batch=by_batch,
        by_network=by_network,
        model=rows.model,
        person=rows.person,
        value=find_medians(voice, value, len(first)),
        is_vouched=rows.ignorance == VOUCHED,
    )


def _find_reach_and_effect(evidence: Evidence, crowd: Crowd, ability: Index) -> tuple[Floats, Floats]:
    reach, effect = evidence.log_reach.copy(), np.zeros(len(evidence))
    known = np.flatnonzero(evidence.host >= 0)
    host = evidence.host[known]
    effect[known] = np.nan_to_num(crowd.host_effect[ability[known], host])
    reach[known] = np.where(np.isnan(reach[known]), crowd.log_reach[host], reach[known])
    return np.nan_to_num(reach, nan=np.inf), effect


def _compare(voices: _Voices, ignorance: Index) -> PersonRecord:
    by_batch, by_network = (
        _find_expected_values(voices, ignorance, group) for group in (voices.by_batch, voices.by_network)
    )
    apart = np.abs(voices.value - np.where(np.isnan(by_batch), by_network, by_batch))
    compared = np.flatnonzero(~np.isnan(apart))
    first, pair = number_rows(voices.model[compared], voices.person[compared])
    one = compared[first]
    agrees = find_medians(pair, apart[compared], len(first)) <= 1
    return PersonRecord(voices.person[one], voices.model[one], agrees)


def _find_expected_values(voices: _Voices, ignorance: Index, group: _Group) -> Floats:
    first, together = group.first, group.number
    value = find_medians(together, voices.value, len(first))
    best_known = np.full(len(first), STRANGER)
    np.minimum.at(best_known, together, ignorance)
    expected = np.full(len(first), np.nan)
    for known in range(STRANGER, VOUCHED - 1, -1):
        middle = _find_medians_of_others(voices.root[first], value, best_known <= known)
        expected = np.where(np.isnan(middle), expected, middle)
    return expected[together]


def _find_medians_of_others(group: Index, value: Floats, is_other: Mask) -> Floats:
    order = np.lexsort((value, group))
    order = order[is_other[order]]
    number = np.bincount(group[order], minlength=int(group.max(initial=0)) + 1)
    first = np.cumsum(number) - number
    rank = np.full(len(group), len(group))
    rank[order] = np.arange(len(order)) - first[group[order]]
    others = number[group] - is_other
    enough = others >= _COMPARED_WITH
    ends = (first[group] + place + (place >= rank) for place in ((others - 1) // 2, others // 2))
    low, high = (value[order[end[enough]]] for end in ends)
    middle = np.full(len(group), np.nan)
    middle[enough] = (low + high) / 2
    return middle


def number_batches(evidence: Evidence) -> Index:
    """Return for each row of the evidence the number of its batch, -1 for a row of no batch.

    A batch is two or more people of one model who count as one voice.
    """
    first, voice = number_rows(evidence.model, evidence.person)
    model, ignorance = evidence.model[first], evidence.ignorance[first]
    single = np.arange(len(first))
    known = np.full((2, len(first)), -1)
    np.maximum.at(known[0], voice, evidence.network)
    np.maximum.at(known[1], voice, np.where(evidence.ignorance == STRANGER, evidence.week, -1))
    crowds = [number_rows(model, ignorance, np.where(row < 0, -1 - single, row))[1] for row in known]
    sizes = np.array([np.bincount(crowd)[crowd] for crowd in crowds])
    kind = sizes.argmax(axis=0)
    batch = number_rows(kind, np.choose(kind, crowds))[1]
    return np.where((ignorance == VOUCHED) | (sizes.max(axis=0) == 1), -1, batch)[voice]


def count_known_people(
    root: Index, person: Index, batch: Index, ignorance: Index, agrees: Mask, *, roots: int
) -> Index:
    """Return for each root (pair of ability and model) how many known people measured it, 0 if only strangers did.

    Known are people who are vouched for, and people with a record of confirmed results who agree; a batch counts as
    one. If both together are fewer than three, people with a record count as none, because a record can be bought by
    honest reports.
    """
    is_vouched = ignorance == VOUCHED
    vouched = count_different(root[is_vouched], person[is_vouched], roots)
    voice = np.where(batch < 0, -1 - person, batch)
    counts = ~is_vouched & (ignorance < STRANGER) & agrees
    recorded = count_different(root[counts], voice[counts], roots)
    return vouched + np.where(vouched + recorded >= SETTLED_BY, recorded, 0)
