"""Judge whether a measurement is believable. Each gets a verdict with its reason in words; all of them are kept.

Verdicts
    ok          may be ranked; a reason, if there is one, is a remark
    at_least    the host was the limit, so the card may be faster; ranked by this lower bound
    suspicious  kept and shown, not ranked
    impossible  kept and shown, not ranked
    failed      nothing was measured
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from submissions.domain import tables
from submissions.domain.measuring import metrics, units
from submissions.domain.measuring.host_link import Link

_UHS_I = 104e6  # SD Association, bus speed overview: SDR104
_MEMORY = 2  # times the memory of the host: more than any cache holds
_FEWEST_BLOCKS = 4  # erase blocks: less lies in the write cache of the card
_AGREEMENT = 0.03
_WIDE_SPREAD = 0.25  # from which on the Phoronix Test Suite repeats a run
# Verdicts of measurements that are shown faintly and count for nothing.
HELD_OUT = ("impossible", "suspicious", "failed")


@dataclass(frozen=True, slots=True)
class Verdict:
    name: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The facts that the rules of plausibility judge: one measurement with its host and the rest of its run.

    None means not stated. `bytes_per_second`: None for metrics that move no data. `twin_bytes_per_second`: the value of
    the same test in its other unit. `writes_fit`: whether a write of the run is within the rate of the bus. `compared`:
    whether the measurement is a comparable figure.
    """

    link: Link | None = None
    bus: str | None = None
    bytes_per_second: float | None = None
    twin_bytes_per_second: float | None = None
    operations_per_second: float | None = None
    workload: str = "stream"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    compared: bool = False
    spread: float | None = None
    writes_fit: bool = False
    memory_bytes: int | None = None
    erase_block_bytes: int = 4 * metrics.MIB
    throttled: bool = False
    crowded: bool = False

    @property
    def share(self) -> float:
        """Return the throughput of a measurement as a share of the raw rate of the bus.

        It is 0 if either is unknown, so that no rule applies.
        """
        if self.bytes_per_second is None or self.link is None:
            return 0.0
        return self.bytes_per_second / self.link.raw_bytes_per_second

    @property
    def stated_share(self) -> float:
        """Return `share` if the host stated the bus, 0 if the bus is assumed."""
        return self.share if self.link and self.link.is_stated else 0.0

    @property
    def area_bytes(self) -> int | None:
        """Return the bytes of the area that a test touches; None if not stated.

        It is also None for workloads that measure an area itself.
        """
        if self.workload not in ("stream", "mixed"):
            return None
        return self.parameters.get("span_bytes") or self.parameters.get("file_size_bytes")

    def states(self, **parameters: Any) -> bool:
        return self.parameters.items() >= parameters.items()


@dataclass(frozen=True, slots=True)
class PlausibilityRule:
    """A row of data/plausibility.csv.

    `meaning` explains to people why the rule exists; `reason` is the reason of a verdict on one measurement.
    """

    name: str
    verdict: str
    applies: Callable[[Circumstances], bool]
    reason: str
    meaning: str


# Counts are printed as whole numbers, so that few operations per second agree less exactly.
def _contradicts_its_twin(facts: Circumstances) -> bool:
    twin, rate = facts.twin_bytes_per_second, facts.bytes_per_second
    if not twin or not rate:
        return False
    rounding = 1 / facts.operations_per_second if facts.operations_per_second else 0.0
    return abs(rate / twin - 1) > max(_AGREEMENT, rounding)


def _fits_into_memory(facts: Circumstances) -> bool:
    if not facts.area_bytes or not facts.memory_bytes or not facts.states(io="buffered"):
        return False
    is_synced = facts.parameters.get("sync") not in (None, "none")
    return facts.area_bytes < _MEMORY * facts.memory_bytes and not is_synced


def _beats_the_standard(facts: Circumstances) -> bool:
    mode_allows = facts.link is not None and facts.link.is_stated
    return facts.bus == "SD" and not mode_allows and (facts.bytes_per_second or 0) > _UHS_I


# When a rule of data/plausibility.csv applies. Of shares of the raw link rate 1.02 and 0.97 allow for clock tolerance.
_APPLIES: Mapping[str, Callable[[Circumstances], bool]] = {
    "said_to_be_cached": lambda e: e.states(io="cached"),
    "page_cache": lambda e: (
        e.share > 1.02 and (e.states(io="buffered") or (e.states(direction="read") and e.writes_fit))
    ),
    "over_link": lambda e: e.share > 1.02,
    "close_to_raw_link": lambda e: e.stated_share > 0.97,
    "single_blocks_near_link": lambda e: (
        e.states(queue_depth=1, block_size_bytes=4096) and e.stated_share > 0.6
    ),
    "units_disagree": _contradicts_its_twin,
    "fits_into_memory": _fits_into_memory,
    "small_area": lambda e: 0 < (e.area_bytes or 0) < _FEWEST_BLOCKS * e.erase_block_bytes,
    "zeros_written": lambda e: e.states(data="zeros", direction="write"),
    "at_link": lambda e: e.link is not None and e.stated_share > e.link.limiting_share,
    "throttled_host": lambda e: e.throttled and e.bytes_per_second is not None,
    "crowded_host": lambda e: e.crowded and e.bytes_per_second is not None,
    "beyond_the_standard": _beats_the_standard,
    "depth_gives_nothing": lambda e: (
        (e.parameters.get("queue_depth") or 1) > 1 and e.states(command_queue=False)
    ),
    "repeats_differ": lambda e: e.compared and (e.spread or 0) > _WIDE_SPREAD,
    "constant_data": lambda e: e.compared and e.states(data="constant"),
}
# First match wins.
RULES = tuple(
    PlausibilityRule(row["name"], row["verdict"], _APPLIES[row["name"]], row["reason"], row["meaning"])
    for row in tables.rows("plausibility")
)


def judge(facts: Circumstances) -> Verdict:
    """Return the verdict on a measurement by the first rule of plausibility that applies, or "ok" without a remark."""
    for rule in RULES:
        if rule.applies(facts):
            return Verdict(rule.verdict, rule.reason.format_map(_words(facts)))
    return Verdict("ok")


def _rate(bytes_per_second: float | None) -> str:
    return metrics.amount_in_words(bytes_per_second or 0.0, units.RATE)


def _words(facts: Circumstances) -> dict[str, str]:
    return {
        "rate": _rate(facts.bytes_per_second),
        "link": _rate(facts.link.raw_bytes_per_second if facts.link else None),
        "twin": _rate(facts.twin_bytes_per_second),
        "uhs_i": _rate(_UHS_I),
        "area": metrics.size_in_words(facts.area_bytes or 0),
        "memory": metrics.size_in_words(facts.memory_bytes or 0),
        "spread": f"{100 * (facts.spread or 0):.0f} %",
        "depth": str(facts.parameters.get("queue_depth")),
    }
