"""Measure how often the estimated geometry is right, and its cost, on simulated cards not used to tune any rule.

Prints right, abstained and wrong for each quantity, seconds of the cards' clocks and MiB written, in every setting:
cards like published ones, and cards of other kinds, each with twice the noise; reading only; with stalls of a busy
host; and how many of the answers that claim 98 % or more are wrong. Then flashbench's documented procedure on the same
cards. Cards are simulated, so these rates are upper bounds. SEED=N chooses other cards, CARDS=N their number,
SETTINGS=TEXT the settings with this text in their title.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from statistics import median

from cardbench import ftl, geometry
from cardbench.sizes import MIB
from cardbench.target.surface import Surface

from tests.bench.flashbench import Flashbench
from tests.bench.odd_cards import draw_field, draw_logging, draw_odd, noisier, stalling
from tests.client.odd_ftl import OddEngine, with_oddities

CARDS = int(os.environ.get("CARDS", "200"))
FIRST_SEED = int(os.environ.get("SEED", "1000000"))  # rules were made with seeds below a million
SHARED = ("erase_block_size", "page_size", "open_au_linear", "open_au_random")
CORE = (*SHARED, "fat_area_size")
_KNOWN = ("", "none_found", "no_limit_found")
_SMALLEST_GAIN, _CLEAR_GAIN = 1.1, 1.2  # of a cache that may be found, and of one that must
_CACHE_TOLERANCE = 0.12
_SURE = 0.98
_MOST_WRITTEN_BYTES = 1800 * MIB  # in one go; on the smallest cards


@dataclass(frozen=True, slots=True)
class Setting:
    """A kind of simulated cards, and the operations that are allowed on them."""

    title: str
    draw: Callable[[int], ftl.FlashModel]
    may_write: bool = True
    has_cache: bool = False  # whether the write cache is measured, too, which takes longest

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the metrics of the geometry that are measured in this setting."""
        written = (*CORE[2:], "write_cache_size") if self.has_cache else CORE[2:]
        return CORE[:2] + (written if self.may_write else ())


def _stalling(share: float, seed: int) -> ftl.FlashModel:
    return stalling(draw_field(seed), share)


SETTINGS = (
    Setting("cards as published", ftl.draw, has_cache=True),
    Setting("cards as published, twice the noise", lambda seed: noisier(ftl.draw(seed), 2.0), has_cache=True),
    Setting("cards further out than any published", draw_odd, has_cache=True),
    Setting("cards of other kinds", draw_field, has_cache=True),
    Setting("other kinds, twice the noise", lambda seed: noisier(draw_field(seed), 2.0), has_cache=True),
    Setting("cards that put their merges off", draw_logging),
    Setting("other kinds, reading only", draw_field, may_write=False),
    Setting(
        "other kinds, reading only, twice the noise",
        lambda seed: noisier(draw_field(seed), 2.0),
        may_write=False,
    ),
    *(
        Setting(f"other kinds, {share:.0%} stalls of 2 ms", partial(_stalling, share), may_write=may_write)
        for share in (0.02, 0.06, 0.1, 0.2)
        for may_write in (True,)
    ),
    Setting("other kinds, reading only, 10% stalls of 2 ms", partial(_stalling, 0.1), may_write=False),
)


@dataclass(frozen=True, slots=True)
class Trial:
    """The results for one card: metric -> right, wrong or abstained; its confidence.

    Seconds and MiB by metric, or in all.
    """

    verdicts: dict[str, str]
    seconds: dict[str, float]
    mib: dict[str, float]
    confidence: dict[str, float]
    shown: frozenset[str] = frozenset()  # metrics of boundaries that reads of this card show at all

    def total(self, costs: str, metrics: Iterable[str]) -> float:
        """Return the sum of `seconds` or `mib` over some metrics."""
        return sum(getattr(self, costs)[metric] for metric in metrics)


def main() -> None:
    """Print the tables of right, abstained and wrong answers for all settings."""
    seeds = range(FIRST_SEED, FIRST_SEED + CARDS)
    wanted = os.environ.get("SETTINGS", "")
    print(f"{CARDS} simulated cards, seeds from {FIRST_SEED:,}")
    claims: dict[str, Counter[str]] = {}
    with ProcessPoolExecutor() as pool:
        for number, setting in enumerate(SETTINGS):
            if wanted in setting.title:
                begin = time.monotonic()
                trials = list(pool.map(partial(survey, number), seeds, chunksize=5))
                _print_table(f"{setting.title} ({time.monotonic() - begin:.0f} s)", trials, setting.metrics)
                if not setting.may_write:
                    _print_shown(trials, setting.metrics)
                _print_costs(trials, setting.metrics)
                claims[setting.title] = _count_claims(trials)
        _print_claims(claims)
        if not wanted:
            ours = list(pool.map(partial(survey, 0), seeds, chunksize=5))
            theirs = list(pool.map(flashbench, seeds, chunksize=10))
            _print_table("flashbench's procedure with an automatic reader", theirs, SHARED)
            _print_ratios(ours, theirs)


def survey(number: int, seed: int) -> Trial:
    """Estimate the geometry of one card in one setting, with every operation that the setting allows."""
    setting = SETTINGS[number]
    model = setting.draw(seed)
    engine = OddEngine(seed, model=model)
    opened = engine.open("/simulated", write=setting.may_write)
    surface = Surface(opened.size_bytes, opened.logical_block_bytes, setting.may_write, shows_boundaries=True)
    quantities = tuple(quantity for quantity in geometry.table(surface) if quantity.metric in setting.metrics)
    estimates = geometry.survey(quantities, geometry.Probe(engine, surface, seed=seed + 1))
    return Trial(
        {
            estimate.metric: verdict(estimate.metric, estimate.value, estimate.code, model)
            for estimate in estimates
        },
        {estimate.metric: estimate.spent.duration_ns / 1e9 for estimate in estimates},
        {estimate.metric: estimate.spent.written_bytes / MIB for estimate in estimates},
        {estimate.metric: estimate.finding.confidence for estimate in estimates},
        find_shown(model),
    )


def find_shown(model: ftl.FlashModel) -> frozenset[str]:
    """Return which of erase block and page size this card shows by slower reads across their boundaries."""
    inner_ns = with_oddities(model).inner_step_ns
    pages_ns = inner_ns if model.page_step_bytes > model.page_bytes else model.page_step_ns
    steps_ns = {"erase_block_size": model.erase_block_step_ns, "page_size": pages_ns}
    return frozenset(metric for metric, step_ns in steps_ns.items() if step_ns > 0)


def flashbench(seed: int) -> Trial:
    """Run flashbench's procedure on the same card. Its costs cannot be separated by metric."""
    model = ftl.draw(seed)
    engine = OddEngine(seed, model=model)
    engine.open("/simulated", write=True)
    bench = Flashbench(engine)
    verdicts = {metric: verdict(metric, value or None, "", model) for metric, value in bench.run().items()}
    return Trial(verdicts, {"all": bench.duration_ns / 1e9}, {"all": bench.written_bytes / MIB}, {})


def truth(model: ftl.FlashModel) -> dict[str, int | None]:
    """Return the true value of each metric of a card; None if the card has no such part, or no limit."""
    return {
        "erase_block_size": model.erase_block_bytes,
        "page_size": model.page_bytes,
        "open_au_linear": model.open_aus_linear or None,
        "open_au_random": model.open_aus_random or None,
        "fat_area_size": model.fat_aus * model.erase_block_bytes or None,
    }


def verdict(metric: str, value: int | None, code: str, model: ftl.FlashModel) -> str:
    """Return whether an estimate is right: "right", "wrong" or "abstained"."""
    if code not in _KNOWN:
        return "abstained"
    is_cache = metric == "write_cache_size"
    is_right = _is_right_cache(value, model) if is_cache else value == truth(model)[metric]
    return "right" if is_right else "wrong"


def _is_right_cache(value: int | None, model: ftl.FlashModel) -> bool:
    """Return whether an estimated cache size is right.

    None is right, too, if the cache gains little or is larger than all written bytes.
    """
    if value is None:
        return _gain(model) < _CLEAR_GAIN or model.write_cache_bytes > _MOST_WRITTEN_BYTES
    return _gain(model) >= _SMALLEST_GAIN and abs(value / model.write_cache_bytes - 1) <= _CACHE_TOLERANCE


def _gain(model: ftl.FlashModel) -> float:
    """Return the ratio of the times of writing 1 MiB after and within the cache; 1 if the card has no cache."""
    if not model.write_cache_bytes:
        return 1.0
    bus_ns, slow_ns = MIB / model.bus_bytes_per_s * 1e9, MIB / model.program_bytes_per_s * 1e9
    fast_ns = max(slow_ns / model.write_cache_gain, bus_ns)
    return (model.write_command_ns + slow_ns) / (model.write_command_ns + fast_ns)


def _print_table(title: str, trials: Sequence[Trial], metrics: Sequence[str]) -> None:
    print(f"\n{title}\n{'':<20}{'right':>9}{'abstained':>11}{'wrong':>9}")
    for metric in metrics:
        counts = Counter(trial.verdicts[metric] for trial in trials)
        shares = {name: f"{counts[name] / len(trials):.1%}" for name in ("right", "abstained", "wrong")}
        print(f"{metric:<20}{shares['right']:>9}{shares['abstained']:>11}{shares['wrong']:>9}")


def _print_shown(trials: Sequence[Trial], metrics: Sequence[str]) -> None:
    """Print the share of right answers among the cards with a visible quantity; on others only abstention is right."""
    for metric in metrics:
        visible = [trial for trial in trials if metric in trial.shown]
        right = sum(trial.verdicts[metric] == "right" for trial in visible)
        print(f"{metric:<20}{right / max(1, len(visible)):>9.1%} of the {len(visible)} whose reads show it")


def _print_costs(trials: Sequence[Trial], metrics: Sequence[str]) -> None:
    print(f"{'':<20}{'s, median':>12}{'s, p90':>10}{'MiB, median':>14}{'MiB, p90':>11}")
    core = tuple(metric for metric in metrics if metric in SHARED)
    groups = {metric: (metric,) for metric in metrics} | {"the first four": core}
    for name, group in groups.items():
        seconds, mib = (sorted(trial.total(costs, group) for trial in trials) for costs in ("seconds", "mib"))
        ninth = len(trials) * 9 // 10
        print(
            f"{name:<20}{median(seconds):>12.1f}{seconds[ninth]:>10.1f}{median(mib):>14.1f}{mib[ninth]:>11.1f}"
        )


def _count_claims(trials: Iterable[Trial]) -> Counter[str]:
    claims = Counter[str]()
    for trial in trials:
        for metric, verdict in trial.verdicts.items():
            if verdict != "abstained" and trial.confidence[metric] >= _SURE:
                claims.update({metric: 1, f"{metric} wrong": int(verdict == "wrong")})
    return claims


def _print_claims(claims: dict[str, Counter[str]]) -> None:
    print(f"\nwrong of all that claim {_SURE:.0%} or more")
    metrics = (*CORE, "write_cache_size")
    print(f"{'':<46}" + "".join(f"{metric.removesuffix('_size')[:14]:>16}" for metric in metrics))
    for title, counts in claims.items():
        cells = (f"{counts[f'{metric} wrong']}/{counts[metric]}" for metric in metrics)
        print(f"{title:<46}" + "".join(f"{cell:>16}" for cell in cells))


def _print_ratios(ours: Sequence[Trial], theirs: Sequence[Trial]) -> None:
    for costs, unit in (("seconds", "s"), ("mib", "MiB")):
        own = [trial.total(costs, SHARED) for trial in ours]
        other = [trial.total(costs, ("all",)) for trial in theirs]
        ratio = median(there / max(here, 1e-3) for here, there in zip(own, other, strict=True))
        print(
            f"{unit} for the four: flashbench {median(other):,.0f}, cardbench {median(own):,.1f} in the median; "
            f"flashbench takes {ratio:.1f} times as much in the median card"
        )


if __name__ == "__main__":
    main()
