"""Explain a score: the cards, runs and weights behind it, the values left out, and the effect of one more card.

Nothing of it is stored: the functions that made the score compute it again, so that the two cannot disagree.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from django.utils.translation import gettext as _

from submissions.domain.judgement import engine
from submissions.domain.judgement.composite import capped, expect
from submissions.domain.judgement.engine import CrowdFit, Judged
from submissions.domain.judgement.inputs import Evidence, apart
from submissions.domain.judgement.robust import Index
from submissions.domain.judgement.runs import unit_suspected
from submissions.domain.measuring import metrics
from submissions.domain.measuring.metrics import FIGURES
from submissions.domain.ranking import comparable
from submissions.domain.ranking.interfaces import Interface
from submissions.domain.ranking.scores import figures_of, log_caps, on_scale, weighted
from submissions.domain.ranking.uses import Profile, Term
from submissions.evidence import fits, gathering
from submissions.models import CardModel, Measurement, Run, Score

MOST_CARDS, MOST_LEFT_OUT = 20, 50
_NO_CORRECTION = 0.02  # natural log: too little to notice


@dataclass(frozen=True, slots=True)
class RunLine:
    """One value of one run; on its host cards are `host_ratio` times as fast as on the reference host."""

    run: Run
    measured: str
    host_ratio: float | None

    @property
    def host_words(self) -> str:
        """Return the effect of the host as words like "this host makes it 8 % faster", or "" without one."""
        if self.host_ratio is None:
            return ""
        faster, slower = _("this host makes it %(share)s faster"), _("this host makes it %(share)s slower")
        return (faster if self.host_ratio > 1 else slower) % {
            "share": f"{100 * abs(self.host_ratio - 1):.0f} %"
        }


class WrongUnit(NamedTuple):
    """A value that probably has a wrong unit, with the title of its figure; the page asks whether it is right."""

    figure: str
    line: RunLine


@dataclass(frozen=True, slots=True)
class CardLine:
    """The vote of one card on one figure: its `value` as on the reference host, and the `percent` of its weight.

    If `capped`, it counts less because its submitter has more cards. If `at_least`, the slot limited the value, so the
    card may be faster.
    """

    key: str
    value: str
    percent: float
    capped: bool
    at_least: bool
    runs: tuple[RunLine, ...]


@dataclass(frozen=True, slots=True)
class FigureLine:
    """One figure of the profile. The score is 100 times the product of the factors of all figures.

    `value`, `lower` and `upper` are words. If they are empty, the figure was not measured and `factor` is a prediction.
    """

    name: str
    title: str
    percent: float
    reference: str
    factor: float
    value: str = ""
    lower: str = ""
    upper: str = ""
    at_least: bool = False
    cards: tuple[CardLine, ...] = ()
    more_cards: int = 0


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a score; `one_more` predicts its interval after another submitter measures one more card."""

    score: Score
    profile: Profile
    interface: Interface
    measured: tuple[FigureLine, ...]
    missing: tuple[FigureLine, ...]
    left_out: tuple[Measurement, ...]
    asked: tuple[WrongUnit, ...]
    one_more: tuple[float, float]
    fitted: bool

    @property
    def missing_percent(self) -> float:
        return math.fsum(line.percent for line in self.missing)


@dataclass(frozen=True, slots=True, eq=False)
class _ScoreInputs:
    """The inputs of a score; `at` is the number in them of the model, or of the variant by which it is ranked."""

    evidence: Evidence
    judged: Judged
    crowd: CrowdFit
    cards: Index
    at: int


def explain(model: CardModel, *, profile: Profile, interface: Interface) -> Explanation | None:
    """Return the explanation of a score, or None if there is no score; at most eleven queries."""
    stored = Score.objects.filter(card_model=model, profile=profile.name, interface=interface.name)
    score = stored.select_related("ranked_by").first()
    if score is None:
        return None
    stored_fit = fits.prior_fit() if model.simulated else fits.current_fit()
    behind = _find_inputs(gathering.gather([model.pk], stored_fit.numbers), stored_fit.crowd, score)
    terms = profile.on(interface)
    runs = _shown_runs(model, behind, [term.figure for term in terms])
    lines = list(_lines(behind, terms, interface, runs))
    return Explanation(
        score=score,
        profile=profile,
        interface=interface,
        measured=tuple(line for line in lines if line.value),
        missing=tuple(line for line in lines if not line.value),
        left_out=_unranked_measurements(model, [line.name for line in lines]),
        asked=tuple(_suspected_values(behind, [line.name for line in lines], runs)),
        one_more=_expect_one_more(behind, terms, interface),
        fitted=stored_fit.fit is not None,
    )


def _find_inputs(gathered: gathering.Gathered, crowd: CrowdFit, score: Score) -> _ScoreInputs:
    evidence, cards, at = gathered.evidence, gathered.cards, 0
    if score.ranked_by_id is not None:
        silicons = apart(evidence, [0])
        cards = cards[evidence.cards.signature >= 0]
        evidence = silicons.evidence
        at = int(np.flatnonzero(silicons.signature == score.ranked_by_id)[0])
    judged = engine.judge(evidence, crowd, standing_flags={})
    return _ScoreInputs(evidence, judged, crowd, cards, at)


def _shown_runs(model: CardModel, behind: _ScoreInputs, figures: Sequence[str]) -> dict[int, Run]:
    shown: set[int] = set()
    for figure in set(figures) & set(behind.evidence.runs):
        rows = [_rows_of(figure, behind, card) for card in _heaviest_cards(figure, behind)[:MOST_CARDS]]
        of_figure = np.concatenate([*rows, _suspected_rows(figure, behind)])
        shown.update(behind.evidence.submission[figure][of_figure].tolist())
    return {run.submission_id: run for run in Run.objects.of_model(model).filter(submission__in=shown)}


def _lines(
    behind: _ScoreInputs, terms: Sequence[Term], interface: Interface, runs: Mapping[int, Run]
) -> Iterator[FigureLine]:
    shown = figures_of(behind.judged, behind.at, interface)
    expected = capped(behind.judged.expected, log_caps(behind.judged.names, interface))
    for term in sorted(terms, key=lambda term: -term.share):
        mean = float(expected.mean[behind.at, behind.judged.names.index(term.figure)])
        reference = comparable.log_value(term.figure, term.reference)
        line = FigureLine(
            name=term.figure,
            title=FIGURES[term.figure].title,
            percent=100 * term.share,
            reference=_words(term.figure, term.reference),
            factor=math.exp(term.share * (mean - reference)),
        )
        yield _add_value(line, behind, shown[term.figure], runs) if term.figure in shown else line


def _add_value(
    line: FigureLine, behind: _ScoreInputs, figure: Mapping[str, float], runs: Mapping[int, Run]
) -> FigureLine:
    numbers = _heaviest_cards(line.name, behind)
    return replace(
        line,
        value=_words(line.name, figure["value"]),
        lower=_words(line.name, figure["lower"]),
        upper=_words(line.name, figure["upper"]),
        at_least=bool(figure["at_least"]),
        cards=tuple(_card(line.name, behind, card, runs) for card in numbers[:MOST_CARDS]),
        more_cards=max(0, len(numbers) - MOST_CARDS),
    )


def _heaviest_cards(figure: str, behind: _ScoreInputs) -> list[int]:
    estimates, of_figure = behind.judged.estimates[figure], behind.evidence.runs[figure]
    numbers = np.unique(of_figure.card[of_figure.model == behind.at])
    counting = numbers[estimates.card_precision[numbers] > 0]
    return sorted(counting.tolist(), key=lambda card: -estimates.card_vote[card])


def _card(figure: str, behind: _ScoreInputs, card: int, runs: Mapping[int, Run]) -> CardLine:
    estimates = behind.judged.estimates[figure]
    mine = tuple(_runs(figure, behind, _rows_of(figure, behind, card), runs))
    return CardLine(
        key=mine[0].run.card.key,
        value=_words(figure, comparable.value(figure, float(estimates.card_value[card]))),
        percent=100 * float(estimates.card_vote[card]),
        capped=bool(estimates.card_scale[card] < 0.99),
        at_least=bool(estimates.card_hidden[card]),
        runs=mine,
    )


def _rows_of(figure: str, behind: _ScoreInputs, card: int) -> Index:
    of_figure = behind.evidence.runs[figure]
    return np.flatnonzero((of_figure.model == behind.at) & (of_figure.card == card))


def _suspected_rows(figure: str, behind: _ScoreInputs) -> Index:
    of_figure = behind.evidence.runs[figure]
    return np.flatnonzero(unit_suspected(of_figure) & (of_figure.model == behind.at))[:MOST_LEFT_OUT]


def _runs(figure: str, behind: _ScoreInputs, rows: Index, runs: Mapping[int, Run]) -> Iterator[RunLine]:
    effects = behind.crowd.figures[figure].host_effect
    for row in rows.tolist():
        of_figure = behind.evidence.runs[figure]
        effect = float(effects[max(of_figure.host[row], -1)])
        value = comparable.value(figure, float(of_figure.log_value[row]))
        ratio = math.exp(effect) if abs(effect) > _NO_CORRECTION else None
        yield RunLine(runs[int(behind.evidence.submission[figure][row])], _words(figure, value), ratio)


def _suspected_values(
    behind: _ScoreInputs, figures: Sequence[str], runs: Mapping[int, Run]
) -> Iterator[WrongUnit]:
    for name in figures:
        if name in behind.evidence.runs:
            for line in _runs(name, behind, _suspected_rows(name, behind), runs):
                yield WrongUnit(FIGURES[name].title, line)


def _unranked_measurements(model: CardModel, figures: Sequence[str]) -> tuple[Measurement, ...]:
    measured = Measurement.objects.filter(run__card__variant__card_model=model, figure__in=figures)
    return tuple(measured.not_rankable().by_card()[:MOST_LEFT_OUT])


def _expect_one_more(
    behind: _ScoreInputs, terms: Sequence[Term], interface: Interface
) -> tuple[float, float]:
    judged, figures = behind.judged, behind.judged.figures
    before = figures.own_precision
    more = np.array([behind.crowd.figures[name].spreads.perfect_card() for name in judged.names])
    own = np.nan_to_num(figures.own_mean)
    seen = judged.expected.mean
    richer = replace(
        figures, own_precision=before + more, own_mean=(before * own + more * seen) / (before + more)
    )
    expected = capped(expect(richer, rho=behind.crowd.rho), log_caps(judged.names, interface))
    _, lower, upper, _ = on_scale(weighted(expected, judged.names, terms))
    return float(lower[behind.at]), float(upper[behind.at])


def _words(figure: str, value: float) -> str:
    return metrics.in_words(value, FIGURES[figure].base_unit)
