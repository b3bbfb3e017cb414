"""Is a measurement believable? A verdict with its reason in words; nothing is thrown away.

Verdicts
    ok          may be ranked
    at_least    at the limit of the host's link: the card may be faster. Ranked by its lower bound
    suspicious  kept and shown, not ranked
    impossible  kept and shown, not ranked
"""

from collections.abc import Callable
from dataclasses import dataclass

from submissions.domain import metrics, tables, units
from submissions.domain.report import Host

# No link known, a card reader say: no SD card is faster than UHS-II in half duplex (SD Association, bus speed
# overview), no eMMC than HS400 (data/bus_modes.csv), and whatever it is, no drive than 10 Gbit/s (USB 3.2 Gen 2).
_FASTEST = {"SD": 312e6, "MMC": 400e6}
_FASTEST_DRIVE = 1250e6


@dataclass(frozen=True, slots=True)
class Verdict:
    name: str
    reason: str = ""

    @property
    def rankable(self) -> bool:
        return self.name in ("ok", "at_least")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rules look at. `bytes_per_second` is None for metrics that move no data."""

    bytes_per_second: float | None
    queue_depth: int | None
    block_size_bytes: int | None
    buffered: bool
    link_bytes_per_second: float | None
    link_known: bool


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    verdict: str
    applies: Callable[[Evidence], bool]
    reason: str


def _share(evidence: Evidence) -> float:
    """Throughput as a share of the raw link rate; 0 when either is unknown, so that no rule applies."""
    if evidence.bytes_per_second is None or not evidence.link_bytes_per_second:
        return 0.0
    return evidence.bytes_per_second / evidence.link_bytes_per_second


# First match wins. Shares of the raw link rate: 1.02 and 0.97 allow for clock tolerance; 0.85 is what good
# hosts reach in practice (43-45 of 50 MB/s on a Raspberry Pi 4, about 90 of 104 on a Raspberry Pi 5).
RULES = (
    Rule(
        "page_cache",
        "impossible",
        lambda e: _share(e) > 1.02 and e.buffered,
        "{rate} is more than the link can carry ({link}), and it went through the page cache:"
        " run again with direct I/O",
    ),
    Rule(
        "over_link",
        "impossible",
        lambda e: _share(e) > 1.02,
        "{rate} is more than the link can carry ({link}): page cache, wrong unit or wrong bus mode",
    ),
    Rule(
        "close_to_raw_link",
        "suspicious",
        lambda e: e.link_known and _share(e) > 0.97,
        "{rate} leaves no room for commands on a link of {link}",
    ),
    Rule(
        "single_blocks_near_link",
        "suspicious",
        lambda e: (
            e.link_known and e.queue_depth == 1 and (e.block_size_bytes or 0) == 4096 and _share(e) > 0.6
        ),
        "{rate} in 4 KiB blocks one at a time is unlikely on a link of {link}",
    ),
    Rule(
        "at_link",
        "at_least",
        lambda e: e.link_known and _share(e) > 0.85,
        "the link carries {link}, so the card may be faster",
    ),
)


def judge(evidence: Evidence) -> Verdict:
    """The first rule that applies, or ok."""
    for rule in RULES:
        if rule.applies(evidence):
            return Verdict(rule.verdict, rule.reason.format(**_words(evidence)))
    return Verdict("ok")


def link_rate(host: Host, bus: str | None) -> tuple[float, bool]:
    """Raw bytes per second of the host's link, and whether they are known rather than assumed."""
    mode = host.bus_mode
    if mode.clock_hz and mode.width_bits:
        double = 2 if _is_double_rate(mode.name) else 1
        return mode.clock_hz * mode.width_bits / 8 * double, True
    named = _rate_of(mode.name)
    return (named, True) if named else (_FASTEST.get(bus or "", _FASTEST_DRIVE), False)


def _is_double_rate(name: str) -> bool:
    return "DDR" in name.upper() or "HS400" in name.upper()


def _rate_of(name: str) -> float | None:
    rates = {row["name"].casefold(): float(row["raw_bytes_per_second"]) for row in tables.rows("bus_modes")}
    return rates.get(name.casefold())


def _words(evidence: Evidence) -> dict[str, str]:
    rates = {"rate": evidence.bytes_per_second, "link": evidence.link_bytes_per_second}
    return {name: metrics.in_words(rate, units.RATE) for name, rate in rates.items() if rate is not None}
