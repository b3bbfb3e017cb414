"""Tests of the rules of plausibility, each just before and just after its limit."""

from dataclasses import fields, replace
from typing import Any

import pytest

from submissions.domain.measuring import plausibility
from submissions.domain.measuring.host_link import Link
from submissions.domain.measuring.metrics import KIB, MIB
from submissions.domain.measuring.plausibility import RULES, Circumstances, judge

DDR50 = Link(50e6, is_stated=True)
ASSUMED = Link(312e6, is_stated=False)
GIB = 1024 * MIB


def facts(rate: float | None = 20e6, **changes: Any) -> Circumstances:
    """Return circumstances: blocks of 1 MiB, direct, one at a time, a bus of 50 MB/s; other names are parameters."""
    names = {field.name for field in fields(Circumstances)}
    parameters = {"queue_depth": 1, "block_size_bytes": MIB, "io": "direct", "direction": "read"}
    parameters |= {name: value for name, value in changes.items() if name not in names}
    stated = {name: value for name, value in changes.items() if name in names}
    circumstances = Circumstances(link=DDR50, bus="SD", bytes_per_second=rate, parameters=parameters)
    return replace(circumstances, **stated)


def test_it_works() -> None:
    verdict = judge(facts())
    assert (verdict.name, verdict.reason) == ("ok", "")


# Link 50 MB/s: 60 % = 30, 85 % = 42.5, 97 % = 48.5, 102 % = 51


@pytest.mark.parametrize(
    ("circumstances", "verdict"),
    [
        (facts(42.5e6), "ok"),
        (facts(42.6e6), "at_least"),
        (facts(48.5e6), "at_least"),
        (facts(48.6e6), "suspicious"),
        (facts(51e6), "suspicious"),
        (facts(51.1e6), "impossible"),
        (facts(51.1e6, io="buffered"), "impossible"),
        (facts(30e6, block_size_bytes=4096), "ok"),
        (facts(30.1e6, block_size_bytes=4096), "suspicious"),
        (facts(30.1e6, block_size_bytes=4096, queue_depth=32), "ok"),
        (facts(30.1e6, block_size_bytes=4096, queue_depth=None), "ok"),
        (facts(30.1e6, block_size_bytes=8192), "ok"),
        (facts(30.1e6, block_size_bytes=None), "ok"),
    ],
)
def test_the_first_rule_that_applies_decides(circumstances: Circumstances, verdict: str) -> None:
    assert judge(circumstances).name == verdict


@pytest.mark.parametrize(("rate", "verdict"), [(311e6, "ok"), (318e6, "ok"), (318.3e6, "impossible")])
def test_an_assumed_link_only_tells_the_impossible(rate: float, verdict: str) -> None:
    assert judge(facts(rate, link=ASSUMED)).name == verdict
    assert judge(facts(rate, link=ASSUMED, block_size_bytes=4096)).name == verdict


def test_a_usb_2_port_holds_a_card_back_sooner() -> None:
    port = Link(60e6, is_stated=True, practical_bytes_per_second=32.5e6)
    assert judge(facts(30e6, link=port)).name == "ok"
    assert judge(facts(31e6, link=port)).name == "at_least"


@pytest.mark.parametrize("circumstances", [facts(None), facts(1e12, link=None)])
def test_what_cannot_be_compared_is_believed(circumstances: Circumstances) -> None:
    assert judge(circumstances).name == "ok"


def test_reads_beyond_a_link_that_writes_respect_went_through_a_cache() -> None:
    assert "page cache" in judge(facts(1.9e9, writes_fit=True)).reason
    assert "wrong unit" in judge(facts(1.9e9)).reason
    assert "wrong unit" in judge(facts(1.9e9, writes_fit=True, direction="write")).reason
    assert "page cache. Run the test again" in judge(facts(51.1e6, io="buffered")).reason


# Operations per second times block size, against the throughput of the same test


@pytest.mark.parametrize(
    ("twin", "operations", "verdict"),
    [
        (20e6 / 1.0299, 500, "ok"),
        (20e6 / 1.031, 500, "suspicious"),
        (20e6 / 1.09, 10, "ok"),
        (20e6 / 1.11, 10, "suspicious"),
        (None, None, "ok"),
    ],
)
def test_two_units_of_one_test_must_agree(twin: float | None, operations: float | None, verdict: str) -> None:
    circumstances = facts(20e6, twin_bytes_per_second=twin, operations_per_second=operations)
    assert judge(circumstances).name == verdict


# The area of the test


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"file_size_bytes": 7 * GIB, "io": "buffered"}, "suspicious"),
        ({"file_size_bytes": 8 * GIB, "io": "buffered"}, "ok"),
        ({"file_size_bytes": 7 * GIB}, "ok"),
        ({"file_size_bytes": 7 * GIB, "io": "buffered", "sync": "fsync_at_end"}, "ok"),
        ({"file_size_bytes": 7 * GIB, "io": "buffered", "memory_bytes": None}, "ok"),
    ],
)
def test_a_cached_test_must_exceed_the_memory(changes: dict[str, Any], verdict: str) -> None:
    assert judge(facts(**({"memory_bytes": 4 * GIB} | changes))).name == verdict


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"span_bytes": 16 * MIB}, "ok"),
        ({"span_bytes": 15 * MIB}, "suspicious"),
        ({"span_bytes": 15 * MIB, "erase_block_bytes": MIB}, "ok"),
        ({"span_bytes": 15 * MIB, "workload": "open-au"}, "ok"),
        ({"span_bytes": 15 * MIB, "workload": "mixed"}, "suspicious"),
        ({"span_bytes": 15 * MIB, "file_size_bytes": GIB}, "suspicious"),
        ({}, "ok"),
    ],
)
def test_a_small_area_measures_the_cache_of_the_card(changes: dict[str, Any], verdict: str) -> None:
    assert judge(facts(**changes)).name == verdict


@pytest.mark.parametrize(
    ("data", "direction", "verdict"),
    [
        ("zeros", "write", "suspicious"),
        ("zeros", "read", "ok"),
        ("random", "write", "ok"),
        ("constant", "write", "ok"),
    ],
)
def test_zeros_cost_some_controllers_nothing(data: str, direction: str, verdict: str) -> None:
    assert judge(facts(data=data, direction=direction)).name == verdict


# The host


def test_a_host_that_is_throttled_or_busy_gives_a_lower_bound() -> None:
    assert judge(facts(throttled=True)).name == "at_least"
    assert judge(facts(crowded=True)).name == "at_least"
    assert judge(facts(None, throttled=True)).name == "ok"


# Remarks on plausible values


@pytest.mark.parametrize(
    ("circumstances", "remark"),
    [
        (facts(105e6, link=ASSUMED), "a mode outside the standard"),
        (facts(queue_depth=32, command_queue=False), "queue depth of 32 brings nothing here"),
        (facts(compared=True, spread=0.26), "repeats differ by 26 %"),
        (facts(compared=True, data="constant", direction="write"), "the same byte"),
    ],
)
def test_a_remark_speaks_against_nothing(circumstances: Circumstances, remark: str) -> None:
    verdict = judge(circumstances)
    assert verdict.name == "ok"
    assert remark in verdict.reason


@pytest.mark.parametrize(
    "circumstances",
    [
        facts(104e6, link=ASSUMED),
        facts(105e6, link=Link(208e6, is_stated=True)),
        facts(105e6, link=ASSUMED, bus="MMC"),
        facts(queue_depth=32, command_queue=True),
        facts(queue_depth=32),
        facts(queue_depth=None, command_queue=False),
        facts(compared=True, spread=0.25),
        facts(compared=False, spread=0.9),
        facts(compared=False, data="constant", direction="write"),
    ],
)
def test_where_there_is_nothing_to_remark(circumstances: Circumstances) -> None:
    assert judge(circumstances).reason == ""


# Reasons


@pytest.mark.parametrize(
    ("circumstances", "reason"),
    [
        (
            facts(1.9e9, io="buffered"),
            "1.9 GB/s is more than the link can carry (50 MB/s): the data came from the page cache. Run"
            " the test again with direct I/O, or with a file twice as large as the memory",
        ),
        (
            facts(60e6),
            "60 MB/s is more than the link can carry (50 MB/s): page cache, wrong unit or wrong bus mode",
        ),
        (facts(49e6), "49 MB/s leaves no time for commands on a link of 50 MB/s"),
        (
            facts(31e6, block_size_bytes=4 * KIB),
            "31 MB/s in single 4 KiB blocks is unlikely on a link of 50 MB/s",
        ),
        (facts(45e6), "the link carries 50 MB/s, so the card may be faster"),
        (
            facts(span_bytes=8 * MIB),
            "8 MiB is less than four erase blocks: that measures the card's write cache",
        ),
    ],
)
def test_the_reason_is_a_sentence(circumstances: Circumstances, reason: str) -> None:
    assert judge(circumstances).reason == reason


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_is_explained(rule: plausibility.PlausibilityRule) -> None:
    assert rule.verdict in ("impossible", "suspicious", "at_least", "ok")
    assert rule.meaning.endswith(".")
    told = replace(facts(memory_bytes=GIB, span_bytes=MIB), twin_bytes_per_second=1.0)
    assert "{" not in rule.reason.format_map(plausibility._words(told))


def test_what_is_not_ranked_is_decided_before_what_is() -> None:
    order = ["impossible", "suspicious", "at_least", "ok"]
    ranks = [order.index(rule.verdict) for rule in RULES]
    assert ranks == sorted(ranks)
