"""Judge models by the last full fit, and make scores, estimates and flags as unsaved rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from submissions.domain.judgement import claims, engine
from submissions.domain.judgement.claims import People
from submissions.domain.judgement.engine import Judged
from submissions.domain.judgement.estimates import Estimates
from submissions.domain.judgement.inputs import Counted, Silicons, apart
from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.judgement.robust import Index
from submissions.domain.ranking.interfaces import Interface
from submissions.domain.ranking.scores import Scores, Worst, figures_of, scores, worst
from submissions.evidence.fits import StoredFit
from submissions.evidence.gathering import Gathered
from submissions.models import Estimate, Score


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """The judgement of the gathered models, and counts of people; `apart` judges variants of models that differ."""

    gathered: Gathered
    judged: Judged
    counted: Counted
    apart: "Apart | None"
    fit: StoredFit


@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """Variants of models with cards that differ, each judged like a model."""

    silicons: Silicons
    judged: Judged


_COUNTS = ("cards", "runs", "submitters", "trusted", "vouched")


def _round(value: Any) -> float:
    # Without the last digits, which depend on how many models are judged at a time.
    return float(f"{value:.9g}")


def judge(gathered: Gathered, stored_fit: StoredFit) -> Verdicts:
    """Judge the gathered models by the last full fit."""
    standing_flags = number_flags(stored_fit.standing_flags, gathered)
    judged = engine.judge(gathered.evidence, stored_fit.crowd, standing_flags=standing_flags)
    return make_verdicts(gathered, judged, stored_fit)


def number_flags(standing_flags: Mapping[int, int], gathered: Gathered) -> dict[int, int]:
    """Convert the model ids of standing flags to the numbers of the gathered models.

    A standing flag stays until its model has more cards. Models with as many cards as are ever judged are left out,
    because the judgement would never see more.
    """
    few = gathered.evidence.cards_of() < DEFAULTS.most_values
    number = {pk: at for at, pk in enumerate(gathered.models.tolist()) if few[at]}
    return {number[pk]: cards for pk, cards in standing_flags.items() if pk in number}


def make_verdicts(gathered: Gathered, judged: Judged, stored_fit: StoredFit) -> Verdicts:
    """Make verdicts of judged models, and judge each variant of a model with cards that differ."""
    counted = Counted(gathered.evidence)
    return Verdicts(gathered, judged, counted, _judge_silicons(gathered, judged, stored_fit), stored_fit)


def _judge_silicons(gathered: Gathered, judged: Judged, stored_fit: StoredFit) -> Apart | None:
    if not judged.findings.varies:
        return None
    silicons = apart(gathered.evidence, judged.findings.varies)
    return Apart(silicons, engine.judge(silicons.evidence, stored_fit.crowd, standing_flags={}))


def score_rows(verdicts: Verdicts, *, simulated: bool = False, draw_lines: bool = False) -> Iterator[Score]:
    """Yield a score for every model, profile and interface class with a measured figure.

    If these are all models, `draw_lines` also computes the score above which a model is a claim, and sets it in
    `verdicts.fit.lines`.
    """
    lines = verdicts.fit.lines
    for slot in _slots(verdicts):
        (first, _), *_ = slot
        profile, interface = first.profile, first.interface
        if draw_lines and (drawn := _line(slot)) is not None:
            lines.setdefault(profile, {})[interface] = drawn
        line = lines.get(profile, {}).get(interface)
        for score, people in slot:
            score.simulated = simulated
            score.state = claims.state(people, covered=score.covered, value=score.value, line=line)
            yield score


def _line(slot: Sequence[tuple[Score, People]]) -> float | None:
    values, settled = zip(*((score.value, not people.awaited) for score, people in slot), strict=True)
    line = claims.line(np.array(values), np.array(settled))
    return None if line is None else _round(line)


def _slots(verdicts: Verdicts) -> Iterator[list[tuple[Score, People]]]:
    shown = Shown(verdicts.judged)
    by_silicon = _scores_by_silicon(verdicts)
    for of_models in scores(verdicts.judged):
        yield list(_scores_in_slot(verdicts, of_models, by_silicon.get(of_models.purpose), shown))


def _scores_in_slot(
    verdicts: Verdicts, of_models: Scores, by_silicon: "_BySilicon | None", shown: "Shown"
) -> Iterator[tuple[Score, People]]:
    counted = verdicts.counted
    in_slot, anywhere = counted.behind(of_models.figures), counted.behind(of_models.profile.figures)
    for at in np.flatnonzero(of_models.scored).tolist():
        behind, model = in_slot if of_models.covered[at] else anywhere, verdicts.gathered.models[at]
        counts = {name: int(getattr(behind, name)[at]) for name in _COUNTS}
        if by_silicon and at in by_silicon.worst:
            yield by_silicon.score(at, model, counts), behind.people(at)
        else:
            figures = shown.figures_of(at, of_models.interface)
            yield _score(of_models, at, model, counts, figures), behind.people(at)


class Shown:
    """A cache of the figures of models in slots of one class, which all profiles share."""

    def __init__(self, judged: Judged) -> None:
        self._judged, self._interface = judged, ""
        self._known: dict[int, dict[str, Any]] = {}

    def figures_of(self, model: int, interface: Interface) -> dict[str, Any]:
        if interface.name != self._interface:
            self._known, self._interface = {}, interface.name
        if model not in self._known:
            self._known[model] = figures_of(self._judged, model, interface)
        return self._known[model]


@dataclass(frozen=True, slots=True, eq=False)
class _BySilicon:
    """Scores of variants in one slot, and the worst variant of each model with cards that differ."""

    apart: Apart
    in_slot: Scores
    worst: Mapping[int, Worst]

    def score(self, at: int, model: int, counts: dict[str, int]) -> Score:
        """Make the score of a model by its worst variant."""
        by = self.worst[at]
        figures = figures_of(self.apart.judged, by.silicon, self.in_slot.interface)
        score = _score(self.in_slot, by.silicon, model, counts, figures)
        score.range_low, score.range_high = _round(by.low), _round(by.high)
        score.ranked_by_id = int(self.apart.silicons.signature[by.silicon])
        return score


def _scores_by_silicon(verdicts: Verdicts) -> dict[tuple[str, str], _BySilicon]:
    parts = verdicts.apart
    if parts is None:
        return {}
    return {
        in_slot.purpose: _BySilicon(parts, in_slot, worst(parts.silicons, in_slot))
        for in_slot in scores(parts.judged)
    }


def _score(in_slot: Scores, at: int, model: int, counts: dict[str, int], figures: dict[str, Any]) -> Score:
    return Score(
        card_model_id=int(model),
        profile=in_slot.profile.name,
        profile_version=in_slot.profile.version,
        interface=in_slot.interface.name,
        value=_round(in_slot.value[at]),
        lower=_round(in_slot.lower[at]),
        upper=_round(in_slot.upper[at]),
        bound=_round(in_slot.bound[at]),
        covered=int(in_slot.covered[at]),
        terms=in_slot.terms,
        figures={name: figures[name] for name in in_slot.figures if name in figures},
        **counts,
    )


def estimate_rows(verdicts: Verdicts) -> Iterator[Estimate]:
    """Yield an estimate of each figure of each model, and of each variant if the cards of a model differ."""
    models = verdicts.gathered.models
    yield from _estimates(verdicts.judged, verdicts.counted, models, [None] * len(models))
    if verdicts.apart:
        silicons = verdicts.apart.silicons
        variants = silicons.signature.tolist()
        counted = Counted(silicons.evidence)
        yield from _estimates(verdicts.apart.judged, counted, models[silicons.model], variants)


def _estimates(
    judged: Judged, counted: Counted, models: Index, variants: Sequence[int | None]
) -> Iterator[Estimate]:
    for name, estimates in judged.estimates.items():
        behind = counted.behind([name])
        for at in np.flatnonzero(estimates.own_precision > 0).tolist():
            people = {"trusted": int(behind.trusted[at]), "vouched": int(behind.vouched[at])}
            row = _estimate(name, estimates, at, model=models[at], variant=variants[at], **people)
            predicted = judged.predicted[name]
            row.card_low, row.card_high = _round(predicted.lower[at]), _round(predicted.upper[at])
            row.slow_share = _round(predicted.slow[at])
            yield row


def _estimate(
    name: str, estimates: Estimates, at: int, *, model: int, variant: int | None, **people: int
) -> Estimate:
    return Estimate(
        **people,
        card_model_id=int(model),
        variant_id=variant,
        figure=name,
        mean=_round(estimates.mean[at]),
        sd=_round(estimates.sd[at]),
        own_mean=_round(estimates.own_mean[at]),
        own_precision=_round(estimates.own_precision[at]),
        cards=int(estimates.cards[at]),
        submitters=int(estimates.submitters[at]),
        runs=int(estimates.runs[at]),
        at_least=bool(estimates.at_least[at]),
    )


def standing_flags(verdicts: Verdicts, before: Mapping[int, int]) -> list[list[Any]]:
    """Return for the next fit [model id, number of its cards when its flag was raised] of every model that varies."""
    findings, models = verdicts.judged.findings, verdicts.gathered.models
    cards: Index = verdicts.gathered.evidence.cards_of()
    now = {at: int(cards[at]) for at in findings.varies}
    return [
        [int(models[at]), before.get(int(models[at]), count) if at in findings.kept else count]
        for at, count in now.items()
    ]
