"""Tests that a table of published results becomes reports, with an outcome for every row."""

import csv
import io
from typing import Any

import msgspec
import pytest

from submissions.domain.identity.identification import decode_card
from submissions.domain.identity.suspicions import find_suspicions
from submissions.domain.intake.published import access
from submissions.domain.intake.published.reports import Origin, Taken, states, take
from submissions.domain.intake.published.table import COLUMNS, TableError, rows_of
from submissions.domain.measuring.normalize import normalize
from submissions.domain.report import Report, parse

SEEN = {
    "source_id": "somebody",
    "title_or_repo_path": "somebody/cards@0123456789:table.md",
    "date": "2024-05",
    "brand": "SanDisk",
    "line": "Ultra",
    "capacity_gb": "32",
    "form": "microSD",
    "marks": "C10,A1",
    "specimen": "one",
    "run": "1",
    "host": "Raspberry Pi 4 Model B",
    "tool": "hdparm",
    "command_or_workload": "hdparm -t",
    "metric": "throughput read",
    "value": "43.90",
    "unit": "MiB/s",
}


def table(*rows: dict[str, str]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="")
    writer.writeheader()
    writer.writerows(SEEN | row for row in rows)
    return text.getvalue()


def take_rows(*rows: dict[str, str], origin: Origin | None = None) -> Taken:
    return take(rows_of(table(*rows)), origin)


def only(*rows: dict[str, str]) -> Report:
    (drafted,) = take_rows(*rows).reports
    return parse(drafted.body)


def parameters(report: Report) -> dict[str, Any]:
    (measurement, *_) = report.measurements
    return dict(msgspec.to_builtins(measurement.parameters))


def figures(report: Report) -> set[str]:
    measured, _ = normalize(report, bus="SD")
    return {one.figure for one in measured if one.figure and one.verdict in ("ok", "at_least")}


def test_it_works():
    report = only({})

    assert report.card.label.names == ("SanDisk", "Ultra", "", 32)
    assert (report.card.label.form, report.card.label.marks) == ("microSD", ("C10", "A1"))
    assert (report.host.board, report.host.interface) == ("Raspberry Pi 4 Model B", "mmc")
    (measurement,) = report.measurements
    assert (measurement.unit, measurement.values) == ("MiB/s", (43.9,))
    assert parameters(report) == {
        "direction": "read",
        "order": "sequential",
        "block_size_bytes": 2097152,
        "queue_depth": 1,
        "io": "buffered",
    }
    assert report.source and report.source.place == "somebody/cards@0123456789:table.md"
    assert report.source.url == "https://github.com/somebody/cards/blob/0123456789/table.md"
    assert figures(report) == {"seq_read_cold"}


def test_card_host_and_run_make_a_report():
    rows: tuple[dict[str, str], ...] = (
        {},
        {"value": "44"},
        {"run": "2"},
        {"host": "Raspberry Pi 5"},
        {"specimen": "two"},
    )
    reports = [parse(drafted.body) for drafted in take_rows(*rows).reports]

    assert [report.card.specimen for report in reports] == ["one", "one", "one", "two"]
    assert reports[0].measurements[0].values == (43.9, 44)
    assert len({report.uuid for report in reports}) == 4
    assert [report.uuid for report in reports] == [
        parse(again.body).uuid for again in take_rows(*rows).reports
    ]


@pytest.mark.parametrize(
    ("tool", "words", "metric", "stated"),
    [
        (
            *("dd", "dd write bs=8k count=50k conv=fsync", "throughput write"),
            {"direction": "write", "block_size_bytes": 8192, "io": "buffered", "sync": "fsync_at_end"},
        ),
        (
            *("dd", "dd if=/dev/zero of=x bs=4M oflag=direct", "throughput write"),
            {"block_size_bytes": 4 * 1024**2, "io": "direct", "sync": "none", "data": "zeros"},
        ),
        (
            *("iozone", "random write, record 16 kB, file 102400 kB", "throughput random write"),
            {"order": "random", "block_size_bytes": 16384, "file_size_bytes": 104857600, "queue_depth": 1},
        ),
        (
            *("fio", "randrw 70/30, bs=4k, iodepth=32", "throughput read"),
            {"direction": "read", "order": "random", "block_size_bytes": 4096, "queue_depth": 32},
        ),
        (
            *("cdm_fio", "4KB Q8T8 Write, size 1024m, loops 5", "throughput write"),
            {"direction": "write", "order": "random", "block_size_bytes": 4096, "queue_depth": 64},
        ),
        (
            *("flashbench --open-au", "AU=3, linear access; write blocks of 2 MiB", "throughput write"),
            {"open_au": 3, "order": "sequential", "block_size_bytes": 2 * 1024**2, "sync": "osync"},
        ),
        (
            *(
                "flashbench --find-fat",
                "find FAT; write blocks of 64 KiB; position 2 of 8",
                "throughput write",
            ),
            {"erase_block_index": 1, "block_size_bytes": 65536},
        ),
        (
            *("SdFat bench", "write, 5 MB file, 512 byte buffer", "throughput write"),
            {"block_size_bytes": 512, "order": "sequential"},
        ),
    ],
)
def test_the_words_of_a_row_say_how_it_was_measured(
    tool: str, words: str, metric: str, stated: dict[str, Any]
):
    report = only({"tool": tool, "command_or_workload": words, "metric": metric})

    assert stated.items() <= parameters(report).items()


def test_what_a_person_waits_for_is_told_in_seconds():
    report = only({"metric": "boot time", "command_or_workload": "boot time", "unit": "s", "value": "8.4"})

    assert [(one.workload, one.metric) for one in report.measurements] == [("chore", "duration")]
    assert parameters(report) == {"action": "boot"}


def test_nothing_is_guessed():
    report = only(
        {"tool": "fio (table)", "command_or_workload": "read 4k", "metric": "iops read", "unit": "IOPS"}
    )
    unnamed = only({"tool": "some program", "command_or_workload": "", "metric": "throughput write"})

    assert {"queue_depth", "io", "sync"} & parameters(report).keys() == set()
    assert (unnamed.measurements[0].workload, parameters(unnamed)) == ("transfer", {"direction": "write"})
    assert figures(report) == figures(unnamed) == set()


def test_rates_of_small_random_operations_count_as_operations():
    row = {"tool": "iozone", "metric": "throughput random write", "unit": "KiB/s", "value": "400"}
    words = {"command_or_workload": "iozone 4K random write", "note": "run by microsd-benchmarks.sh"}
    measured, _ = normalize(only(row | words), bus="SD")

    assert [(one.metric, one.value, one.figure) for one in measured] == [
        ("throughput", 409600, ""),
        ("iops", 100, "rand_write_4k"),
    ]


def test_what_the_memory_of_the_host_answered_is_kept_and_never_ranked():
    measured, _ = normalize(only({"medium_state": "page cache", "value": "1200"}), bus="SD")

    assert [(one.verdict, one.figure) for one in measured] == [("impossible", "")]
    assert "host's memory" in measured[0].reason


def test_kibibytes_over_a_thousand_are_counted_right():
    measured, _ = normalize(only({"unit": "KiB/s/1000", "value": "24.34"}), bus="SD")

    assert measured[0].value == pytest.approx(24.34 * 1024 * 1000)


def test_rows_of_one_pattern_whose_words_differ_are_no_repeats():
    first, second = only({"note": "128 bytes buffer"}, {"note": "4096 bytes buffer"}).measurements

    assert (first.parameters.variant, second.parameters.variant) == ("128 bytes buffer", "4096 bytes buffer")


MASKED = {"cid": "0353445355303447800000000000da00", "csd": "400e00325b5900001d8a7f800a404000"}


def test_a_removed_serial_number_is_a_state_of_its_own():
    report = only(MASKED | {"brand": ""})
    decoded, _ = decode_card(report.card)

    assert decoded and decoded.cid and decoded.cid.psn is None
    assert decoded.cid.crc == "serial_removed"
    assert {suspicion.id for suspicion in find_suspicions(decoded)} & {"C15", "C16", "C20"} == set()


def test_what_one_report_tells_of_a_card_holds_for_all():
    rows = ({"brand": "", "host": "PC, USB reader"}, MASKED | {"brand": "", "host": "PC, MMC slot"})
    reports = [parse(drafted.body) for drafted in take_rows(*rows).reports]

    assert {report.card.registers.cid for report in reports} == {MASKED["cid"]}
    assert [report.host.interface for report in reports] == ["usb", "mmc"]


def test_registers_told_field_by_field_are_put_together():
    note = "manfid 0x000003 oemid 0x5344 hw 0x8 fw 0x6 made 03/2022; size 59.5 GiB"
    report = only({"brand": "", "cid_name": "SN64G", "note": note})
    decoded, _ = decode_card(report.card)

    assert decoded and decoded.cid
    cid = decoded.cid
    assert (cid.mid, cid.oid_text, cid.pnm, cid.prv, cid.mdt) == (3, "SD", "SN64G", "8.6", "2022-03")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"host": "Unknown board"}, "which board"),
        ({"host": "Raspberry Pi, model not stated"}, "which board"),
        ({"host": "Raspberry Pi 3 Model B+, overclocked slot"}, "clock of the slot"),
        ({"form": "eMMC"}, "not a memory card"),
        ({"form": "USB stick"}, "not a memory card"),
        ({"brand": ""}, "which card"),
        ({"note": "root on LUKS2: dm-crypt"}, "encryption (LUKS2)"),
    ],
)
def test_some_reports_are_compared_with_nothing(row: dict[str, str], reason: str):
    assert reason in only(row).run.not_compared
    assert only({}).run.not_compared == ""


@pytest.mark.parametrize(
    ("host", "interface"),
    [("ESP32, SPI", "spi"), ("PC, SD Express adapter", "express"), ("Raspberry Pi 4 Model B, USB", "usb")],
)
def test_the_slot_of_a_host_stands_behind_its_name(host: str, interface: str):
    assert only({"host": host}).host.interface == interface


def test_spi_and_express_never_stand_beside_an_sd_slot():
    row = {
        "tool": "iozone",
        "command_or_workload": "read, record 1024 kB",
        "note": "run by microsd-benchmarks.sh",
    }

    assert figures(only(row)) == {"seq_read"}
    assert figures(only(row | {"host": "PC, SD Express adapter"})) == {"seq_read_express"}
    assert figures(only(row | {"host": "ESP32, SPI"})) == set()
    words = "sequential read, 5 MB file, 512 byte accesses"
    over_spi = row | {"tool": "SdFat bench", "command_or_workload": words, "note": "", "host": "ESP32, SPI"}
    assert figures(only(over_spi)) == {"seq_read_spi"}
    assert figures(only(over_spi | {"host": "ESP32, SDMMC"})) == set()


def test_readings_are_kept_beside_what_was_measured():
    report = only(
        {
            "tool": "sdmon",
            "metric": "totalEraseCount",
            "value": "66",
            "unit": "count",
            "command_or_workload": "CMD56",
        },
        {"tool": "sdmon", "metric": "flashId", "value": "0x45 0x3e", "unit": "text"},
        {"tool": "H2testw", "metric": "price paid", "value": "2.59", "unit": "USD"},
    )

    assert report.measurements == ()
    assert [(one.name, one.value) for one in report.readings] == [
        ("totalEraseCount", 66),
        ("flashId", "0x45 0x3e"),
        ("price paid", 2.59),
    ]
    assert (report.card.label.price, report.card.label.currency) == (2.59, "USD")


@pytest.mark.parametrize(
    ("row", "state", "reason"),
    [
        ({"specimen": ""}, "refused", "specimen must be given"),
        ({"specimen": "rule"}, "refused", "not a card"),
        ({"value": "quick"}, "refused", "is not a number"),
        ({"value": "0"}, "refused", "greater than zero"),
        ({"metric": "seeks", "unit": "1/s"}, "asked", "did it read or write"),
        ({"unit": "MBps"}, "asked", "what unit is “MBps”"),
        ({"capacity_gb": "32GB"}, "refused", "capacity_gb is “32GB”, and must be a number"),
        ({"form": "micro"}, "refused", "one of microSD"),
        ({"cid": "unknown"}, "refused", "32 lowercase hex digits"),
        ({}, "understood", ""),
    ],
)
def test_every_row_says_what_it_came_to(row: dict[str, str], state: str, reason: str):
    (line,) = take_rows(row).lines

    assert (line.state, reason in line.reason) == (state, True)
    assert line.row.file_line == 2
    assert states([line])[state] == 1


def test_a_source_nobody_knows_is_told_by_whoever_brings_it():
    (drafted,) = take_rows({}, origin=Origin("A thread", "Somebody", "https://example.org/1", "CC0")).reports
    source = parse(drafted.body).source

    assert source and (source.title, source.author, source.licence) == ("A thread", "Somebody", "CC0")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_may_come_out_of_a_spreadsheet(separator: str):
    heading, row = separator.join(COLUMNS), separator.join(f"cell {name}" for name in COLUMNS)
    (only,) = rows_of(f"\ufeff{heading}\r\n{row}\r\n")
    assert (only.source_id, only.note) == ("cell source_id", "cell note")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "lacks source_id"),
        ("a,b\n1,2\n", "lacks source_id"),
        ("\0", "NUL"),
        (",".join(COLUMNS), "no rows"),
    ],
)
def test_what_is_no_such_table_is_refused(text: str, words: str):
    with pytest.raises(TableError, match=words):
        rows_of(text)


def test_every_program_of_the_table_implies_known_parameters():
    for program in access._programs():
        known = {
            "direction",
            "order",
            "data",
            "block_size_bytes",
            "queue_depth",
            "io",
            "sync",
            "file_size_bytes",
        }
        assert program.parameters.keys() <= known
