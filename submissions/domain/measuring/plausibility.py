"""Is a measurement believable? A verdict with its reason in words; nothing is thrown away.

Verdicts
    ok          may be ranked; a reason, if there is one, is a remark
    at_least    the host held the card back, which may be faster. Ranked by its lower bound
    suspicious  kept and shown, not ranked
    impossible  kept and shown, not ranked
    failed      nothing was measured
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from submissions.domain.measuring import metrics, units
from submissions.domain.measuring.host_link import Link

_UHS_I: Final = 104e6  # SD Association, bus speed overview: SDR104
_MEMORY: Final = 2  # times the memory of the host: what no cache holds
_FEWEST_BLOCKS: Final = 4  # erase blocks: less lies in the write cache of the card
_AGREEMENT: Final = 0.03
_WIDE_SPREAD: Final = 0.25  # the Phoronix Test Suite repeats a run from there on
# Verdicts of what is shown faintly and counts for nothing.
HELD_OUT: Final = ("impossible", "suspicious", "failed")


@dataclass(frozen=True, slots=True)
class Verdict:
    name: str
    reason: str = ""

    @property
    def rankable(self) -> bool:
        return self.name in ("ok", "at_least")


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What rules look at: one measurement with its host and the rest of its run. None: not stated.

    `bytes_per_second`: None for metrics that move no data. `twin_bytes_per_second`: the same test in its other
    unit. `writes_fit`: some write of the run is within the link. `compared`: it is a figure.
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
        """Throughput as a share of the raw link rate; 0 when either is unknown, so that no rule applies."""
        if self.bytes_per_second is None or self.link is None:
            return 0.0
        return self.bytes_per_second / self.link.raw_bytes_per_second

    @property
    def stated_share(self) -> float:
        """`share` where the host stated its link, 0 where the link is assumed."""
        return self.share if self.link and self.link.is_stated else 0.0

    @property
    def area_bytes(self) -> int | None:
        """The area that the test touches; None where not stated, and for workloads whose area is their subject."""
        if self.workload not in ("stream", "mixed"):
            return None
        area: int | None = self.parameters.get("span_bytes") or self.parameters.get("file_size_bytes")
        return area

    def states(self, **parameters: Any) -> bool:
        return all(self.parameters.get(name) == value for name, value in parameters.items())


@dataclass(frozen=True, slots=True)
class PlausibilityRule:
    """`meaning`: what it guards against, for people who wonder why. `reason` is about one measurement."""

    name: str
    verdict: str
    applies: Callable[[Circumstances], bool]
    reason: str
    meaning: str


def _through_a_cache(facts: Circumstances) -> bool:
    read_beyond = facts.states(direction="read") and facts.writes_fit
    return facts.share > 1.02 and (facts.states(io="buffered") or read_beyond)


def _is_one_block_at_a_time(facts: Circumstances) -> bool:
    return facts.states(queue_depth=1, block_size_bytes=4096)


def _contradicts_its_twin(facts: Circumstances) -> bool:
    """Counts are printed whole, so that few operations per second agree less exactly."""
    twin, rate = facts.twin_bytes_per_second, facts.bytes_per_second
    if not twin or not rate:
        return False
    rounding = 1 / facts.operations_per_second if facts.operations_per_second else 0.0
    return abs(rate / twin - 1) > max(_AGREEMENT, rounding)


def _fits_into_memory(facts: Circumstances) -> bool:
    if not facts.area_bytes or not facts.memory_bytes or not facts.states(io="buffered"):
        return False
    return facts.area_bytes < _MEMORY * facts.memory_bytes and not _is_synced(facts)


def _is_synced(facts: Circumstances) -> bool:
    return facts.parameters.get("sync") not in (None, "none")


def _is_small(facts: Circumstances) -> bool:
    return bool(facts.area_bytes) and (facts.area_bytes or 0) < _FEWEST_BLOCKS * facts.erase_block_bytes


def _beats_the_standard(facts: Circumstances) -> bool:
    mode_allows = facts.link is not None and facts.link.is_stated
    return facts.bus == "SD" and not mode_allows and (facts.bytes_per_second or 0) > _UHS_I


# First match wins. Shares of the raw link rate: 1.02 and 0.97 allow for clock tolerance.
RULES: Final = (
    PlausibilityRule(
        "page_cache",
        "impossible",
        _through_a_cache,
        "{rate} is more than the link can carry ({link}): it went through the page cache. Run again with direct I/O,"
        " or with a file twice as large as the memory",
        "The computer answers from its own memory what it has just written or read. Reads faster than the link beside"
        " writes that are not show it.",
    ),
    PlausibilityRule(
        "over_link",
        "impossible",
        lambda e: e.share > 1.02,
        "{rate} is more than the link can carry ({link}): page cache, wrong unit or wrong bus mode",
        "Clock times width of the bus is a limit that no card passes. 2 % are left for clocks that run fast.",
    ),
    PlausibilityRule(
        "close_to_raw_link",
        "suspicious",
        lambda e: e.stated_share > 0.97,
        "{rate} leaves no room for commands on a link of {link}",
        "Commands and gaps between blocks take their share of the bus, too.",
    ),
    PlausibilityRule(
        "single_blocks_near_link",
        "suspicious",
        lambda e: _is_one_block_at_a_time(e) and e.stated_share > 0.6,
        "{rate} in 4 KiB blocks one at a time is unlikely on a link of {link}",
        "Every block of 4 KiB costs a command and its answer.",
    ),
    PlausibilityRule(
        "units_disagree",
        "suspicious",
        _contradicts_its_twin,
        "{rate} does not agree with what the same test says in its other unit ({twin}): one of the two has a wrong unit"
        " or block size",
        "Operations per second times block size is the throughput. Where both are given they must agree within 3 %.",
    ),
    PlausibilityRule(
        "fits_into_memory",
        "suspicious",
        _fits_into_memory,
        "{area} were read or written through the page cache of a host with {memory}: that measures its memory",
        "Without direct I/O a test must touch twice as much as the memory of the host holds.",
    ),
    PlausibilityRule(
        "small_area",
        "suspicious",
        _is_small,
        "{area} are fewer than four erase blocks: that measures the write cache of the card",
        "A small area stays in the fast part of a card, and within the map the controller holds at hand.",
    ),
    PlausibilityRule(
        "zeros_written",
        "suspicious",
        lambda e: e.states(data="zeros", direction="write"),
        "zeros were written, which some controllers store for nothing",
        "Real data cannot be compressed. A test must write what cannot be compressed either.",
    ),
    PlausibilityRule(
        "at_link",
        "at_least",
        lambda e: e.link is not None and e.stated_share > e.link.reached,
        "the link carries {link}, so the card may be faster",
        "Near the limit of its link a card shows what the host can do, not what itself can.",
    ),
    PlausibilityRule(
        "throttled_host",
        "at_least",
        lambda e: e.throttled and e.bytes_per_second is not None,
        "the host was throttled by heat or low voltage, so the card may be faster",
        "A Raspberry Pi that runs too hot or on a weak supply slows down.",
    ),
    PlausibilityRule(
        "crowded_host",
        "at_least",
        lambda e: e.crowded and e.bytes_per_second is not None,
        "more was running on the host than it has processors, so the card may be faster",
        "A card waits for a host that is busy with something else.",
    ),
    PlausibilityRule(
        "beyond_the_standard",
        "ok",
        _beats_the_standard,
        "faster than UHS-I carries ({uhs_i}): the card is UHS-II, or card and reader know a mode outside of the"
        " standard",
        "Some cards and readers know DDR200, a doubled SDR104 that the SD standard does not have.",
    ),
    PlausibilityRule(
        "depth_gives_nothing",
        "ok",
        lambda e: (e.parameters.get("queue_depth") or 1) > 1 and e.states(command_queue=False),
        "the host did not let commands wait in the card, so that queue depth {depth} gives nothing here",
        "Without command queueing the card sees one command at a time, however many a program sends. Such a result"
        " counts in slots that cannot queue, and is not compared with those of a queue.",
    ),
    PlausibilityRule(
        "repeats_differ",
        "ok",
        lambda e: e.compared and (e.spread or 0) > _WIDE_SPREAD,
        "repeats differ by {spread}: another run, when nothing else uses the card, would make it surer",
        "Repeats of one run that lie apart by more than a quarter tell of a card or a host that is busy with itself.",
    ),
    PlausibilityRule(
        "constant_data",
        "ok",
        lambda e: e.compared and e.states(data="constant"),
        "the same byte was written over and over; a controller that compresses would be slower with real data",
        "flashbench writes one byte over and over. Controllers of cards rarely compress, those of drives do.",
    ),
)


def judge(facts: Circumstances) -> Verdict:
    """The first rule that applies, or ok without a remark."""
    for rule in RULES:
        if rule.applies(facts):
            return Verdict(rule.verdict, rule.reason.format(**_words(facts)))
    return Verdict("ok")


def _words(facts: Circumstances) -> dict[str, str]:
    """The words that a reason may name, as far as they are stated; a rule applies only where its words are."""
    link = facts.link.raw_bytes_per_second if facts.link else None
    rates = {"rate": facts.bytes_per_second, "link": link, "twin": facts.twin_bytes_per_second}
    sizes = {"area": facts.area_bytes, "memory": facts.memory_bytes}
    return (
        {name: metrics.in_words(rate, units.RATE) for name, rate in rates.items() if rate is not None}
        | {name: metrics.size_in_words(size) for name, size in sizes.items() if size}
        | {"spread": f"{100 * (facts.spread or 0):.0f} %", "uhs_i": metrics.in_words(_UHS_I, units.RATE)}
        | {"depth": str(facts.parameters.get("queue_depth"))}
    )
