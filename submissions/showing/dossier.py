"""Everything the page of a model shows, arranged for a board and a purpose."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q

from submissions import presentation
from submissions.domain import comparable, interfaces, metrics, profiles, promises
from submissions.domain.interfaces import Interface
from submissions.domain.profiles import Profile
from submissions.domain.wish import Wish
from submissions.drawing import models as drawing
from submissions.models import CardModel, Measurement, Run, Score
from submissions.plots.figure import Plot
from submissions.showing import rows, verdict
from submissions.showing.rows import Row
from submissions.showing.tried import Tried, tried

MOST_RUNS = 50
_MOST_PLOTS, _MOST_LEFT_OUT = 4, 20
_MOST_MEASURED = 2000
_CLASSES = ("speed_class", "uhs_speed_grade", "video_speed_class", "app_perf_class")


@dataclass(frozen=True, slots=True)
class OnEverySlot:
    """One purpose in each class of slot, None where there is no score."""

    profile: Profile
    scores: tuple[tuple[Interface, Score | None], ...]


@dataclass(frozen=True, slots=True)
class Price:
    """What somebody paid."""

    price: float
    currency: str
    bought_on: str
    bought_at: str


@dataclass(frozen=True, slots=True)
class Dossier:
    """`score`: for the wish, with its place, None without a score. `here`: every purpose on the wished board."""

    wish: Wish
    model: CardModel
    score: Score | None
    verdict: tuple[str, ...]
    here: tuple[Row, ...]
    slots: tuple[Interface, ...]
    everywhere: tuple[OnEverySlot, ...]
    promises: tuple[promises.Finding, ...]
    strips: tuple[Plot, ...]
    histories: tuple[Plot, ...]
    variation: tuple[str, ...]
    runs: tuple[Run, ...]
    left_out: tuple[Measurement, ...]
    doubts: presentation.Doubts
    tried: tuple[Tried, ...]
    prices: tuple[Price, ...]

    @property
    def more_runs(self) -> bool:
        return len(self.runs) == MOST_RUNS


def arrange(model: CardModel, wish: Wish) -> Dossier:
    """Five queries, however many cards there are; of a model with many runs the newest."""
    asked = {"profile": wish.profile.name, "interface": wish.board.interface.name}
    scores = Score.objects.standings(model, Q(**asked))
    here = [one for one in scores if one.interface == wish.board.interface.name]
    score = next((one for one in here if one.profile == wish.profile.name), None)
    told = list(Measurement.objects.told_of(model)[:_MOST_MEASURED])
    measured = [one for one in told if one.figure]
    flags = model.variation_flags.order_by("-kind", "figure")
    runs = list(Run.objects.of_model(model)[:MOST_RUNS])
    strips, histories = _pictures(wish, measured, _uncapped(scores))
    return Dossier(
        wish=wish,
        model=model,
        score=score,
        verdict=tuple(verdict.verdict(wish, model, score)),
        here=tuple(_rows(model, here)),
        slots=tuple(interfaces.all_interfaces().values()),
        everywhere=tuple(_everywhere(scores)),
        promises=promises.findings({name: getattr(model, name) for name in _CLASSES}, _figures(here)),
        strips=strips,
        histories=histories,
        variation=tuple(verdict.variation(flag) for flag in flags),
        runs=tuple(runs),
        left_out=tuple(one for one in measured if not drawing.is_believed(one))[:_MOST_LEFT_OUT],
        doubts=presentation.doubts(runs),
        tried=tried(one for one in told if one.workload == "capacity"),
        prices=tuple(_prices(runs)),
    )


def _rows(model: CardModel, scores: Iterable[Score]) -> list[Row]:
    """One for each purpose, in the order of the table of purposes."""
    found = {one.profile: one for one in scores}
    return [
        rows.row(model, found[name], title=profile.title, figures=rows.key_figures(found[name]))
        for name, profile in profiles.all_profiles().items()
        if name in found
    ]


def _everywhere(scores: Sequence[Score]) -> list[OnEverySlot]:
    found = {(one.profile, one.interface): one for one in scores}
    return [
        OnEverySlot(
            profile,
            tuple(
                (slot, found.get((profile.name, name))) for name, slot in interfaces.all_interfaces().items()
            ),
        )
        for profile in profiles.all_profiles().values()
        if any((profile.name, slot) in found for slot in interfaces.all_interfaces())
    ]


def _figures(scores: Iterable[Score]) -> dict[str, dict[str, float]]:
    return {name: found for one in scores for name, found in one.figures.items()}


def _pictures(
    wish: Wish, measured: Iterable[Measurement], believed: Mapping[str, Mapping[str, float]]
) -> tuple[tuple[Plot, ...], tuple[Plot, ...]]:
    """Strips and histories of the figures that weigh most in the wish, as far as they were measured."""
    weights = {term.figure: term.share for term in wish.profile.on(wish.board.interface)}
    groups: dict[str, list[Measurement]] = {}
    for one in measured:
        groups.setdefault(one.figure, []).append(one)
    known = [name for name in groups if name in metrics.FIGURES]
    chosen = sorted(known, key=lambda name: (-weights.get(name, 0), name))[:_MOST_PLOTS]
    specimens = {name: found for name in chosen if (found := drawing.specimens(groups[name]))}
    strips = tuple(drawing.strip(name, found, believed.get(name)) for name, found in specimens.items())
    histories = (drawing.history(name, found) for name, found in specimens.items())
    return strips, tuple(plot for plot in histories if plot)


def _uncapped(scores: Iterable[Score]) -> dict[str, dict[str, float]]:
    """Figure -> what is believed of the model where no slot is in the way. Rates that count in slow slots alone have no
    such value.
    """
    fastest = list(interfaces.all_interfaces())[-1]
    anywhere = {name: found for name, found in _figures(scores).items() if not comparable.is_linked(name)}
    return anywhere | _figures(one for one in scores if one.interface == fastest)


def _prices(runs: Iterable[Run]) -> list[Price]:
    """What was told of prices, newest purchase first."""
    labels = [run.label for run in runs if run.label.get("price")]
    prices = [
        Price(one["price"], one["currency"], one.get("bought_on", ""), one.get("bought_at", ""))
        for one in labels
    ]
    return sorted(prices, key=lambda one: one.bought_on, reverse=True)
