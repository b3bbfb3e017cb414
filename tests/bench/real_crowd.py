"""Estimate from the measurements of the starter data as the site does: from all of them, or without one source."""

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from django.core.management import call_command
from numpy.typing import NDArray

from submissions.domain.estimation.estimate import estimate
from submissions.domain.estimation.evidence import Evidence, Index
from submissions.domain.estimation.learn import learn
from submissions.domain.estimation.parameters import DEFAULTS, Parameters
from submissions.domain.estimation.variation import Findings
from submissions.domain.measuring.metrics import ABILITIES, FIGURES
from submissions.domain.ranking.catalogue import make_catalogue
from submissions.domain.ranking.order import order_key
from submissions.domain.ranking.slots import Slot, all_slots
from submissions.evidence import crowds, performances
from submissions.evidence.abilities import Judged, Silicons, load_silicons
from submissions.evidence.observations import Gathered
from submissions.models import CardModel, Performance, Run
from tests import starter

NAMES = tuple(ABILITIES)
_BASE = tuple(NAMES.index(ability.queue_of or name) for name, ability in ABILITIES.items())
_IS_QUEUED = tuple(bool(ability.queue_of) for ability in ABILITIES.values())
_HAS_QUEUE = frozenset(base for number, base in enumerate(_BASE) if base != number)


class Bench(NamedTuple):
    """A set of values that can be compared: one person, one host, one method. `slot`: the device or bus of the host."""

    source: str
    person: int
    host: int
    slot: str
    ability: int
    method: str


class Cell(NamedTuple):
    """The median of the values of one card on a bench (one person, host and method).

    `at_least`: the median is near the rate of the bus, so it is a lower bound.
    """

    bench: Bench
    model: int
    card: int
    log: float
    at_least: bool


class Estimate(NamedTuple):
    """The log mean of a model in a slot, its standard deviation and that of a single card.

    `at_least`: the bus was the limit, so the mean is only a lower bound.
    """

    mean: float
    sd: float
    card_sd: float
    at_least: bool


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """The evidence of the starter data with the source of each row, and the names of its models and hosts."""

    gathered: Gathered
    sources: NDArray[Any]
    silicons: Silicons
    models: Sequence[str]

    def leave_out(self, source: str) -> Evidence:
        """Return the evidence without the rows of one source."""
        return self.gathered.evidence.where(self.sources != source)

    @property
    def names_of_sources(self) -> list[str]:
        return sorted({*self.sources.tolist()} - {""})

    def name_host(self, host: int) -> str:
        """Return the name of the board or reader of a host."""
        return next(kind[1] for kind, number in self.gathered.numbers.hosts.items() if number == host)

    def slot_of(self, host: int) -> Slot:
        """Return the slot (device or bus) of a host: that of its board, or else the fastest, which limits nothing."""
        (kind,) = (kind for kind, number in self.gathered.numbers.hosts.items() if number == host)
        slots = all_slots()
        return next((slot for slot in slots.values() if slot.takes_host(kind[1], kind[0])), slots["fastest"])


def load_world() -> World:
    """Load the starter data into an empty database, and gather its evidence."""
    call_command("migrate", verbosity=0)
    with tempfile.TemporaryDirectory() as folder:
        starter.load(Path(folder, "starter"))
    return gather_world()


def gather_world() -> World:
    """Gather the evidence of a database with the starter data."""
    gathered, _ = crowds.learn_crowd(crowds.make_prior())
    slugs = dict(Run.objects.values_list("submission_id", "source_slug"))
    sources = np.array([slugs[report] for report in gathered.evidence.report.tolist()])
    names = dict(CardModel.objects.values_list("pk", "slug"))
    models = [names[pk] for pk in gathered.models.tolist()]
    return World(gathered, sources, load_silicons(gathered.cards), models)


@dataclass(frozen=True, eq=False)
class Published:
    """The rows that the site would publish from a part of the evidence."""

    world: World
    judged: Judged

    @cached_property
    def rows(self) -> Mapping[tuple[str, int], Performance]:
        """Return the rows of all models by slot and number of the model."""
        numbers = {pk: number for number, pk in enumerate(self.world.gathered.models.tolist())}
        rows = performances.performance_rows(self.judged)
        return {(row.slot, numbers[row.card_model_id]): row for row in rows}

    @cached_property
    def medians(self) -> Mapping[tuple[int, int], float]:
        """Return the plain median of all log values by ability and model, from all hosts and tools."""
        evidence = self.judged.gathered.evidence
        columns = (self._abilities, evidence.model, evidence.log_value)
        values = defaultdict(list)
        for ability, model, log in zip(*(column.tolist() for column in columns), strict=True):
            values[ability, model].append(log)
        return {key: float(np.median(logs)) for key, logs in values.items()}

    def is_queued(self, slot: Slot, model: int) -> bool:
        """Return whether commands wait inside the cards of a model, with the slot's usual settings."""
        return bool(self._mask_queued(slot.name)[model])

    def _mask_queued(self, slot: str) -> NDArray[np.bool_]:
        if slot not in self._masks:
            self._masks[slot] = performances.find_queued(self.judged, all_slots()[slot])
        return self._masks[slot]

    @cached_property
    def _masks(self) -> dict[str, NDArray[np.bool_]]:
        return {}

    def estimate(self, slot: str, ability: int, model: int) -> Estimate | None:
        """Return the estimate of an ability of a model in a slot; None if it was not measured."""
        row = self.rows.get((slot, model))
        if row is None:
            return None
        mean, sd, card_sd = row.means[ability], row.sds[ability], row.card_sds[ability]
        if mean is None or sd is None or card_sd is None:
            return None
        return Estimate(mean, sd, card_sd, bool(row.abilities[NAMES[ability]]["at_least"]))

    def key(self, slot: str, ability: int, model: int) -> float | None:
        """Return the number by which models are ranked in an ability, the highest first.

        None if the model has no rank.
        """
        found = self.estimate(slot, ability, model)
        return float(order_key(found.mean, found.sd)) if found else None

    def median(self, slot: str, ability: int, model: int) -> float | None:
        """Return the plain median of an ability of a model, with the command queue as usual in the slot.

        If there are no such values, those with the other state of the queue count.
        """
        queued = self.is_queued(all_slots()[slot], model)
        states = [number for number, base in enumerate(_BASE) if base == ability]
        states.sort(key=lambda number: _IS_QUEUED[number] != queued)
        return next((self.medians[state, model] for state in states if (state, model) in self.medians), None)

    def rows_of(self, bench: Bench, model: int) -> Index:
        """Return the numbers of the evidence rows about a model on a bench (one person, host and method)."""
        evidence = self.judged.gathered.evidence
        abilities = np.array(_BASE)[self._abilities]
        own = (evidence.model == model) & (abilities == bench.ability)
        return np.flatnonzero(own & (evidence.person == bench.person) & (evidence.host == bench.host))

    def median_elsewhere(self, bench: Bench, model: int) -> float | None:
        """Return the plain median of a model on all benches except one; None if there are no such values.

        A bench is one person, host and method.
        """
        evidence = self.judged.gathered.evidence
        own = (evidence.model == model) & (np.array(_BASE)[self._abilities] == bench.ability)
        own[self.rows_of(bench, model)] = False
        return float(np.median(evidence.log_value[own])) if own.any() else None

    @cached_property
    def _abilities(self) -> Index:
        return make_catalogue().find_abilities(self.judged.gathered.evidence.method)


def publish(world: World, *, without: str = "", parameters: Parameters = DEFAULTS) -> Published:
    """Learn the crowd from the evidence, perhaps without one source, and estimate all models with it."""
    gathered = world.gathered
    if without:
        gathered = gathered._replace(evidence=world.leave_out(without))
    crowd = learn(
        gathered.evidence, make_catalogue(), hosts=len(gathered.numbers.hosts), parameters=parameters
    )
    estimates = estimate(gathered.evidence, crowd, parameters)
    stored = crowds.make_stored_crowd(crowd, gathered.numbers)
    return Published(world, Judged(gathered, estimates, stored, world.silicons, Findings({}, {}), None))


def list_cells(published: Published) -> list[Cell]:
    """Return the median of each card on each bench (one person, host and method).

    Only values measured with the command queue as usual in their slot are used.
    """
    world, rows = published.world, defaultdict(list)
    evidence = world.gathered.evidence
    columns = (evidence.person, evidence.host, evidence.method, evidence.model, evidence.card)
    for row, key in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        rows[key].append(row)
    cells = (_make_cell(published, numbers) for numbers in rows.values())
    return [cell for cell in cells if cell]


def _make_cell(published: Published, rows: list[int]) -> Cell | None:
    evidence, first = published.world.gathered.evidence, rows[0]
    columns = (evidence.person, evidence.host, evidence.method, evidence.model, evidence.card)
    person, host, method, model, card = (int(column[first]) for column in columns)
    slot, ability = published.world.slot_of(host), make_catalogue().ability_of_method[method]
    base, name = _BASE[ability], make_catalogue().methods[method]
    if base in _HAS_QUEUE and _IS_QUEUED[ability] != published.is_queued(slot, model):
        return None
    log, reach = float(np.median(evidence.log_value[rows])), float(evidence.log_reach[first])
    bench = Bench(published.world.sources[first], person, host, slot.name, base, _name_method(base, name))
    return Cell(bench, model, card, log, log >= reach - DEFAULTS.link_margin)


def _name_method(base: int, name: str) -> str:
    """Return one name for methods with deep queues, because a bench has both kinds of cards.

    Commands wait in the card or in the host, depending on the card.
    """
    is_deep = base in _HAS_QUEUE and FIGURES[name].where.get("queue_depth", 1) != 1
    return f"{NAMES[base]}, queue as shipped" if is_deep else name


def group_benches(cells: Sequence[Cell]) -> dict[Bench, list[Cell]]:
    """Return the cells (medians of cards) of each bench (one person, host and method)."""
    benches = defaultdict(list)
    for cell in cells:
        benches[cell.bench].append(cell)
    return dict(benches)


class Pair(NamedTuple):
    """Two models that were measured on one bench (one person, host and method); the first is faster by `log_ratio`."""

    bench: Bench
    fast: int
    slow: int
    log_ratio: float


def list_pairs(bench: Bench, cells: Sequence[Cell]) -> Iterator[Pair]:
    """Yield the pairs of models on a bench (one person, host and method), the faster model first.

    Pairs where the slower model reaches the rate of the bus are left out.
    """
    values = defaultdict(list)
    for cell in cells:
        values[cell.model].append(cell)
    middle = {model: float(np.median([cell.log for cell in own])) for model, own in values.items()}
    hidden = {model for model, own in values.items() if all(cell.at_least for cell in own)}
    for fast, slow in permutations(middle, 2):
        if middle[fast] > middle[slow] and slow not in hidden:
            yield Pair(bench, fast, slow, middle[fast] - middle[slow])
