"""What the page of a model shows of its cards: everything of a few, and of many so much that the page stays quick."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from submissions.domain.geometry import Consensus
from submissions.domain.ranking.aside import Seen

# Of one figure.
MOST_MARKS, MOST_ROWS, LEAST_MARKS_OF_A_ROW = 40, 12, 3
MOST_RUNS, MOST_TOLD = 10, 20


@dataclass(frozen=True, slots=True)
class Specimen:
    """One card in one kind of host: the median over its runs, in the base unit. `month` as YYYY-MM or ""."""

    card: str
    month: str
    value: float
    runs: int
    believed: bool


# The fields of a specimen: of many most are not shown, and need not become one.
SpecimenRow = tuple[str, str, float, int, bool]


@dataclass(frozen=True, slots=True)
class Group:
    """Specimens with the same inside in the same kind of host, both in words; the lowest first. `all`: how many
    there are, shown or not.
    """

    variant: str
    host: str
    specimens: tuple[Specimen, ...]
    all: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One figure. `cards`, `specimens` and `all_rows`: how many there are, shown or not."""

    rows: tuple[Group, ...]
    cards: int
    specimens: int
    all_rows: int

    @property
    def shown(self) -> int:
        return sum(len(row.specimens) for row in self.rows)


@dataclass(frozen=True, slots=True)
class CardFinding:
    """A finding of `cards` cards, as `domain.findings` has it."""

    code: str
    values: dict[str, Any]
    cards: int


@dataclass(frozen=True, slots=True)
class Doubt:
    """A rule that fired on `cards` cards of a model."""

    reason: str
    weight: str
    false_positives: str
    source: str
    cards: int


@dataclass(frozen=True, slots=True)
class Price:
    """What a card cost its owner."""

    price: float
    currency: str
    bought_on: str = ""
    bought_at: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """`samples`: by figure. Of the others at most `MOST_TOLD` each; `all_prices`, `runs` and `left_out`: how many
    there are in all. `findings`: the gravest first. `apart`, `felt`: as `aside` has them. `units`: the
    allocation units in bytes that cards declare, the smallest first.
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
    """What is shown of specimens in rows by (variant, host), each the lowest first: the fullest rows, and of each its
    share. `cards`: how many there are in all rows.

    A sample is not drawn by chance: it holds the lowest, the highest and those evenly between, by rank.
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
    return Group(*key, tuple(Specimen(*group[at]) for at in evenly(len(group), most)), len(group))


def evenly(count: int, most: int) -> list[int]:
    """`most` places among `count`, two or more: the first, the last and evenly between; every place where they fit."""
    if count <= most:
        return list(range(count))
    return [round(at * (count - 1) / (most - 1)) for at in range(most)]


def doubts(suspicions: Iterable[Mapping[str, str]]) -> tuple[Doubt, ...]:
    """The rules that fired on cards, each once a card; those that fired on most cards first."""
    fired: dict[str, list[Mapping[str, str]]] = {}
    for suspicion in suspicions:
        fired.setdefault(suspicion["reason"], []).append(suspicion)
    fired_doubts = [_doubt(group) for group in fired.values()]
    return tuple(sorted(fired_doubts, key=lambda doubt: (-doubt.cards, doubt.reason))[:MOST_TOLD])


def _doubt(group: Sequence[Mapping[str, str]]) -> Doubt:
    rule = {name: group[0][name] for name in ("reason", "weight", "false_positives", "source")}
    return Doubt(**rule, cards=len(group))
