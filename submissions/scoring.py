"""Keeps stored scores equal to what the measurements say. Called by `ingest` inside its transaction."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from submissions import facets
from submissions.domain import ranking
from submissions.domain.profiles import Profile, all_profiles
from submissions.domain.statistics import median
from submissions.models import CardModel, Measurement, Score

_STORED = ("value", "lower", "upper", "cards", "submitters", "covered", "terms", "state")


class Row(NamedTuple):
    """One believable figure of one run."""

    interface: str
    figure: str
    card: int
    run: int
    submitter: str
    value: float


def refresh(model_ids: Iterable[int]) -> None:
    """Recompute the scores of these models, locked in the order of their ids against workers that touch the same."""
    models = list(CardModel.objects.select_for_update().filter(pk__in=set(model_ids)).order_by("pk"))
    for model in models:
        Score.objects.filter(card_model=model).delete()
        Score.objects.bulk_create(_scores(model))
    facets.refresh(model.pk for model in models)


def _scores(model: CardModel) -> Iterator[Score]:
    rows = _rows(model)
    for interface in sorted({row.interface for row in rows}):
        for profile in all_profiles().values():
            wanted = {term.figure for term in profile.terms}
            behind = [row for row in rows if row.interface == interface and row.figure in wanted]
            if behind:
                yield _score(model, profile, interface=interface, rows=behind)


def _rows(model: CardModel) -> list[Row]:
    """Every figure that may be ranked, in one query; reports stand in the order in which they came."""
    of_model = Measurement.objects.rankable().filter(run__card__variant__card_model=model)
    columns = (
        "run__host__interface",
        "figure",
        "run__card_id",
        "run_id",
        "run__submission__submitter",
        "value",
    )
    return [Row(*row) for row in of_model.order_by("run_id", "position").values_list(*columns)]


def _score(model: CardModel, profile: Profile, *, interface: str, rows: Sequence[Row]) -> Score:
    values = _one_value_per_card(rows)
    score = ranking.score(
        profile,
        values,
        cards=len({row.card for row in rows}),
        submitters=len({row.submitter for row in rows}),
    )
    assert score is not None  # there are rows, and all of them are figures of this profile
    return Score(
        card_model=model,
        profile=profile.name,
        profile_version=profile.version,
        interface=interface,
        bound=score.lower,
        runs=len({row.run for row in rows}),
        figures={figure: {"value": median(known), "cards": len(known)} for figure, known in values.items()},
        **{name: getattr(score, name) for name in _STORED},
    )


def _one_value_per_card(rows: Sequence[Row]) -> dict[str, list[float]]:
    """figure -> the median over the runs of each card: one card, one vote."""
    by_card: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        by_card.setdefault(row.figure, {}).setdefault(row.card, []).append(row.value)
    return {figure: [median(values) for values in cards.values()] for figure, cards in by_card.items()}
