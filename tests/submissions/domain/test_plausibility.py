"""Is a measurement believable? Each rule once, against link rates worked out by hand."""

import re

import pytest

from submissions.domain import plausibility
from submissions.domain.plausibility import Evidence, judge, link_rate
from submissions.domain.report import BusMode, Host

DDR50 = 50e6


def evidence(
    rate: float | None,
    *,
    link: float | None = DDR50,
    link_known: bool = True,
    queue_depth: int | None = 1,
    block: int | None = 1024**2,
    buffered: bool = False,
) -> Evidence:
    return Evidence(rate, queue_depth, block, buffered, link, link_known)


def test_it_works() -> None:
    verdict = judge(evidence(20e6))
    assert (verdict.name, verdict.reason, verdict.rankable) == ("ok", "", True)


# What the link can carry: clock x width / 8, twice that at double data rate


@pytest.mark.parametrize(
    ("name", "clock_hz", "width_bits", "rate"),
    [
        ("SD default", 25_000_000, 4, 12.5e6),
        ("SD high-speed", 50_000_000, 4, 25e6),
        ("SD high-speed", 100_000_000, 4, 50e6),  # overclocked: the clock counts, not the name
        ("SD high-speed", 50_000_000, 1, 6.25e6),
        ("SDR50", 100_000_000, 4, 50e6),
        ("DDR50", 50_000_000, 4, 50e6),
        ("ddr50", 50_000_000, 4, 50e6),
        ("SDR104", 208_000_000, 4, 104e6),
        ("SDR104", 200_000_000, 4, 100e6),
        ("DDR200", 208_000_000, 4, 208e6),
        ("MMC DDR52", 52_000_000, 8, 104e6),
        ("HS200", 200_000_000, 8, 200e6),
        ("HS400", 200_000_000, 8, 400e6),
        ("mmc HS400 enhanced strobe", 200_000_000, 8, 400e6),
        ("", 50_000_000, 4, 25e6),
    ],
)
def test_clock_and_width_give_the_rate(name: str, clock_hz: int, width_bits: int, rate: float) -> None:
    host = Host(bus_mode=BusMode(name=name, clock_hz=clock_hz, width_bits=width_bits))  # type: ignore[arg-type]
    assert link_rate(host, "SD") == (rate, True)


@pytest.mark.parametrize(
    ("name", "rate"),
    [("DDR50", 50e6), ("sdr104", 104e6), ("HS400", 400e6), ("USB 2", 60e6), ("USB 3", 500e6)],
)
def test_without_a_clock_the_name_gives_the_rate(name: str, rate: float) -> None:
    assert link_rate(Host(bus_mode=BusMode(name=name)), "SD") == (rate, True)
    assert link_rate(Host(bus_mode=BusMode(name=name, clock_hz=1_000_000)), "SD") == (rate, True)


@pytest.mark.parametrize(("bus", "rate"), [("SD", 312e6), ("MMC", 400e6), ("USB", 1250e6), (None, 1250e6)])
def test_of_an_unknown_host_only_the_bus_sets_a_limit(bus: str | None, rate: float) -> None:
    assert link_rate(Host(), bus) == (rate, False)
    assert link_rate(Host(bus_mode=BusMode(name="warp")), bus) == (rate, False)


# Each rule, just before and just after its limit (link 50 MB/s: 60 % = 30, 85 % = 42.5, 97 % = 48.5, 102 % = 51)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (evidence(42.5e6), "ok"),
        (evidence(42.6e6), "at_least"),
        (evidence(48.5e6), "at_least"),
        (evidence(48.6e6), "suspicious"),
        (evidence(51e6), "suspicious"),
        (evidence(51.1e6), "impossible"),
        (evidence(51.1e6, buffered=True), "impossible"),
        (evidence(30e6, block=4096), "ok"),
        (evidence(30.1e6, block=4096), "suspicious"),
        (evidence(30.1e6, block=4096, queue_depth=32), "ok"),
        (evidence(30.1e6, block=4096, queue_depth=None), "ok"),
        (evidence(30.1e6, block=8192), "ok"),
        (evidence(30.1e6, block=None), "ok"),
    ],
)
def test_the_first_rule_that_applies_decides(given: Evidence, verdict: str) -> None:
    assert judge(given).name == verdict


@pytest.mark.parametrize(("rate", "verdict"), [(48.6e6, "ok"), (51e6, "ok"), (51.1e6, "impossible")])
def test_an_assumed_link_only_tells_the_impossible(rate: float, verdict: str) -> None:
    assert judge(evidence(rate, link_known=False)).name == verdict
    assert judge(evidence(rate, link_known=False, block=4096)).name == verdict


@pytest.mark.parametrize("given", [evidence(None), evidence(1e12, link=None, link_known=False)])
def test_what_cannot_be_compared_is_believed(given: Evidence) -> None:
    assert judge(given).name == "ok"


@pytest.mark.parametrize(
    ("name", "rankable"), [("ok", 1), ("at_least", 1), ("suspicious", 0), ("impossible", 0)]
)
def test_only_the_believable_is_ranked(name: str, rankable: int) -> None:
    assert plausibility.Verdict(name).rankable == bool(rankable)


# Reasons


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (
            evidence(1.9e9, buffered=True),
            "1.9 GB/s is more than the link can carry (50 MB/s), and it went through the page cache:"
            " run again with direct I/O",
        ),
        (
            evidence(60e6),
            "60 MB/s is more than the link can carry (50 MB/s): page cache, wrong unit or wrong bus mode",
        ),
        (evidence(49e6), "49 MB/s leaves no room for commands on a link of 50 MB/s"),
        (
            evidence(31e6, block=4096),
            "31 MB/s in 4 KiB blocks one at a time is unlikely on a link of 50 MB/s",
        ),
        (evidence(45e6), "the link carries 50 MB/s, so the card may be faster"),
    ],
)
def test_the_reason_is_a_sentence(given: Evidence, reason: str) -> None:
    assert judge(given).reason == reason


def test_a_clock_in_megahertz_shows_in_the_reason() -> None:
    host = Host(bus_mode=BusMode(name="SDR104", clock_hz=208, width_bits=4))
    link, known = link_rate(host, "SD")
    assert (
        "90 MB/s is more than the link can carry (104 B/s)"
        in judge(evidence(90e6, link=link, link_known=known)).reason
    )


@pytest.mark.parametrize("rule", plausibility.RULES, ids=lambda rule: rule.name)
def test_every_rule_says_why_in_numbers(rule: plausibility.Rule) -> None:
    assert rule.verdict in ("at_least", "suspicious", "impossible")
    assert set(re.findall(r"{(\w+)}", rule.reason)) <= {"rate", "link"}
    assert "{link}" in rule.reason
