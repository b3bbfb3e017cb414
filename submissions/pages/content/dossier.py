"""Everything the page of a model shows, arranged for a board and a purpose."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.db.models import Q

from submissions.domain.identity import promises
from submissions.domain.ranking import comparable, interfaces, uses
from submissions.domain.ranking.summary import Sample, Summary
from submissions.domain.ranking.wish import Wish
from submissions.evidence import flag_words, summaries
from submissions.evidence.flag_words import FlagWords
from submissions.models import CardModel, Measurement, Run, Score
from submissions.pages.content import finder_rows, next_card, sentences, suitability
from submissions.pages.content.finder_rows import Row
from submissions.pages.content.kept_capacity import Tried, tried
from submissions.pages.content.sentences import Verdict
from submissions.pages.content.suitability import Suitability
from submissions.pages.plots import of_models
from submissions.pages.plots.figure import Plot

_MOST_PLOTS = 4
_CLASSES = ("speed_class", "uhs_speed_grade", "video_speed_class", "app_perf_class")


class Dossier(NamedTuple):
    """`score`: for the wish, with its place, None without a score. `own`: the same as a row. `here`: every
    purpose on the wished board. `beside`: the model between its neighbours. `devices`: what it is for the usual ones.

    `runs`, `left_out`: the first of them; `summary` says how many there are. `fastest`: figures where no slot is in the
    way.
    """

    wish: Wish
    model: CardModel
    score: Score | None
    verdict: Verdict
    next_card: tuple[str, ...]
    own: Row | None
    here: tuple[Row, ...]
    beside: tuple[Row, ...]
    devices: tuple[Suitability, ...]
    promises: tuple[promises.PromiseCheck, ...]
    strips: tuple[Plot, ...]
    histories: tuple[Plot, ...]
    variation: tuple[FlagWords, ...]
    runs: tuple[Run, ...]
    left_out: tuple[Measurement, ...]
    tried: tuple[Tried, ...]
    summary: Summary
    fastest: Mapping[str, Mapping[str, float]]


def arrange(model: CardModel, wish: Wish) -> Dossier:
    """Of a model with its summary at hand: five queries, however many cards there are."""
    asked = {"profile": wish.profile.name, "interface": wish.board.interface.name}
    scores = Score.objects.standings(model, Q(**asked), board=wish.board)
    here = [score for score in scores if score.interface == wish.board.interface.name]
    score = next((score for score in here if score.profile == wish.profile.name), None)
    if score:
        score.card_model = model
    kept = summaries.get_summary(model)
    summary = kept.summary
    flags = model.variation_flags.order_by("-kind", "figure")
    strips, histories = _pictures(wish, summary.samples, _uncapped(scores))
    return Dossier(
        wish=wish,
        model=model,
        score=score,
        verdict=sentences.verdict(wish, model, score, summary.doubts),
        next_card=tuple(next_card.sentences(model, wish)) if score else (),
        own=finder_rows.row(model, score) if score else None,
        here=tuple(_rows(model, here)),
        beside=tuple(finder_rows.ranked(Score.objects.beside(score, board=wish.board), wish))
        if score and score.position
        else (),
        devices=tuple(suitability.of_scores(scores, suitability.devices(), form=model.form)),
        promises=promises.checks({name: getattr(model, name) for name in _CLASSES}, _figures(here)),
        strips=strips,
        histories=histories,
        variation=tuple(flag_words.describe_flag(flag) for flag in flags),
        runs=tuple(Run.objects.filter(pk__in=kept.newest_runs).with_context()),
        left_out=tuple(Measurement.objects.filter(pk__in=kept.left_out).by_card()),
        tried=tried(summary.trials),
        summary=summary,
        fastest=_fastest(scores),
    )


def _rows(model: CardModel, scores: Iterable[Score]) -> list[Row]:
    """One for each purpose, in the order of the table of purposes."""
    by_profile = {score.profile: score for score in scores}
    return [
        finder_rows.row(
            model, by_profile[name], title=profile.title, figure=finder_rows.key_figure(by_profile[name])
        )
        for name, profile in uses.all_profiles().items()
        if name in by_profile
    ]


def _figures(scores: Iterable[Score]) -> dict[str, dict[str, float]]:
    return {name: figure for score in scores for name, figure in score.figures.items()}


def _pictures(
    wish: Wish, samples: Mapping[str, Sample], believed: Mapping[str, Mapping[str, float]]
) -> tuple[tuple[Plot, ...], tuple[Plot, ...]]:
    """Strips and histories of the figures that weigh most in the wish, as far as they were measured."""
    weights = {term.figure: term.share for term in wish.terms}
    chosen = sorted(samples, key=lambda name: (-weights.get(name, 0), name))[:_MOST_PLOTS]
    strips = tuple(of_models.strip(name, samples[name], believed.get(name)) for name in chosen)
    histories = (of_models.history(name, samples[name]) for name in chosen)
    return strips, tuple(plot for plot in histories if plot)


def _uncapped(scores: Iterable[Score]) -> dict[str, dict[str, float]]:
    """Figure -> what is believed of the model where no slot is in the way. Rates that count in slow slots alone have no
    such value.
    """
    anywhere = {name: figure for name, figure in _figures(scores).items() if not comparable.is_linked(name)}
    return anywhere | _fastest(scores)


def _fastest(scores: Iterable[Score]) -> dict[str, dict[str, float]]:
    """Figures in the class of slots with the fastest link."""
    return _figures(score for score in scores if score.interface == interfaces.FASTEST)
