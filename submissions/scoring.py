"""Keeps stored scores equal to what the measurements say. Called by `ingest` inside its transaction."""

from collections.abc import Iterable, Mapping, Sequence

from submissions.domain import ranking
from submissions.domain.profiles import Profile, all_profiles
from submissions.domain.statistics import median
from submissions.models import CardModel, Measurement, Run, Score

# figure -> card -> values of its runs
Figures = Mapping[str, Mapping[int, Sequence[float]]]


def refresh(model_ids: Iterable[int]) -> None:
    """Recompute the scores of these models, locked in the order of their ids against workers that touch the same."""
    for model in CardModel.objects.select_for_update().filter(pk__in=set(model_ids)).order_by("pk"):
        Score.objects.filter(card_model=model).delete()
        Score.objects.bulk_create(_scores(model))


def _scores(model: CardModel) -> list[Score]:
    return [
        score
        for interface, figures in _figures_by_interface(model).items()
        for profile in all_profiles().values()
        if (score := _score(model, profile, interface=interface, figures=figures)) is not None
    ]


def _figures_by_interface(model: CardModel) -> Mapping[str, Figures]:
    found: dict[str, dict[str, dict[int, list[float]]]] = {}
    rows = (
        Measurement.objects.rankable()
        .filter(run__card__variant__card_model=model)
        .order_by("run_id", "position")
    )
    for interface, figure, card, value in rows.values_list(
        "run__host__interface", "figure", "run__card_id", "value"
    ):
        assert value is not None  # a missing value is never rankable
        found.setdefault(interface, {}).setdefault(figure, {}).setdefault(card, []).append(value)
    return found


def _score(model: CardModel, profile: Profile, *, interface: str, figures: Figures) -> Score | None:
    per_card = {
        figure: {card: median(values) for card, values in cards.items()} for figure, cards in figures.items()
    }
    wanted = {term.figure: per_card[term.figure] for term in profile.terms if term.figure in per_card}
    cards = {card for by_card in wanted.values() for card in by_card}
    runs = Run.objects.filter(card__in=cards, host__interface=interface)
    submitters = runs.values("submission__submitter").distinct().count()
    values = {figure: list(by_card.values()) for figure, by_card in wanted.items()}
    score = ranking.score(profile, values, cards=len(cards), submitters=submitters)
    if score is None:
        return None
    return Score(
        card_model=model,
        profile=profile.name,
        profile_version=profile.version,
        interface=interface,
        value=score.value,
        lower=score.lower,
        upper=score.upper,
        cards=score.cards,
        runs=runs.count(),
        submitters=score.submitters,
        covered=score.covered,
        terms=score.terms,
        figures={figure: {"value": median(known), "cards": len(known)} for figure, known in values.items()},
        state=score.state,
    )
