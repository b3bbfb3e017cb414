"""What people's cards have been worth so far: a record of where they agreed with everybody, and what a voice weighs.

    reliability = (a + 1) / (a + 2 o + 2)      a: other models in which his cards agreed, o: in which they were odd

That is the share of agreeing cards to expect (Laplace's rule of succession), an odd one counting twice. People are
trusted from a reliability of .6 on, if they agreed at least once, which is to say a > 3 o. Sources that the operator
vouches for are always trusted. Only established models give or take a record, so that untrusted people who agree among
themselves gain nothing by it: a model is established by a vouched source, or by three trusted people who agree there.
The first fit, which has nothing to go by, takes the largest set of models and people that support each other so.

Within a model, all untrusted people together weigh at most a third of the trusted ones; those who contradict these,
next to nothing.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from submissions.domain.judgement import robust
from submissions.domain.judgement.robust import Floats, Index, Mask

UNTRUSTED, TRUSTED, VOUCHED = 0, 1, 2
# So many trusted people settle what a card is.
AGREEING_PEOPLE = 3
# Trusted people agreed in more than so many models for each one in which they were odd. `_is_trusted` asks arrays,
# TRUSTED_SQL the standings of one person in a database.
_AGREED_FOR_ONE_ODD = 3
TRUSTED_SQL = f"count(*) FILTER (WHERE agrees) > {_AGREED_FOR_ONE_ODD} * count(*) FILTER (WHERE NOT agrees)"
# What untrusted people weigh together, in trusted ones; and, in voices, those who contradict these, or untrusted people
# in a figure that nobody else measured.
_UNTRUSTED_SHARE, _UNHEARD = 1 / 3, 0.05
# Agrees: within this ratio of what others measured, in the middle of all figures. Odd: further away than the other, in
# figures that no link limits. Hosts and cards of one model differ by less than either.
_AGREES, _ODD = np.log(1.5), np.log(3.0)
_NOTHING = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Record:
    """Rows by person: in which established model his cards agreed with those of others, or were odd. `established`: ids
    of models, ascending; without any, nobody can be told from anybody else."""

    person: Index
    model: Index
    agrees: Mask
    established: Index

    @cached_property
    def _counts(self) -> "_Counted":
        return _Counted.of(self)

    @cached_property
    def trusted_people(self) -> Index:
        """Return the people who are trusted by all models together, ascending."""
        counted = self._counts
        people: Index = counted.people[_is_trusted(counted.agreed, counted.odd)]
        return people

    def elsewhere(self, person: Index, model: Index) -> tuple[Floats, Floats]:
        """(agreed, odd) of each pair: in how many models other than this one."""
        counted = self._counts
        if not len(self.person):
            return np.zeros(len(person)), np.zeros(len(person))
        at = np.minimum(np.searchsorted(counted.people, person), len(counted.people) - 1)
        is_recorded = counted.people[at] == person
        pair = at * counted.width + np.minimum(model, counted.width - 1)
        row = np.minimum(np.searchsorted(counted.pairs, pair), len(counted.pairs) - 1)
        is_here = is_recorded & (counted.pairs[row] == pair)
        return (
            is_recorded * counted.agreed[at] - (is_here & counted.agrees[row]),
            is_recorded * counted.odd[at] - (is_here & ~counted.agrees[row]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """A record to look things up in: each person once, ascending, with counts; and each row as one number, ascending:
    place of the person times `width`, plus the model."""

    people: Index
    agreed: Floats
    odd: Floats
    width: int
    pairs: Index
    agrees: Mask

    @classmethod
    def of(cls, record: Record) -> "_Counted":
        people, at = np.unique(record.person, return_inverse=True)
        at, width = at.reshape(-1), int(record.model.max(initial=0)) + 2
        agreed = robust.sums(at, record.agrees.astype(np.float64), count=len(people))
        odd = robust.counts(at, count=len(people)) - agreed
        pairs = at * width + record.model
        order = np.argsort(pairs)
        return cls(people, agreed, odd, width, pairs[order], record.agrees[order])


NOBODY = Record(_NOTHING, _NOTHING, np.zeros(0, dtype=bool), _NOTHING)


@dataclass(frozen=True, slots=True, eq=False)
class Voices:
    """One row for each figure, model and person. `value`: the middle log value of the person's cards; `linked`: the
    figure ends at a host's link. `of_row`: the voice of each measured value."""

    figure: Index
    model: Index
    person: Index
    value: Floats
    linked: Mask
    vouched: Mask
    of_row: Index

    @classmethod
    def of(
        cls, figure: Index, model: Index, person: Index, log_value: Floats, *, linked: Mask, vouched: Mask
    ) -> "Voices":
        """From a row for each measured value; `linked` per figure."""
        of_model, _ = numbered_together(figure, model)
        first, voice = numbered_pairs(of_model, person)
        value = robust.medians(voice, log_value, count=len(first))
        columns = (figure[first], model[first], person[first])
        return cls(*columns, value, linked[figure[first]], vouched[first], voice)


def numbered_together(left: Index, right: Index) -> tuple[Index, int]:
    """The number of each different pair of any ids, and how many there are."""
    first, number = numbered_pairs(left, right)
    return number, len(first)


def numbered_pairs(left: Index, right: Index) -> tuple[Index, Index]:
    """As `robust.numbered`, of ids as large as they come."""
    _, left = np.unique(left, return_inverse=True)
    _, right = np.unique(right, return_inverse=True)
    return robust.numbered(left.reshape(-1), right.reshape(-1))


def trust_levels(voices: Voices, record: Record) -> tuple[Index, Floats]:
    """Return the trust level and the reliability of each voice, by the person's other models.

    Everybody is TRUSTED while no model is established: there is nothing to tell people apart by.
    """
    if not len(record.established):
        return np.where(voices.vouched, VOUCHED, TRUSTED), np.ones(len(voices.person))
    agreed, odd = record.elsewhere(voices.person, voices.model)
    level = np.where(_is_trusted(agreed, odd), TRUSTED, UNTRUSTED)
    reliability = np.where(voices.vouched, 1.0, _reliability(agreed, odd))
    return np.where(voices.vouched, VOUCHED, level), reliability


def _reliability(agreed: Floats, odd: Floats) -> Floats:
    share: Floats = (agreed + 1) / (agreed + 2 * odd + 2)
    return share


def _is_trusted(agreed: Floats, odd: Floats) -> Mask:
    trusted: Mask = agreed > _AGREED_FOR_ONE_ODD * odd
    return trusted


def beliefs(voices: Voices, level: Index, reliability: Floats) -> Floats:
    """Return the weight of each voice in its figure of its model, as a share of a whole one.

    `level` and `reliability` come from `trust_levels`.
    """
    group, groups = numbered_together(voices.figure, voices.model)
    trusted = level > UNTRUSTED
    judged = ~trusted & np.isin(voices.model, voices.model[trusted])
    outlying = judged & _contradicting(voices, level)
    heard = robust.sums(group, reliability * trusted, count=groups)
    share = np.ones(len(group))
    for some, allowed in ((judged & ~outlying, _UNTRUSTED_SHARE * heard), (outlying, 0 * heard)):
        weight = robust.sums(group, reliability * some, count=groups)
        left = np.maximum(allowed, _UNHEARD) / np.maximum(weight, 1e-12)
        share[some] = np.minimum(1.0, left)[group[some]]
    most = np.zeros(groups)
    np.maximum.at(most, group, reliability)
    belief: Floats = share * reliability / most[group]
    return belief


def _contradicting(voices: Voices, level: Index) -> Mask:
    compared = _agreements(voices, level)
    pair, _ = numbered_together(voices.model, voices.person)
    apart = compared.voice[~compared.agrees & ~voices.linked[compared.voice]]
    contradicting: Mask = np.isin(pair, pair[apart])
    return contradicting


def learn(voices: Voices, before: Record) -> Record:
    """Return the record of everybody in a whole crowd, with the models that are established now."""
    level, _ = trust_levels(voices, before)
    compared = _agreements(voices, level)
    model, person = voices.model[compared.voice], voices.person[compared.voice]
    agrees, odd = compared.agrees, compared.odd
    vouched_models = np.unique(voices.model[voices.vouched])
    begin = np.union1d(before.established, vouched_models)
    if len(begin):
        established = _grown(model, person, agrees, odd, begin, vouched_models)
    else:
        established = _core(model, person, agrees, odd)
    counts = np.isin(model, established) & (agrees | odd)
    unvouched = counts & ~np.isin(person, voices.person[voices.vouched])
    order = np.lexsort((model[unvouched], person[unvouched]))
    kept = np.flatnonzero(unvouched)[order]
    return Record(person[kept], model[kept], agrees[kept], established)


def _grown(
    model: Index, person: Index, agrees: Mask, odd: Mask, begin: Index, vouched_models: Index
) -> Index:
    while True:
        backed = np.union1d(vouched_models, _backed(model, person, agrees, odd, begin))
        if np.isin(backed, begin).all():
            return backed
        begin = np.union1d(begin, backed)


def _core(model: Index, person: Index, agrees: Mask, odd: Mask) -> Index:
    """The largest set of models each of which has enough people who agree there, and in another one of the set."""
    models, number = np.unique(model[agrees], return_counts=True)
    core = models[number >= AGREEING_PEOPLE]
    while len(smaller := np.intersect1d(core, _backed(model, person, agrees, odd, core))) < len(core):
        core = smaller
    return core


def _backed(model: Index, person: Index, agrees: Mask, odd: Mask, established: Index) -> Index:
    counts = np.isin(model, established) & (agrees | odd)
    record = Record(person[counts], model[counts], agrees[counts], established)
    trusted = agrees & _is_trusted(*record.elsewhere(person, model))
    models, number = np.unique(model[trusted], return_counts=True)
    backed: Index = models[number >= AGREEING_PEOPLE]
    return backed


@dataclass(frozen=True, slots=True, eq=False)
class _Agreements:
    """A row for each person in each model that can be compared with others: one `voice` of his there."""

    voice: Index
    agrees: Mask
    odd: Mask


def _agreements(voices: Voices, level: Index) -> _Agreements:
    apart, compared = _from_others(voices, level)
    telling = np.flatnonzero(compared & _preferred(voices, compared))
    first, pair = numbered_pairs(voices.model[telling], voices.person[telling])
    middle = robust.medians(pair, np.abs(apart[telling]), count=len(first))
    voice = telling[first]
    return _Agreements(voice, middle <= _AGREES, (middle >= _ODD) & ~voices.linked[voice])


def _preferred(voices: Voices, compared: Mask) -> Mask:
    """Figures that no link limits; of who has none of these, the others."""
    pair, count = numbered_together(voices.model, voices.person)
    free = robust.counts(pair[compared & ~voices.linked], count=count) > 0
    preferred: Mask = ~voices.linked | ~free[pair]
    return preferred


def _from_others(voices: Voices, level: Index) -> tuple[Floats, Mask]:
    """Return each voice's distance from the median of the others, and whether there are enough others to compare with.

    Only trusted people count as others where there are any: one is enough, without levels two are.
    """
    group, count = numbered_together(voices.figure, voices.model)
    some_trusted = robust.counts(group[level > UNTRUSTED], count=count) > 0
    asked = (level > UNTRUSTED) | ~some_trusted[group]
    order = np.lexsort((voices.value, group, ~asked))[: int(asked.sum())]
    order = order[np.argsort(group[order], kind="stable")]
    number = robust.counts(group[asked], count=count)
    begins = np.cumsum(number) - number
    place = np.full(len(group), len(group), dtype=np.int64)
    place[order] = np.arange(len(order)) - begins[group[order]]
    others = number[group] - asked
    ends = ((others - 1) // 2, others // 2)
    compared = others >= np.where(_has_levels(level), 1, 2)
    middle = np.full(len(group), np.nan)
    low, high = (begins[group] + end + (asked & (end >= place)) for end in ends)
    values = voices.value[order]
    middle[compared] = (values[low[compared]] + values[high[compared]]) / 2
    return voices.value - middle, compared


def _has_levels(level: Index) -> bool:
    return bool((level == UNTRUSTED).any() or (level == VOUCHED).any())
