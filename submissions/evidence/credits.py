"""The sources of published results: what each brought, and how far it agrees with what is believed of the same models.

Two models that a source measured in one figure are a pair: the source and this site either have them in the same order
or not. Over all pairs of all its figures, (same - reversed) / pairs is Kendall's tau; of few pairs, or of cards too
close to be told apart, it says little.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Avg, Count, FloatField, Max, Min, Q
from django.db.models.functions import Cast, Ln
from msgspec import Struct, convert, structs

from submissions.domain import tables
from submissions.domain.judgement.composite import Z
from submissions.domain.measuring.metrics import FIGURES
from submissions.domain.ranking import comparable
from submissions.evidence import fits
from submissions.models import CardModel, Estimate, Measurement, Run

# Fewer models have no order to speak of.
LEAST_MODELS = 6
# A value this far from what is believed of its model is an outlier: twice, or half.
_FAR = math.log(2)


class Order(Struct, frozen=True, kw_only=True):
    """Pairs of models of a source in all its figures. `tau`: of all pairs; `sure`: pairs that this site tells apart
    with 95 %, and `sure_tau` of these alone, None without any; `at_link`: share of its values that end at the link of
    its host, where cards cannot differ."""

    models: int
    pairs: int
    tau: float
    sure: int
    sure_tau: float | None
    at_link: float

    @property
    def same(self) -> float:
        """Share of its pairs that are in our order."""
        return (1 + self.tau) / 2

    @property
    def sure_same(self) -> float:
        """As `same`, of the pairs that this site tells apart."""
        return (1 + (self.sure_tau or 0)) / 2


class Credit(Struct, frozen=True, kw_only=True):
    """One source. `method` and `trust`: from data/sources.csv, "" where it has no row there. `order`: None for fewer
    than six models with a figure."""

    id: str
    title: str
    author: str
    url: str
    licence: str
    method: str
    trust: str
    cards: int
    models: int
    runs: int
    measurements: int
    order: Order | None = None


class Agreement(NamedTuple):
    """How one figure of a source lies beside what is believed of the same models.

    `ratio`: the middle of its values over those believed, which is often its host; `spread`: the middle distance of one
    from that middle, as a ratio; `tau`: of the order of its models, None for fewer than six.
    """

    figure: str
    models: int
    ratio: float
    spread: float
    outliers: int
    tau: float | None

    @property
    def title(self) -> str:
        return FIGURES[self.figure].title


class _Pair(NamedTuple):
    """A model in one figure, in logs where more is better: by the source, and as believed with its deviation."""

    own: float
    believed: float
    sd: float


class _Beside(NamedTuple):
    """What a source has measured beside what is believed: by figure and model. `at_link`: share of its values."""

    figures: Mapping[str, Mapping[int, _Pair]]
    at_link: float


class Source(Struct, frozen=True, kw_only=True):
    """`agreement`: of every figure that it has of some models."""

    credit: Credit
    agreement: list[Agreement]


def all_sources() -> list[Source]:
    """Every source, those with most cards first, as the last full fit counted them; before the first they are counted
    now. One query, or `count`."""
    fit = fits.counted()
    return convert(fit.census["sources"], list[Source]) if fit and "sources" in fit.census else count()


def all_credits() -> list[Credit]:
    return [source.credit for source in all_sources()]


def of_source(slug: str) -> Source | None:
    """None where nobody has such a one."""
    return next((source for source in all_sources() if source.credit.id == slug), None)


def models_of(slug: str) -> list[CardModel]:
    """Models it measured, by name; one query."""
    runs = _published().filter(source_slug=slug).values("card__variant__card_model")
    return list(CardModel.objects.filter(pk__in=runs).order_by("name"))


def count() -> list[Source]:
    """Over every run of every source; four queries."""
    counted = (
        _published()
        .values("source_slug")
        .annotate(
            title=Min("source_title"),
            author=Max("source_author"),
            licence=Max("source_licence"),
            authors=Count("source_author", distinct=True),
            runs=Count("pk"),
            cards=Count("card", distinct=True),
            models=Count("card__variant__card_model", distinct=True),
        )
    )
    values = dict(
        Measurement.objects.filter(run__in=_published())
        .order_by()
        .values_list("run__source_slug")
        .annotate(all=Count("pk"))
    )
    beside = _beside()
    sources = [
        _source(row, values.get(row["source_slug"], 0), beside.get(row["source_slug"]))
        for row in counted.order_by()
    ]
    return sorted(sources, key=lambda source: (-source.credit.cards, source.credit.id))


def _source(row: Mapping[str, Any], measurements: int, beside: _Beside | None) -> Source:
    figures = beside.figures if beside else {}
    return Source(
        credit=structs.replace(_credit(row, measurements), order=_order(beside)),
        agreement=[
            _agreement(figure, list(figures[figure].values())) for figure in FIGURES if figure in figures
        ],
    )


def _published() -> Any:
    return Run.objects.exclude(source_slug="").filter(card__variant__card_model__simulated=False)


def _credit(row: Mapping[str, Any], measurements: int) -> Credit:
    described = next((known for known in tables.rows("sources") if known["id"] == row["source_slug"]), {})
    several = row["authors"] > 1
    return Credit(
        id=row["source_slug"],
        title=described.get("title") or row["title"],
        author=described.get("author") or (f"{row['authors']} authors" if several else row["author"]),
        url=described.get("source", ""),
        licence=described.get("licence") or row["licence"],
        method=described.get("method", ""),
        trust=described.get("trust", ""),
        measurements=measurements,
        **{name: row[name] for name in ("cards", "models", "runs")},
    )


def _beside() -> dict[str, _Beside]:
    """Of every source; two queries."""
    measured = Measurement.objects.rankable().filter(value__gt=0, run__in=_published())
    rows = list(
        measured.order_by()
        .values_list("run__source_slug", "run__card__variant__card_model", "figure")
        .annotate(
            log=Avg(Ln(Cast("value", FloatField()))),
            count=Count("pk"),
            at_link=Count("pk", filter=Q(verdict="at_least")),
        )
    )
    believed = _believed({model for _, model, *_ in rows})
    figures: dict[str, dict[str, dict[int, _Pair]]] = defaultdict(lambda: defaultdict(dict))
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for source, model, figure, log, count, at_link in rows:
        counts[source][0] += count
        counts[source][1] += at_link
        if told := believed.get((model, figure)):
            figures[source][figure][model] = _Pair(comparable.sign(figure) * log, *told)
    return {source: _Beside(of, counts[source][1] / counts[source][0]) for source, of in figures.items()}


def _believed(models: Iterable[int]) -> dict[tuple[int, str], tuple[float, float]]:
    """(model, figure) -> what is believed of it, and its standard deviation, in logs."""
    rows = Estimate.objects.filter(card_model__in=models, variant=None)
    return {
        (model, figure): (mean, sd)
        for model, figure, mean, sd in rows.values_list("card_model", "figure", "mean", "sd")
    }


def _order(beside: _Beside | None) -> Order | None:
    if beside is None:
        return None
    of_models = {model for of_figure in beside.figures.values() for model in of_figure}
    pairs = [pair for of_figure in beside.figures.values() for pair in combinations(of_figure.values(), 2)]
    if len(of_models) < LEAST_MODELS or not pairs:
        return None
    sure = [pair for pair in pairs if _told_apart(*pair)]
    return Order(
        models=len(of_models),
        pairs=len(pairs),
        tau=_tau(pairs),
        sure=len(sure),
        sure_tau=_tau(sure) if sure else None,
        at_link=beside.at_link,
    )


def _told_apart(one: _Pair, other: _Pair) -> bool:
    return abs(one.believed - other.believed) > Z * math.hypot(one.sd, other.sd)


def _tau(pairs: Sequence[tuple[_Pair, _Pair]]) -> float:
    """Pairs in the same order less those in the other, over all; a tie in either is neither."""
    signs = ((one.own - other.own) * (one.believed - other.believed) for one, other in pairs)
    return sum((sign > 0) - (sign < 0) for sign in signs) / len(pairs)


def _agreement(figure: str, pairs: Sequence[_Pair]) -> Agreement:
    logs = [comparable.sign(figure) * (pair.own - pair.believed) for pair in pairs]
    middle = median(logs)
    return Agreement(
        figure=figure,
        models=len(pairs),
        ratio=math.exp(middle),
        spread=math.exp(median(abs(log - middle) for log in logs)),
        outliers=sum(abs(log - middle) > _FAR for log in logs),
        tau=_tau(list(combinations(pairs, 2))) if len(pairs) >= LEAST_MODELS else None,
    )
