"""Looks for every quantity in turn. Whatever ends it, what was found before is kept."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from cardbench.geometry.erase_block import find_erase_block
from cardbench.geometry.estimate import Estimate, Finding, abstained
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


@dataclass(frozen=True, slots=True)
class Quantity:
    """What is looked for, and what that may cost."""

    metric: str
    unit: str
    title: str
    budget: Budget
    find: Callable[[Probe, Findings], Finding]
    needs_writing: bool = False
    needs_beginning: bool = False  # of the card
    weight: int = 24  # of the progress bar: as much as a cell of three repeats


def _value(findings: Findings, metric: str) -> int | None:
    return findings[metric].value if metric in findings else None


def _open_aus(order: str) -> Callable[[Probe, Findings], Finding]:
    def find(probe: Probe, findings: Findings) -> Finding:
        before = findings.get("open_au_linear")
        return find_open_aus(
            probe,
            order,
            erase_block_bytes=_value(findings, "erase_block_size"),
            page_bytes=_value(findings, "page_size"),
            in_order=before.value if before and not before.postponed else None,
        )

    return find


def _fat(probe: Probe, findings: Findings) -> Finding:
    limit = findings.get("open_au_random")
    if limit is None or limit.postponed:
        return abstained("This card puts merges off, so single writes do not tell where they are slow.")
    random_aus = 0 if limit.code == "none_found" else limit.value
    return find_fat(
        probe,
        erase_block_bytes=_value(findings, "erase_block_size"),
        random_aus=random_aus,
        page_bytes=_value(findings, "page_size"),
    )


QUANTITIES = (
    Quantity("erase_block_size", "B", "erase block", Budget(60, 512 * MIB), lambda p, _: find_erase_block(p)),
    Quantity("page_size", "B", "page", Budget(30, 16 * MIB), lambda p, _: find_page(p)),
    Quantity(
        "open_au_linear", "count", "open units, linear", Budget(180, 256 * MIB), _open_aus("sequential"), True
    ),
    Quantity(
        "open_au_random", "count", "open units, random", Budget(180, 256 * MIB), _open_aus("random"), True
    ),
    Quantity("fat_area_size", "B", "FAT area", Budget(90, 32 * MIB), _fat, True, needs_beginning=True),
    Quantity(
        "write_cache_size",
        "B",
        "write cache",
        Budget(600, 3 * MOST_BYTES),
        lambda p, _: find_write_cache(p),
        True,
    ),
)


def table(surface: Surface) -> tuple[Quantity, ...]:
    """What can be looked for on this surface: nothing inside a file system, less without writing."""
    if not surface.shows_boundaries:
        return ()
    return tuple(
        quantity
        for quantity in QUANTITIES
        if (surface.may_write or not quantity.needs_writing)
        and not (surface.stretches and quantity.needs_beginning)
    )


def written_bytes(quantities: Iterable[Quantity]) -> int:
    """What looking for them writes at most."""
    return sum(quantity.budget.written_bytes for quantity in quantities)


def longest_s(quantities: Iterable[Quantity]) -> float:
    """Seconds after which all were found or given up, but for one operation each."""
    return sum(quantity.budget.duration_s for quantity in quantities)


def survey(
    quantities: tuple[Quantity, ...],
    probe: Probe,
    listen: Listener = lambda _number, _quantity: None,
    *,
    earlier: Findings | None = None,
) -> list[Estimate]:
    """One estimate for each quantity; fewer when it was interrupted or the device is gone: the last one says so.

    `earlier`: what is known from an earlier run.
    """
    findings: Findings = dict(earlier or {})
    estimates: list[Estimate] = []
    for number, quantity in enumerate(quantities):
        before = probe.spent
        finding = _find(quantity, probe, findings, partial(listen, number, quantity))
        findings[quantity.metric] = finding
        estimates.append(Estimate(quantity.metric, quantity.unit, finding, probe.spent - before))
        if finding.code in FINAL_CODES:
            break
    return estimates


def _find(quantity: Quantity, probe: Probe, findings: Findings, announce: Callable[[], None]) -> Finding:
    probe.allow(quantity.budget)
    try:
        announce()
        return quantity.find(probe, findings)
    except GivenUp as reason:
        return abstained(str(reason), code=reason.code)
    except EngineError as error:
        return abstained(str(error)[:200], code=error.code)
    except KeyboardInterrupt:
        return abstained("Stopped by the user.", code="interrupted")
