"""How often the geometry is right, and what it costs: on simulated cards that no rule was made from.

Prints right, wrong and abstained for each quantity, seconds of the cards' clocks and MiB written; the same with twice
the noise, and on cards further out than any published table; and flashbench's documented procedure on the same cards.
Cards are simulated, so this is an upper bound. SEED=N takes others.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import median

from cardbench import ftl, geometry
from cardbench.sizes import MIB
from cardbench.target.simulated import SimulatedEngine
from cardbench.target.surface import Surface

from tests.bench.flashbench import Flashbench
from tests.bench.odd_cards import draw_odd, noisier

CARDS = 200
FIRST_SEED = int(os.environ.get("SEED", "1000000"))  # rules were made with seeds below a million
SHARED = ("erase_block_size", "page_size", "open_au_linear", "open_au_random")
CORE = (*SHARED, "fat_area_size")
_KNOWN = ("", "none_found", "no_limit_found")
_SMALLEST_GAIN, _CLEAR_GAIN = 1.1, 1.2  # of a cache that may be found, and of one that must
_CACHE_TOLERANCE = 0.12
_MOST_WRITTEN_BYTES = 1800 * MIB  # in one go; on the smallest cards


@dataclass(frozen=True, slots=True)
class Trial:
    """One card: metric -> right, wrong or abstained; seconds and MiB by metric, or in all."""

    verdicts: dict[str, str]
    seconds: dict[str, float]
    mib: dict[str, float]

    def total(self, costs: str, metrics: Iterable[str]) -> float:
        """Sum of `seconds` or `mib` over some metrics."""
        return sum(getattr(self, costs)[metric] for metric in metrics)


def main() -> None:
    """Prints the tables."""
    seeds = range(FIRST_SEED, FIRST_SEED + CARDS)
    begin = time.monotonic()
    with ProcessPoolExecutor() as pool:
        usual = list(pool.map(survey, seeds, chunksize=10))
        noisy = list(pool.map(survey_with_noise, seeds, chunksize=10))
        wide = list(pool.map(survey_of_any, seeds, chunksize=10))
        theirs = list(pool.map(flashbench, seeds, chunksize=10))
    print(
        f"{CARDS} simulated cards, seeds from {FIRST_SEED:,}; {time.monotonic() - begin:.0f} s of real time"
    )
    _print_table("cardbench", usual, (*CORE, "write_cache_size"))
    _print_costs(usual, (*CORE, "write_cache_size"))
    _print_table("cardbench, twice the noise", noisy, (*CORE, "write_cache_size"))
    _print_costs(noisy, (*CORE, "write_cache_size"))
    _print_table("cardbench, cards further out than any published", wide, (*CORE, "write_cache_size"))
    _print_table("flashbench's procedure with an automatic reader", theirs, SHARED)
    _print_ratios(usual, theirs)


def survey(seed: int) -> Trial:
    """One card like those on the market."""
    return _survey(seed, ftl.draw(seed))


def survey_with_noise(seed: int) -> Trial:
    """The same with twice the noise and twice as many stalls."""
    return _survey(seed, noisier(ftl.draw(seed), 2.0))


def survey_of_any(seed: int) -> Trial:
    """Any card, however odd."""
    return _survey(seed, draw_odd(seed))


def _survey(seed: int, model: ftl.FlashModel) -> Trial:
    """The geometry of one card, everything allowed."""
    engine = SimulatedEngine(seed, model=model)
    opened = engine.open("/simulated", write=True)
    surface = Surface(opened.size_bytes, opened.logical_block_bytes, may_write=True, shows_boundaries=True)
    estimates = geometry.survey(geometry.table(surface), geometry.Probe(engine, surface, seed=seed + 1))
    return Trial(
        {
            estimate.metric: verdict(estimate.metric, estimate.value, estimate.code, model)
            for estimate in estimates
        },
        {estimate.metric: estimate.spent.duration_ns / 1e9 for estimate in estimates},
        {estimate.metric: estimate.spent.written_bytes / MIB for estimate in estimates},
    )


def flashbench(seed: int) -> Trial:
    """flashbench on the same card. Its costs cannot be told apart by metric."""
    model = ftl.draw(seed)
    engine = SimulatedEngine(seed, model=model)
    engine.open("/simulated", write=True)
    bench = Flashbench(engine)
    verdicts = {metric: verdict(metric, value or None, "", model) for metric, value in bench.run().items()}
    return Trial(verdicts, {"all": bench.duration_ns / 1e9}, {"all": bench.written_bytes / MIB})


def truth(model: ftl.FlashModel) -> dict[str, int | None]:
    """What an estimate should say; None where there is none, or no limit."""
    return {
        "erase_block_size": model.erase_block_bytes,
        "page_size": model.page_bytes,
        "open_au_linear": model.open_aus_linear or None,
        "open_au_random": model.open_aus_random or None,
        "fat_area_size": model.fat_aus * model.erase_block_bytes or None,
    }


def verdict(metric: str, value: int | None, code: str, model: ftl.FlashModel) -> str:
    """right, wrong or abstained."""
    if code not in _KNOWN:
        return "abstained"
    is_cache = metric == "write_cache_size"
    is_right = _is_right_cache(value, model) if is_cache else value == truth(model)[metric]
    return "right" if is_right else "wrong"


def _is_right_cache(value: int | None, model: ftl.FlashModel) -> bool:
    """A cache that gains little, or is larger than all that is written, may be found or not."""
    if value is None:
        return _gain(model) < _CLEAR_GAIN or model.write_cache_bytes > _MOST_WRITTEN_BYTES
    return _gain(model) >= _SMALLEST_GAIN and abs(value / model.write_cache_bytes - 1) <= _CACHE_TOLERANCE


def _gain(model: ftl.FlashModel) -> float:
    """How much longer 1 MiB takes after the cache; 1 without one."""
    if not model.write_cache_bytes:
        return 1.0
    bus_ns, slow_ns = MIB / model.bus_bytes_per_s * 1e9, MIB / model.program_bytes_per_s * 1e9
    fast_ns = max(slow_ns / model.write_cache_gain, bus_ns)
    return (model.write_command_ns + slow_ns) / (model.write_command_ns + fast_ns)


def _print_table(title: str, trials: Sequence[Trial], metrics: Sequence[str]) -> None:
    print(f"\n{title}\n{'':<20}{'right':>9}{'wrong':>9}{'abstained':>11}")
    for metric in metrics:
        counts = Counter(trial.verdicts[metric] for trial in trials)
        shares = {name: f"{counts[name] / len(trials):.1%}" for name in ("right", "wrong", "abstained")}
        print(f"{metric:<20}{shares['right']:>9}{shares['wrong']:>9}{shares['abstained']:>11}")


def _print_costs(trials: Sequence[Trial], metrics: Sequence[str]) -> None:
    print(f"{'':<20}{'s, median':>12}{'s, p90':>10}{'MiB, median':>14}{'MiB, p90':>11}")
    groups = {metric: (metric,) for metric in metrics} | {"all but write cache": CORE}
    for name, group in groups.items():
        seconds, mib = (sorted(trial.total(costs, group) for trial in trials) for costs in ("seconds", "mib"))
        ninth = len(trials) * 9 // 10
        print(
            f"{name:<20}{median(seconds):>12.1f}{seconds[ninth]:>10.1f}{median(mib):>14.1f}{mib[ninth]:>11.1f}"
        )


def _print_ratios(ours: Sequence[Trial], theirs: Sequence[Trial]) -> None:
    """flashbench against cardbench, card by card, for the four quantities that both look for."""
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
