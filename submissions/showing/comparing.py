"""Two to six models side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from submissions.domain import metrics
from submissions.domain.wish import Wish
from submissions.drawing import compare as drawing
from submissions.models import CardModel, Score
from submissions.plots.figure import Plot
from submissions.showing import standing

MOST = 6


@dataclass(frozen=True, slots=True)
class Duel:
    """Probability that a model beats each of the others, None against itself and where one has no score."""

    model: CardModel
    chances: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure of every model, None where it was not measured; `best` is the index of the highest."""

    title: str
    unit: str
    cells: tuple[dict[str, float] | None, ...]
    best: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    models: tuple[CardModel, ...]
    scores: tuple[Score | None, ...]
    duels: tuple[Duel, ...]
    figures: tuple[FigureRow, ...]
    plots: tuple[Plot, ...]


def compare(models: Sequence[CardModel], wish: Wish) -> Comparison:
    """For the purpose and the slot of the wish; one query."""
    found = {
        one.card_model_id: one
        for one in Score.objects.filter(
            card_model__in=models, profile=wish.profile.name, interface=wish.board.interface.name
        ).select_related("card_model")
    }
    scores = tuple(found.get(model.pk) for model in models)
    known = [one for one in scores if one]
    return Comparison(
        models=tuple(models),
        scores=scores,
        duels=tuple(_duel(model, scores, n) for n, model in enumerate(models)),
        figures=tuple(_figures(wish, scores)),
        plots=tuple(plot for plot in (drawing.scores(known), *_plots(wish, models, scores)) if plot),
    )


def _duel(model: CardModel, scores: Sequence[Score | None], own: int) -> Duel:
    score = scores[own]
    if score is None:
        return Duel(model, tuple(None for _ in scores))
    rivals = [one for n, one in enumerate(scores) if one and n != own]
    chances = dict(zip((one.pk for one in rivals), standing.better_than(score, rivals), strict=True))
    return Duel(model, tuple(chances.get(one.pk) if one else None for one in scores))


def _figures(wish: Wish, scores: Sequence[Score | None]) -> list[FigureRow]:
    names = [term.figure for term in sorted(wish.profile.terms, key=lambda term: -term.share)]
    rows = ((name, tuple(one.figures.get(name) if one else None for one in scores)) for name in names)
    return [
        FigureRow(
            title=metrics.FIGURES[name].title,
            unit=metrics.METRICS[metrics.FIGURES[name].metric].base_unit,
            cells=cells,
            best=max((n for n, one in enumerate(cells) if one), key=lambda n: _value(cells[n]), default=None),
        )
        for name, cells in rows
        if any(cells)
    ]


def _value(cell: dict[str, float] | None) -> float:
    return cell["value"] if cell else 0.0


def _plots(wish: Wish, models: Sequence[CardModel], scores: Sequence[Score | None]) -> list[Plot | None]:
    names = [term.figure for term in sorted(wish.profile.terms, key=lambda term: -term.share)]
    return [
        drawing.figure(
            name,
            [
                (model.name, one.figures.get(name) if one else None)
                for model, one in zip(models, scores, strict=True)
            ],
        )
        for name in names
    ]
