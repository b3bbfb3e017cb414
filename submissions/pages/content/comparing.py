"""Two to six models side by side."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from submissions.domain.measuring import metrics
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Score
from submissions.pages import wording
from submissions.pages.content import neighbour
from submissions.pages.content.finder_rows import Row, row
from submissions.pages.content.pick_cards import peers
from submissions.pages.plots import of_compare
from submissions.pages.plots.figure import Plot

MOST = 6
Scores = Sequence[tuple[CardModel, Score | None]]


class Duel(NamedTuple):
    """Probability that a model beats each of the others, None against itself and where one has no score."""

    model: CardModel
    chances: tuple[tuple[CardModel, float | None], ...]


class FigureRow(NamedTuple):
    """One figure of every model, None where it was not measured; `best` is the index of the highest of several."""

    name: str
    title: str
    unit: str
    cells: tuple[tuple[CardModel, dict[str, float] | None], ...]
    best: int | None


class WorkCell(NamedTuple):
    """How many times as well as the purpose needs a card does a kind of work, and by which measured figure."""

    times: str
    amount: str
    is_best: bool = False


class WorkRow(NamedTuple):
    """A kind of work that every card does, old or new, however it was measured; None where it was not."""

    name: str
    cells: tuple[WorkCell | None, ...]


class Comparison(NamedTuple):
    """`best`: the first by its score; `peers`: those that are too close to it to call. `rows`: one for each model,
    None without a score."""

    models: tuple[CardModel, ...]
    rows: tuple[Row | None, ...]
    works: tuple[WorkRow, ...]
    best: CardModel | None
    peers: tuple[CardModel, ...]
    duels: tuple[Duel, ...]
    figures: tuple[FigureRow, ...]
    plot: Plot | None


def compare(models: Sequence[CardModel], wish: Wish) -> Comparison:
    """For the purpose and the slot of the wish; one query."""
    by_model = {
        score.card_model_id: score
        for score in Score.objects.of_purpose(wish).filter(card_model__in=models).select_related("card_model")
    }
    scores = tuple((model, by_model.get(model.pk)) for model in models)
    scored = [score for _, score in scores if score]
    ranked = sorted(scored, key=lambda score: -score.bound)
    return Comparison(
        models=tuple(models),
        rows=tuple(row(model, score) if score else None for model, score in scores),
        works=tuple(_works(wish, scores)),
        best=ranked[0].card_model if len(ranked) > 1 else None,
        peers=tuple(peers(ranked)),
        duels=tuple(_duel(model, scores) for model in models),
        figures=tuple(_figures(wish, scores)),
        plot=of_compare.scores(scored),
    )


def _works(wish: Wish, scores: Scores) -> Iterator[WorkRow]:
    """Each kind of work that was measured of one of them, the one that weighs most first."""
    for name, terms in neighbour.by_work(wish):
        told = [neighbour.measured(terms, score) if score else None for _, score in scores]
        if any(told):
            yield WorkRow(name, tuple(_work_cell(one, told) for one in told))


def _work_cell(own: neighbour.Measured | None, told: Sequence[neighbour.Measured | None]) -> WorkCell | None:
    """It is the best where its interval lies above those of all others."""
    if own is None:
        return None
    others = [other for other in told if other and other is not own]
    is_best = bool(others) and all(own.lower > other.upper for other in others)
    return WorkCell(wording.times(own.ratio), own.amount, is_best)


def _duel(model: CardModel, scores: Scores) -> Duel:
    own = dict(scores)[model]
    rivals = [score for rival, score in scores if score and rival != model]
    chances = dict(zip(rivals, own.chances_against(rivals), strict=True)) if own else {}
    return Duel(model, tuple((rival, chances.get(score) if score else None) for rival, score in scores))


def _figures(wish: Wish, scores: Scores) -> list[FigureRow]:
    return [
        FigureRow(
            name=name,
            title=metrics.FIGURES[name].title,
            unit=metrics.FIGURES[name].base_unit,
            cells=tuple((model, score.figures.get(name) if score else None) for model, score in scores),
            best=_best(_told(name, scores)),
        )
        for name in (term.figure for term in wish.terms)
        if _told(name, scores)
    ]


def _told(name: str, scores: Scores) -> list[tuple[int, float]]:
    """Which of them have this figure, and its value."""
    return [
        (at, score.figures[name]["value"])
        for at, (_, score) in enumerate(scores)
        if score and name in score.figures
    ]


def _best(values: Sequence[tuple[int, float]]) -> int | None:
    return max(values, key=lambda value: value[1])[0] if len(values) > 1 else None
