"""Tests of f3 and H2testw, which test how much a card really holds."""

import pytest

from submissions.domain.findings.text_findings import find_in_text
from submissions.domain.intake.compose import compose
from submissions.domain.intake.parsed import Parsed
from submissions.domain.intake.paste import read
from tests import corpus


def facts(parsed: Parsed) -> dict[str, float | str]:
    return {fact.name: fact.value for fact in parsed.facts}


def test_it_works():
    stated = facts(corpus.load(corpus.LOGS / "f3" / "005-f3probe-limbo-16gb-7.86gb.txt"))

    assert stated["capacity_verdict"] == "limbo"
    assert stated["usable_size_bytes"] == 16477879 * 512
    assert stated["announced_size_bytes"] == 32155648 * 512


def test_a_rounded_size_is_said_to_be_one():
    assert facts(read("Announced size: 7.47 GB\n")) == {"about_announced_size_bytes": 8020851425}


def test_blocks_that_contradict_the_size_are_not_understood():
    parsed = read("             *Usable* size: 7.86 GB (1647787 blocks)\n")

    assert (parsed.facts, len(parsed.not_understood)) == ((), 1)


def test_sectors_that_contradict_the_size_are_not_understood():
    parsed = read("3.8 GByte OK (809939 sectors)\n")

    assert (parsed.facts, len(parsed.not_understood)) == ((), 1)


def test_a_speed_is_in_powers_of_1024():
    (speed,) = read("Average writing speed: 4.90 MB/s\n").figures

    assert (speed.value, speed.unit, speed.parameters) == (4.9, "MiB/s", {"direction": "write"})


def test_progress_is_no_speed():
    parsed = read("Creating file 9.h2w ... 3.50% -- 14.04 MB/s -- 5:08:28\n")

    assert (parsed.figures, parsed.not_understood) == ((), ())


def test_a_verdict_alone_makes_a_report():
    document = compose(corpus.load(corpus.LOGS / "f3" / "005-f3probe-limbo-16gb-7.86gb.txt"))

    assert document["card"]["size_bytes"] == 32155648 * 512
    assert document["run"]["tool"] == "f3"
    assert {"tool": "f3", "name": "capacity_verdict", "value": "limbo"} in document["extra"]["facts"]


def test_h2testw_counts_sectors():
    parsed = corpus.load(corpus.LOGS / "other" / "010-h2testw-64gb-from-offset-0-vi.txt")
    stated = facts(parsed)

    assert (stated["ok_bytes"], stated["lost_bytes"]) == (1343488 * 512, 79802368 * 512)
    assert stated["capacity_verdict"] == "damaged"
    loss, *speeds = parsed.figures
    assert (loss.value, loss.parameters) == (None, {"capacity_kind": "lost"})
    assert [(f.value, f.unit) for f in speeds] == [(13.1, "MiB/s"), (15.7, "MiB/s")]


def test_h2testw_in_german():
    parsed = read(
        "Achtung: Nur 15192 von 15193 MByte getestet.\n"
        "Der Datenträger ist wahrscheinlich defekt.\n"
        "3,8 GByte OK (8099392 Sektoren)\n"
        "11,0 GByte DATENVERLUST (23013824 Sektoren)\n"
        "Schreibrate: 6,22 MByte/s\n"
    )

    assert {fact.name: fact.value for fact in parsed.facts} == {
        "tested_bytes": 15192 * 1024**2,
        "about_announced_size_bytes": 15193 * 1024**2,
        "capacity_verdict": "damaged",
        "ok_bytes": 8099392 * 512,
        "lost_bytes": 23013824 * 512,
    }
    (capacity, speed) = parsed.figures
    assert capacity.value == 8099392 * 512
    assert (speed.value, speed.unit, speed.parameters["direction"]) == (6.22, "MiB/s", "write")


def test_files_of_f3_before_version_4():
    parsed = read("Creating file 0001.fff ... OK!\nValidating file 0001.fff ... 2097152/  0/  0/  0\n")

    assert parsed.not_understood == ()


def capacities(text: str) -> list[tuple[float | None, str]]:
    capacities = [figure for figure in read(text).figures if figure.workload == "capacity"]
    return [(figure.value, figure.parameters.get("capacity_kind", "")) for figure in capacities]


def test_what_f3probe_finds_is_a_capacity():
    output = "Bad news: The device `/dev/sda' is {}\n*Usable* size: {} ({} blocks)\n"

    assert capacities(output.format("a counterfeit of type limbo", "32.00 GB", 67108864)) == [
        (2**35, "limbo")
    ]
    assert capacities(output.format("damaged", "0.00 Byte", 0)) == [(None, "damaged")]
    good = output.replace("Bad", "Good").format("the real thing", "32.00 GB", 67108864)
    assert capacities(good) == [(2**35, "good")]


def test_what_f3read_leaves_is_a_capacity_where_it_lost_something():
    output = "Data OK: 1.00 GB (2097152 sectors)\nData LOST: {} ({} sectors)\n"

    assert capacities(output.format("1.00 GB", 2097152)) == [(2**30, "")]
    assert capacities(output.format("0.00 Byte", 0)) == []


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("Corrupted: 1.00 GB (2097152 sectors)", 2**30),
        ("Corrupted: 2097152 sectors", 2**30),
        ("Overwritten: 1.00 GB", 2**30),
        ("Details: 1.0 GByte overwritten (2097152 sectors)", 2**30),
        ("Validating file 1.h2w ... 2097151/        1/      0/      0\n  Data OK: 1.00 GB", 512),
        ("Validating file 1.h2w ...       0/        0/      7/      1\nValidating file 2.h2w ... 9%", 4096),
        ("Data LOST: 0.00 Byte (0 sectors)\n$ f3read x\nData LOST: 512.00 Byte (1 sectors)", 512),
    ],
)
def test_whatever_is_left_of_a_text_that_tells_a_loss_raises_the_alarm(text: str, lost: int):
    (finding, *_) = find_in_text(f"{text}\n")

    assert (finding.code, finding.values["lost"]) == ("lost", (lost / 1e9, "GB"))


def test_a_loss_alone_does_not_tell_that_nothing_was_kept():
    assert capacities("Data LOST: 1.00 GB (2097152 sectors)\n") == [(None, "lost")]


def test_the_sums_count_before_those_of_the_files():
    text = "Validating file 1.h2w ... 2097152/  0/  0/  0\n"

    assert facts(read(text))["ok_bytes"] == 2**30
    assert facts(read(text + "Data OK: 1.00 GB (2097153 sectors)\n"))["ok_bytes"] == 2097153 * 512


def test_files_of_another_run_are_not_added_to_those_of_the_first():
    run = "### Run {}\nValidating file 1.h2w ... 2097151/  1/  0/  0\n"
    lost = [fact.value for fact in read(run.format(1) + run.format(2)).facts_named("corrupted_bytes")]

    assert lost == [512, 512]


@pytest.mark.parametrize(("free", "told"), [("932.72 GB", False), ("1.00 MB", True), ("0.00 Byte", True)])
def test_a_few_sectors_lost_of_a_part_are_no_capacity(free: str, told: bool):
    output = f"Free space: {free}\nData OK: {{}} ({{}} sectors)\nData LOST: 96.50 KB (193 sectors)\n"

    assert capacities(output.format("3.00 GB", 6291263)) == []
    assert capacities(output.format("3.70 GB", 7759462)) == ([(7759462 * 512, "")] if told else [])


@pytest.mark.parametrize(("tested", "expected"), [(15192, [(8099392 * 512, "")]), (4096, [(None, "lost")])])
def test_h2testw_tells_a_capacity_when_it_tested_all(tested: int, expected: list[tuple[int, str]]):
    sizes = "3.8 GByte OK (8099392 sectors)\n11.0 GByte DATA LOST (23013824 sectors)\n"

    assert capacities(f"Warning: Only {tested} of 15193 MByte tested.\n{sizes}") == expected


def test_a_few_sectors_that_h2testw_lost_in_a_part_are_worn():
    sizes = "3.8 GByte OK (8099392 sectors)\n96 KByte DATA LOST (192 sectors)\n"

    assert capacities(f"Warning: Only 4096 of 15193 MByte tested.\n{sizes}") == []


def test_one_lost_sector_is_a_loss():
    stated = facts(read("4.3 GByte OK (9136127 sectors)\n0.5 KByte DATA LOST (1 sector)\n"))

    assert stated == {"ok_bytes": 9136127 * 512, "lost_bytes": 512}


def test_h2testw_could_not_read():
    text = "Error reading file E:\\12.h2w: \nThe request could not be performed because of an I/O device error.\n"
    (failed, _) = read(text + "Writing speed: 18.3 MByte/s\n").figures

    assert (failed.failure, failed.parameters, failed.section) == ("io_error", {"direction": "read"}, "")


def test_h2testw_speaks_german():
    text = "Fertig, kein Fehler aufgetreten.\n3,9 GByte OK (8182528 Sektoren)\n"
    lost = "27,3 GByte DATEN VERLOREN (57252096 Sektoren)\n27,3 GByte Müll (57252096 Sektoren)\n"

    assert facts(read(text))["capacity_verdict"] == "good"
    assert (
        facts(read(text + lost))["lost_bytes"]
        == facts(read(text + lost))["corrupted_bytes"]
        == 57252096 * 512
    )
