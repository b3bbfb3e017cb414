"""Tests that a published text or a report yields each row of data/findings.csv, with complete sentences."""

import re
from typing import Any

import msgspec
import pytest

from submissions.domain import report as contract
from submissions.domain.findings import Finding, describe_findings, find_findings
from submissions.domain.findings.examined_report import examine_report
from submissions.domain.findings.finding_rules import Severity, all_rules
from submissions.domain.findings.text_findings import find_in_text
from tests import corpus, truth
from tests.factories import SA04G, rand_write, report, seq_read, specimen

DMESG = """\
[    2.512998] mmc0: new ultra high speed SDR104 SDXC card at address aaaa
[    2.521376] mmcblk0: mmc0:aaaa SN128 119 GiB
"""
CQE = "[  242.302] mmc0: cqhci: timeout for tag 12\n[  242.303] mmc0: running CQE recovery\n"
HDPARM = "/dev/{}:\n Timing buffered disk reads: 60 MB in  3.00 seconds =  20.00 MB/sec\n"
VERDICTS = """\
Run 1
Sequential write speed 21821 KB/sec (target 10000) - PASS
Random write speed 781 IOPS (target 500) - PASS
Random read speed 1980 IOPS (target 1500) - PASS
"""
DD = "$ dd if=/dev/{} of=/media/card/test bs=4M count=256 conv=fsync\n"
DD += "1073741824 bytes (1.1 GB) copied, 98.0453 s, 11.0 MB/s\n"
SDMON = '{\n"version": "v0.9.0",\n"healthStatusPercentUsed": %s,\n'
SDMON += '"laterBadBlockCount": 3,\n"totalEraseCount": 1380\n}\n'
EMMC = "eMMC Life Time Estimation A [EXT_CSD_DEVICE_LIFE_TIME_EST_TYP_A]: 0x{:02x}\n"
RESERVE = "eMMC Pre EOL information [EXT_CSD_PRE_EOL_INFO]: 0x{:02x}\n"
H2TESTW = (
    "Warning: Only 1000 of 7700 MByte tested.\nTest finished without errors.\nWriting speed: 13.1 MByte/s\n"
)


def judge_report(**changes: Any) -> tuple[Finding, ...]:
    document = contract.parse(msgspec.json.encode(report(**changes)))
    return find_findings(examine_report(document))


def find_sample(tool: str, begin: str) -> str:
    """Return the first sample in tests/logs of this tool with a source that contains `begin`."""
    found = (one.text for one in truth.samples(corpus.LOGS) if one.tool == tool and begin in one.source)
    return next(found)


def read_log(name: str) -> tuple[Finding, ...]:
    text = (corpus.LOGS / name).read_text(encoding="utf-8")
    return find_in_text(text.partition("---\n")[2] if text.startswith("# source") else text)


def capacity(*values: float, code: str = "", **parameters: str) -> dict[str, Any]:
    failure = {"failure": {"code": code}} if code else {}
    row = {"workload": "capacity", "metric": "real_capacity", "unit": "B", "values": values}
    return row | {"parameters": parameters} | failure


def make_failure(code: str, direction: str = "read", workload: str = "stream") -> dict[str, Any]:
    row = rand_write()
    pattern = row["parameters"] | {"direction": direction}
    return row | {"workload": workload, "parameters": pattern, "values": [], "failure": {"code": code}}


def make_plain(direction: str, **changes: Any) -> dict[str, Any]:
    """Return a measurement that counts as a figure, except for the changes."""
    pattern = rand_write()["parameters"] | {"direction": direction, "order": "sequential", "sync": "none"}
    row = rand_write() | {"metric": "throughput", "unit": "MB/s", "values": [17.0]}
    return row | {"parameters": pattern | {"block_size_bytes": 2**20} | changes}


def make_log(words: str) -> list[dict[str, Any]]:
    return [{"name": "kernel log", "value": words, "tool": "kernel"}]


def make_starts(*offsets: int) -> list[dict[str, Any]]:
    return [{"name": "partition_start_bytes", "value": offset, "unit": "B"} for offset in offsets]


def make_scan(**areas: Any) -> dict[str, Any]:
    sizes = {"size_bytes": 2**31, "block_bytes": 2**18, "read_bytes": 2**31, "largest_gap_bytes": 0}
    return sizes | {"verified_bytes": 2**30, "queue_depth": 32} | areas


AREA = [[2**20, 2**18]]
ALIGNED_CARD = specimen(1, preferred_erase_size_bytes=4 * 2**20)
SSR = "0000000002000000039090000f051d" + "00" * 49
REACHED: dict[str, Any] = {
    "kept_nothing": lambda: read_log("f3/011-damaged-2gb-f3probe-6.0-pt.txt"),
    "smaller": lambda: read_log("f3/005-f3probe-limbo-16gb-7.86gb.txt"),
    "lost": lambda: find_in_text(find_sample("h2testw", "54785941211")),
    "kept_part": lambda: judge_report(
        measurements=[capacity(1e9)], card={"bus": "USB", "label": {"brand": "Nameless"}}
    ),
    "damaged": lambda: find_in_text("The media is likely to be defective.\nReading speed: 66.8 MByte/s\n"),
    "lost_in_part": lambda: judge_report(measurements=[capacity(code="data_lost", capacity_kind="lost")]),
    "scan_errors": lambda: judge_report(measurements=[make_failure("EIO", workload="fill")]),
    "bad_areas": lambda: judge_report(scan=make_scan(bad=AREA)),
    "changing_areas": lambda: judge_report(scan=make_scan(changed=AREA)),
    "wrong_in_queue": lambda: judge_report(scan=make_scan(changed_in_queue=AREA)),
    "slow_areas": lambda: judge_report(scan=make_scan(slow=AREA)),
    "all_readable": lambda: judge_report(scan=make_scan()),
    "right_in_queue": lambda: judge_report(scan=make_scan()),
    "part_readable": lambda: judge_report(scan=make_scan(read_bytes=2**30, largest_gap_bytes=2**20)),
    "gone": lambda: judge_report(measurements=[make_failure("ETIMEDOUT")]),
    "read_errors": lambda: read_log("flashbench/041-wirenboard-10-2-00000-wrongid.txt"),
    "write_errors": lambda: read_log("flashbench/064-wirenboard-26-usd.txt"),
    "life_over": lambda: find_in_text(EMMC.format(11)),
    "reserve_urgent": lambda: find_in_text(RESERVE.format(3)),
    "trouble_transfer": lambda: judge_report(readings=make_log("I/O error (READ)")),
    "trouble_queue": lambda: find_in_text(DMESG + CQE),
    "trouble_cache": lambda: judge_report(readings=make_log("error -110 writing Cache Flush bit")),
    "trouble_discard": lambda: judge_report(readings=make_log("I/O error (DISCARD)")),
    "trouble_tuning": lambda: find_in_text(DMESG + "[ 3.1] mmc0: tuning execution failed: -5\n"),
    "trouble_power_off": lambda: judge_report(readings=make_log("error -110 writing Power Off Notify bit")),
    "trouble_setting": lambda: judge_report(readings=make_log("error -110 whilst initialising SD card")),
    "trouble_bus": lambda: judge_report(readings=make_log("card removed")),
    "life_ends": lambda: find_in_text(SDMON % 92),
    "reserve_used": lambda: find_in_text(RESERVE.format(2)),
    "other_card": lambda: judge_report(card=specimen(1, size_bytes=7_948_206_080)),
    "suspicious": lambda: judge_report(
        card=specimen(1, registers={"cid": "000000555344000020000025670196e1"})
    ),
    "misaligned": lambda: judge_report(card=ALIGNED_CARD, readings=make_starts(2**20)),
    "no_card": lambda: find_in_text(HDPARM.format("nvme0n1")),
    "speed_test_failed": lambda: find_in_text(VERDICTS.replace("PASS", "FAIL", 1)),
    "speed_test_passed": lambda: find_in_text(VERDICTS.replace("PASS", "FAIL", 1) + VERDICTS),
    "too_slow": lambda: read_log("agnostics/005-32gb-class10-usb-reader-fail.txt"),
    "all_kept": lambda: judge_report(measurements=[capacity(3.9e9, capacity_kind="good")]),
    "life_left": lambda: find_in_text(find_sample("sdmon", "16012870341")),
    "reserve_left": lambda: find_in_text(find_sample("mmc-utils", "49007054583")),
    "fast_enough": lambda: read_log("agnostics/016-bretmlw-amazon-basics-64gb-cq-off.txt"),
    "aligned": lambda: judge_report(card=ALIGNED_CARD, readings=make_starts(4 * 2**20, 2**28)),
    "agrees": lambda: judge_report(card=specimen(1, label={"brand": "Kingston"})),
    "consistent": lambda: read_log("flashbench/sa04g-whole-page.txt"),
    "part_kept": lambda: find_in_text(H2TESTW),
    "tested_kept": lambda: find_in_text(
        "Data OK: 29.12 GB (61069312 sectors)\nData LOST: 0.00 Byte (0 sectors)\n"
    ),
    "no_error": lambda: find_in_text(H2TESTW.partition("\n")[2]),
    "geometry": lambda: read_log("flashbench/002-readme-example-arnd.txt"),
    "not_ranked": lambda: find_in_text(DD.format("zero")),
    "queued_uncompared": lambda: judge_report(measurements=[make_plain("write", queue_depth=4)]),
    "cached_uncompared": lambda: read_log("dd/007-fm4dd-raspi0w-diskspeed.txt"),
    "blocks_uncompared": lambda: judge_report(measurements=[make_plain("read", block_size_bytes=512)]),
    "read_uncompared": lambda: judge_report(measurements=[make_plain("read") | {"workload": "reread"}]),
    "write_uncompared": lambda: judge_report(measurements=[make_plain("write", sync="dsync")]),
    "measured": lambda: read_log("flashbench/sa04g-whole-page.txt"),
    "unclear": lambda: read_log("flashbench/074-wirenboard-32-noid.txt"),
    "bad_blocks": lambda: find_in_text(SDMON % 1),
    "erased": lambda: find_in_text(SDMON % 1),
    "silent": lambda: judge_report(run={"suite": "health", "tool": "cardbench"}, measurements=[]),
    "unusual": lambda: judge_report(card=report()["card"] | {"label": {"brand": "Samsung"}}),
    "defect": lambda: judge_report(card=specimen(1, registers={"cid": "9f5449534436344710c0ffee00013b01"})),
    "unit": lambda: judge_report(card=specimen(1, registers=SA04G | {"ssr": SSR})),
    "no_registers": lambda: find_in_text(DD.format("zero")),
}


def test_every_row_is_tried() -> None:
    assert set(REACHED) == set(all_rules())


@pytest.mark.parametrize("code", REACHED)
def test_each_row_is_reached(code: str) -> None:
    found = REACHED[code]()
    assert code in [finding.code for finding in found]
    words = {one.code: one for one in describe_findings(msgspec.to_builtins(found))}
    assert not re.search(r"[{}]", words[code].sentence + words[code].next_step + words[code].source)


@pytest.mark.parametrize("code", REACHED)
def test_the_gravest_comes_first(code: str) -> None:
    words = describe_findings(msgspec.to_builtins(REACHED[code]()))
    grades = [[*Severity].index(one.severity) for one in words]
    assert grades == sorted(grades)


def test_the_command_that_is_advised_counts() -> None:
    """The next step of the finding `not_ranked` advises this command, so its result must count."""
    found = find_in_text(DD.format("urandom"))
    assert [one.code for one in found] == ["fast_enough", "no_registers"]


def test_numbers_are_written_as_the_reader_does() -> None:
    found = msgspec.to_builtins(judge_report(measurements=[capacity(1.5e9, capacity_kind="limbo")]))
    words = describe_findings(found, localize=lambda number: number.replace(".", ","))
    assert words[0].sentence.startswith("Smaller than it claims: it holds only 1,50 GB of 3,90 GB.")


def test_a_code_of_a_newer_release_is_left_out() -> None:
    assert describe_findings([{"code": "of_tomorrow", "values": {}}]) == []


@pytest.mark.parametrize("facts", [None, 7, [7], [{"name": 1}], [{"name": "lost_bytes", "value": [1]}]])
def test_nonsense_in_extra_tells_nothing(facts: Any) -> None:
    found = judge_report(extra={"facts": facts}, measurements=[seq_read()])
    assert {one.code for one in found} == {"fast_enough", "consistent"}


def find_codes(found: tuple[Finding, ...]) -> list[str]:
    return [one.code for one in found]


def test_only_figures_of_cards_are_judged_by_uses() -> None:
    """For a disk that is no card, no rate is judged by the needs of a use."""
    assert find_codes(find_in_text(HDPARM.format("nvme0n1"))) == ["no_card", "no_registers"]
    assert "fast_enough" in find_codes(find_in_text(HDPARM.format("mmcblk0")))


def test_a_row_that_counts_is_compared() -> None:
    found = find_codes(judge_report(measurements=[make_plain("read"), make_plain("write")]))

    assert not any(code.endswith("uncompared") for code in found)


def test_part_of_the_verdicts_tells_nothing() -> None:
    first, *_ = VERDICTS.rsplit("Random read", 1)

    assert not any(code.startswith("speed_test") for code in find_codes(find_in_text(first)))


def test_the_last_test_of_the_capacity_counts() -> None:
    tests = [capacity(size, capacity_kind="limbo") for size in (1e9, 2e9)]
    (found,) = (one for one in judge_report(measurements=tests) if one.code == "smaller")
    assert found.values["kept"] == (2.0, "GB")


def test_the_more_worn_memory_tells_the_life() -> None:
    lines = EMMC.format(1) + EMMC.replace("_A]", "_B]").format(11)
    assert find_codes(find_in_text(lines))[0] == "life_over"
