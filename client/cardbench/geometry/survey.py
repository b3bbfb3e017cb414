"""Search for every quantity of a card's geometry in turn. Findings are kept even if a later search fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from cardbench.geometry.erase_block import find_erase_block
from cardbench.geometry.estimate import Estimate, Finding, abstain, limit_certainty
from cardbench.geometry.fat import find_fat
from cardbench.geometry.open_au import find_open_aus
from cardbench.geometry.page import find_page
from cardbench.geometry.probe import Budget, GivenUp, Probe
from cardbench.geometry.write_cache import MOST_BYTES, find_write_cache
from cardbench.sizes import MIB
from cardbench.target.engine import FINAL_CODES, EngineError
from cardbench.target.surface import Surface

Findings = dict[str, Finding]
Listener = Callable[[int, "Quantity"], None]
Keeper = Callable[[tuple[Estimate, ...]], None]


@dataclass(frozen=True)
class Quantity:
    """A quantity of the geometry: its name, unit and title, the search for it, and the cost of the search."""

    metric: str
    unit: str
    title: str
    budget: Budget
    find: Callable[[Probe, Findings], Finding]
    usual: Budget  # median cost on many simulated cards
    needs_writing: bool = False
    needs_beginning: bool = False  # the search reads or writes the beginning of the card
    weight: int = 24  # share in the progress bar; 24 is that of a measurement of three repeats


def _value(findings: Findings, metric: str) -> int | None:
    return findings[metric].value if metric in findings else None


def _open_aus(order: str, probe: Probe, findings: Findings) -> Finding:
    return find_open_aus(
        probe,
        order,
        erase_block_bytes=_value(findings, "erase_block_size"),
        page_bytes=_value(findings, "page_size"),
        before=findings.get("open_au_linear"),
    )


def _fat(probe: Probe, findings: Findings) -> Finding:
    limit = findings.get("open_au_random")
    if limit is None or limit.postponed:
        return abstain("This card postpones merges, so single writes do not show where the card is slow.")
    random_aus = 0 if limit.code == "none_found" else limit.value
    return find_fat(
        probe,
        erase_block_bytes=_value(findings, "erase_block_size"),
        random_aus=random_aus,
        page_bytes=_value(findings, "page_size"),
    )


QUANTITIES = (
    Quantity(
        "erase_block_size",
        "B",
        "erase block",
        Budget(120, 512 * MIB),
        lambda p, _: find_erase_block(p),
        Budget(1),
    ),
    Quantity("page_size", "B", "page", Budget(30, 16 * MIB), lambda p, _: find_page(p), Budget(1, MIB // 2)),
    Quantity(
        "open_au_linear",
        "count",
        "open units, linear",
        Budget(120, 240 * MIB),
        partial(_open_aus, "sequential"),
        Budget(4, 6 * MIB),
        True,
    ),
    Quantity(
        "open_au_random",
        "count",
        "open units, random",
        Budget(120, 240 * MIB),
        partial(_open_aus, "random"),
        Budget(2, 2 * MIB),
        True,
    ),
    Quantity(
        "fat_area_size",
        "B",
        "FAT area",
        Budget(90, 32 * MIB),
        _fat,
        Budget(2, MIB),
        True,
        needs_beginning=True,
    ),
    Quantity(
        "write_cache_size",
        "B",
        "write cache",
        Budget(600, 3 * MOST_BYTES),
        lambda p, _: find_write_cache(p),
        Budget(130, 2048 * MIB),
        True,
    ),
)


def table(surface: Surface) -> tuple[Quantity, ...]:
    """Return the quantities that can be searched for here.

    There are none inside a file system, and fewer where writing is not allowed.
    """
    if not surface.shows_boundaries:
        return ()
    return tuple(
        quantity
        for quantity in QUANTITIES
        if (surface.may_write or not quantity.needs_writing)
        and not (surface.stretches and quantity.needs_beginning)
    )


def written_bytes(quantities: Iterable[Quantity]) -> int:
    """Return the most bytes that the searches for these quantities may write."""
    return sum(quantity.budget.written_bytes for quantity in quantities)


def usual(quantities: Iterable[Quantity], size_bytes: int) -> Budget:
    """Return the usual cost of the searches for these quantities; less if only `size_bytes` bytes are within reach."""
    shares = [
        (quantity.usual, min(1.0, size_bytes / 4 / max(1, quantity.usual.written_bytes)))
        for quantity in quantities
    ]
    return Budget(
        sum(budget.duration_s * share for budget, share in shares),
        round(sum(budget.written_bytes * share for budget, share in shares)),
    )


def survey(
    quantities: tuple[Quantity, ...],
    probe: Probe,
    listen: Listener = lambda _number, _quantity: None,
    *,
    earlier: Findings | None = None,
    keep: Keeper = lambda _so_far: None,
) -> list[Estimate]:
    """Return an estimate for each quantity of a card's geometry.

    If the survey is interrupted or the device is gone, there are fewer, and the last estimate says so. `earlier`: the
    findings of an earlier run. `keep` is called after each estimate, with all estimates so far.
    """
    findings: Findings = dict(earlier or {})
    estimates: list[Estimate] = []
    for number, quantity in enumerate(quantities):
        before = probe.spent
        finding = _find(quantity, probe, findings, partial(listen, number, quantity))
        findings[quantity.metric] = finding
        estimates.append(Estimate(quantity.metric, quantity.unit, finding, probe.spent - before))
        keep(tuple(estimates))
        if finding.code in FINAL_CODES:
            break
    return estimates


# (share of stalled reads, load per CPU, largest log odds that a finding then has), from simulated cards:
# `make bench-client` prints how often a finding is wrong at each level of noise.
_RESTLESS = ((0.12, 2.0, 2.6), (0.04, 0.5, 3.2))


def limit_by_noise(finding: Finding, probe: Probe) -> Finding:
    """Return the finding, with lower log odds if reads stalled or the host was busy."""
    for stalls, load, log_odds in _RESTLESS:
        if probe.stalls >= stalls:
            return limit_certainty(
                finding, log_odds, f"{probe.stalls:.0%} of the reads had to wait for something else."
            )
        if probe.load > load:
            return limit_certainty(
                finding, log_odds, f"The host was busy: {probe.load:.1f} tasks per processor."
            )
    return finding


def _find(quantity: Quantity, probe: Probe, findings: Findings, announce: Callable[[], None]) -> Finding:
    probe.allow(quantity.budget)
    try:
        announce()
        return limit_by_noise(quantity.find(probe, findings), probe)
    except GivenUp as reason:
        return abstain(str(reason), code=reason.code)
    except EngineError as error:
        return abstain(str(error)[:200], code=error.code)
    except KeyboardInterrupt:
        return abstain("Stopped by the user.", code="interrupted")
