"""What people's cards have been worth so far: a record of where they agreed with everybody, and what a voice weighs.

    reliability = (a + 1) / (a + 2 o + 2)      a: other models in which his cards agreed, o: in which they were odd

That is the share of agreeing cards to expect (Laplace's rule of succession), an odd one counting twice. Who has agreed
somewhere else and reaches `LEAST_RELIABILITY` has a history; a source that the operator vouches for needs none. Only
established models give or take a record, so that strangers who agree among themselves gain nothing by it: a model is
established by a vouched source, or by three people with a history who agree there. The first fit, which has nothing to
go by, takes the largest set of models and people that hold each other up so.

Within a model, all newcomers together weigh at most a third of the people with a history; those who say something else
than these, next to nothing.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from submissions.domain.judgement import robust
from submissions.domain.judgement.robust import Floats, Index, Mask

NEWCOMER, KNOWN, VOUCHED = 0, 1, 2
# So many people with a history settle what a card is.
AGREEING_PEOPLE = 3
LEAST_RELIABILITY = 0.6
# What newcomers weigh together, in people with a history; and, in voices, those who contradict them, or newcomers in a
# figure that nobody else measured.
_NEWCOMERS_SHARE, _UNHEARD = 1 / 3, 0.05
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
    def _known(self) -> "_Counted":
        return _Counted.of(self)

    @cached_property
    def with_history(self) -> Index:
        """People who have a history in any model, ascending."""
        counted = self._known
        people: Index = counted.people[_has_history(counted.agreed, counted.odd)]
        return people

    def elsewhere(self, person: Index, model: Index) -> tuple[Floats, Floats]:
        """(agreed, odd) of each pair: in how many models other than this one."""
        counted = self._known
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


def standing(voices: Voices, record: Record) -> tuple[Index, Floats]:
    """(NEWCOMER, KNOWN or VOUCHED; reliability) of each voice, by the person's other models.

    Where nothing is established everybody is known: nobody can be told from anybody else.
    """
    if not len(record.established):
        return np.where(voices.vouched, VOUCHED, KNOWN), np.ones(len(voices.person))
    agreed, odd = record.elsewhere(voices.person, voices.model)
    known = np.where(_has_history(agreed, odd), KNOWN, NEWCOMER)
    reliability = np.where(voices.vouched, 1.0, _reliability(agreed, odd))
    return np.where(voices.vouched, VOUCHED, known), reliability


def _reliability(agreed: Floats, odd: Floats) -> Floats:
    share: Floats = (agreed + 1) / (agreed + 2 * odd + 2)
    return share


def _has_history(agreed: Floats, odd: Floats) -> Mask:
    known: Mask = (agreed >= 1) & (_reliability(agreed, odd) >= LEAST_RELIABILITY)
    return known


def beliefs(voices: Voices, level: Index, reliability: Floats) -> Floats:
    """What each voice weighs in one figure of a model, as a share of a whole one. `level`, `reliability`: as `standing`
    gives them."""
    group, groups = numbered_together(voices.figure, voices.model)
    known = level > NEWCOMER
    judged = ~known & np.isin(voices.model, voices.model[known])
    outlying = judged & _outlying(voices, level)
    heard = robust.sums(group, reliability * known, count=groups)
    share = np.ones(len(group))
    for some, allowed in ((judged & ~outlying, _NEWCOMERS_SHARE * heard), (outlying, 0 * heard)):
        weight = robust.sums(group, reliability * some, count=groups)
        left = np.maximum(allowed, _UNHEARD) / np.maximum(weight, 1e-12)
        share[some] = np.minimum(1.0, left)[group[some]]
    most = np.zeros(groups)
    np.maximum.at(most, group, reliability)
    belief: Floats = share * reliability / most[group]
    return belief


def _outlying(voices: Voices, level: Index) -> Mask:
    """Whose cards of the model are not as those with a history say, in figures that no link limits."""
    compared = _agreements(voices, level)
    pair, _ = numbered_together(voices.model, voices.person)
    apart = compared.voice[~compared.agrees & ~voices.linked[compared.voice]]
    outlying: Mask = np.isin(pair, pair[apart])
    return outlying


def learn(voices: Voices, before: Record) -> Record:
    """The record of everybody in a whole crowd, and which models are established now."""
    level, _ = standing(voices, before)
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
    strangers = counts & ~np.isin(person, voices.person[voices.vouched])
    order = np.lexsort((model[strangers], person[strangers]))
    kept = np.flatnonzero(strangers)[order]
    return Record(person[kept], model[kept], agrees[kept], established)


def _grown(
    model: Index, person: Index, agrees: Mask, odd: Mask, begin: Index, vouched_models: Index
) -> Index:
    """The models that people with a history establish, beginning with these."""
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
    """Models with enough people who agree there and have a history in the established ones."""
    counts = np.isin(model, established) & (agrees | odd)
    record = Record(person[counts], model[counts], agrees[counts], established)
    with_history = agrees & _has_history(*record.elsewhere(person, model))
    models, number = np.unique(model[with_history], return_counts=True)
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
    """How far each voice is from the median of the others, and whether there are enough of them: one with a history,
    or two newcomers where nobody has one. Those with a history are the only others where there are any."""
    group, count = numbered_together(voices.figure, voices.model)
    some_known = robust.counts(group[level > NEWCOMER], count=count) > 0
    asked = (level > NEWCOMER) | ~some_known[group]
    order = np.lexsort((voices.value, group, ~asked))[: int(asked.sum())]
    order = order[np.argsort(group[order], kind="stable")]
    number = robust.counts(group[asked], count=count)
    begins = np.cumsum(number) - number
    place = np.full(len(group), len(group), dtype=np.int64)
    place[order] = np.arange(len(order)) - begins[group[order]]
    others = number[group] - asked
    ends = ((others - 1) // 2, others // 2)
    compared = others >= np.where(_is_told(level), 1, 2)
    middle = np.full(len(group), np.nan)
    low, high = (begins[group] + end + (asked & (end >= place)) for end in ends)
    values = voices.value[order]
    middle[compared] = (values[low[compared]] + values[high[compared]]) / 2
    return voices.value - middle, compared


def _is_told(level: Index) -> bool:
    """Whether people with a history are told from newcomers at all."""
    return bool((level == NEWCOMER).any() or (level == VOUCHED).any())
