"""Two to six models side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from submissions.domain.measuring import metrics
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Score
from submissions.pages.plots import of_compare
from submissions.pages.plots.figure import Plot

MOST = 6
Scores = Sequence[tuple[CardModel, Score | None]]


@dataclass(frozen=True, slots=True)
class Duel:
    """Probability that a model beats each of the others, None against itself and where one has no score."""

    model: CardModel
    chances: tuple[tuple[CardModel, float | None], ...]


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure of every model, None where it was not measured; `best` is the index of the highest of several."""

    title: str
    unit: str
    cells: tuple[tuple[CardModel, dict[str, float] | None], ...]
    best: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    models: tuple[CardModel, ...]
    scores: tuple[tuple[CardModel, Score | None], ...]
    duels: tuple[Duel, ...]
    figures: tuple[FigureRow, ...]
    plots: tuple[Plot, ...]


def compare(models: Sequence[CardModel], wish: Wish) -> Comparison:
    """For the purpose and the slot of the wish; one query."""
    by_model = {
        score.card_model_id: score
        for score in Score.objects.filter(
            card_model__in=models, profile=wish.profile.name, interface=wish.board.interface.name
        ).select_related("card_model")
    }
    scores = tuple((model, by_model.get(model.pk)) for model in models)
    scored = [score for _, score in scores if score]
    return Comparison(
        models=tuple(models),
        scores=scores,
        duels=tuple(_duel(model, scores) for model in models),
        figures=tuple(_figures(wish, scores)),
        plots=tuple(plot for plot in (of_compare.scores(scored), *_plots(wish, scores)) if plot),
    )


def _duel(model: CardModel, scores: Scores) -> Duel:
    own = dict(scores)[model]
    rivals = [score for rival, score in scores if score and rival != model]
    chances = dict(zip(rivals, own.chances_against(rivals), strict=True)) if own else {}
    return Duel(model, tuple((rival, chances.get(score) if score else None) for rival, score in scores))


def _figures(wish: Wish, scores: Scores) -> list[FigureRow]:
    return [
        FigureRow(
            title=metrics.FIGURES[name].title,
            unit=metrics.FIGURES[name].base_unit,
            cells=tuple((model, score.figures.get(name) if score else None) for model, score in scores),
            best=_best(_told(name, scores)),
        )
        for name in _heaviest_first(wish)
        if _told(name, scores)
    ]


def _plots(wish: Wish, scores: Scores) -> list[Plot | None]:
    """Of figures of two models or more: one alone is compared with nothing."""
    return [
        of_compare.figure(
            name, [(model.name, score.figures.get(name) if score else None) for model, score in scores]
        )
        for name in _heaviest_first(wish)
        if len(_told(name, scores)) > 1
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


def _heaviest_first(wish: Wish) -> list[str]:
    terms = wish.profile.on(wish.board.interface)
    return [term.figure for term in sorted(terms, key=lambda term: -term.share)]
