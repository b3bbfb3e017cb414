"""Summarize the cards of a model for its page: all of a few cards, a sample of many, so that the page stays fast."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from submissions.domain.geometry import Consensus
from submissions.domain.ranking.aside import Seen

# The most marks and rows of one figure, and the least marks of a row.
MOST_MARKS, MOST_ROWS, LEAST_MARKS_OF_A_ROW = 40, 12, 3
MOST_RUNS, MOST_TOLD = 10, 20


@dataclass(frozen=True, slots=True)
class Specimen:
    """One card in one kind of host: the median of its runs, in the base unit. `month`: YYYY-MM, or "" if unknown."""

    card: str
    month: str
    value: float
    runs: int
    believed: bool


# The fields of a specimen. Only those that are shown become a Specimen.
SpecimenRow = tuple[str, str, float, int, bool]


@dataclass(frozen=True, slots=True)
class Group:
    """Cards of one silicon (equal registers) in one kind of host, both in words; the lowest value first.

    `all`: the number of these cards, shown or not.
    """

    variant: str
    host: str
    specimens: tuple[Specimen, ...]
    all: int


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample of the cards with measurements of one figure, in rows by silicon and kind of host.

    `cards`: number of all cards; `specimens`: number of all pairs of a card and a kind of host; `all_rows`: number of
    all rows, shown or not.
    """

    rows: tuple[Group, ...]
    cards: int
    specimens: int
    all_rows: int

    @property
    def shown_specimens(self) -> int:
        return sum(len(row.specimens) for row in self.rows)


@dataclass(frozen=True, slots=True)
class CardFinding:
    """A finding (see `domain.findings`) that `cards` cards of a model have.

    `strangers`: how many people report it if none of them counts against a model, else 0.
    """

    code: str
    values: dict[str, Any]
    cards: int
    strangers: int = 0


@dataclass(frozen=True, slots=True)
class Doubt:
    """A rule for suspicious registers that fired on `cards` cards of a model."""

    reason: str
    weight: str
    false_positives: str
    source: str
    cards: int


@dataclass(frozen=True, slots=True)
class Price:
    """The price that an owner paid for a card."""

    price: float
    currency: str
    bought_on: str = ""
    bought_at: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of the cards of a model, with at most `MOST_TOLD` of each kind of fact.

    `samples`: by figure. `all_prices`, `runs` and `left_out`: numbers of all prices, runs, and runs left out.
    `findings`: the gravest first, and last those of strangers. `inside`: geometry of the memory. `apart`: cards of one
    person that differ; `felt`: delays that people notice. `units`: the allocation units in bytes that cards declare,
    the smallest first.
    """

    samples: dict[str, Sample] = field(default_factory=dict)
    findings: tuple[CardFinding, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    prices: tuple[Price, ...] = ()
    inside: tuple[Consensus, ...] = ()
    all_prices: int = 0
    runs: int = 0
    left_out: int = 0
    apart: tuple[Seen, ...] = ()
    felt: tuple[Seen, ...] = ()
    units: tuple[int, ...] = ()


def sample(groups: Mapping[tuple[str, str], Sequence[SpecimenRow]], *, cards: int) -> Sample:
    """Return a sample: the fullest rows of cards by (variant, host), and of each row a share in proportion to its size.

    `groups`: cards in ascending order of their value; `cards`: the number of cards in all rows. The sample is not
    random: it has the lowest, the highest and cards at even ranks between them.
    """
    total = sum(map(len, groups.values()))
    fullest = sorted(groups, key=lambda key: (-len(groups[key]), key))[:MOST_ROWS]
    return Sample(
        rows=tuple(_group(key, groups[key], total) for key in sorted(fullest)),
        cards=cards,
        specimens=total,
        all_rows=len(groups),
    )


def _group(key: tuple[str, str], group: Sequence[SpecimenRow], total: int) -> Group:
    most = max(MOST_MARKS * len(group) // max(total, MOST_MARKS), LEAST_MARKS_OF_A_ROW)
    return Group(*key, tuple(Specimen(*group[at]) for at in pick_evenly(len(group), most)), len(group))


def pick_evenly(count: int, most: int) -> list[int]:
    """Return `most` (two or more) of `count` positions: the first, the last and others evenly between.

    Return all positions if there are no more than `most`.
    """
    if count <= most:
        return list(range(count))
    return [round(at * (count - 1) / (most - 1)) for at in range(most)]


def doubts(suspicions: Iterable[Mapping[str, str]]) -> tuple[Doubt, ...]:
    """Return the rules that fired, with the number of cards, most cards first, at most `MOST_TOLD`.

    `suspicions`: each rule once for each card on which it fired.
    """
    fired: dict[str, list[Mapping[str, str]]] = {}
    for suspicion in suspicions:
        fired.setdefault(suspicion["reason"], []).append(suspicion)
    fired_doubts = [_doubt(group) for group in fired.values()]
    return tuple(sorted(fired_doubts, key=lambda doubt: (-doubt.cards, doubt.reason))[:MOST_TOLD])


def _doubt(group: Sequence[Mapping[str, str]]) -> Doubt:
    rule = {name: group[0][name] for name in ("reason", "weight", "false_positives", "source")}
    return Doubt(**rule, cards=len(group))
