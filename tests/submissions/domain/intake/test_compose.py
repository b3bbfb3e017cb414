"""Tests that the contents of a text become the report that a client would have sent."""

from typing import Any

import msgspec
import pytest

from submissions.domain import report
from submissions.domain.intake.compose import ComposeError, compose
from submissions.domain.intake.paste import read
from tests import corpus

STARTER = corpus.LOGS.parents[1] / "submissions" / "starter" / "flashbench.jsonl"
HDPARM = "/dev/{}:\n Timing buffered disk reads:  66 MB in  3.05 seconds =  {} MB/sec\n"
CSD = "csd: 400e00325b5900001d177f800a40008d\ncid: 02544d5341303447113533890900d371\n"


def compose_log(name: str) -> dict[str, Any]:
    return compose(corpus.load(corpus.LOGS / name))


def group_values(measurements: list[dict[str, Any]]) -> dict[Any, Any]:
    """Return unit and values as printed, by workload, metric and parameters."""
    return {
        (m["workload"], m["metric"], tuple(sorted(m.get("parameters", {}).items()))): (m["unit"], m["values"])
        for m in measurements
    }


def test_it_works():
    document = compose_log("flashbench/sa04g-whole-page.txt")

    assert document["card"] == {
        "bus": "SD",
        "registers": {
            "cid": "02544d5341303447113533890900d371",
            "csd": "400e00325b5900001d177f800a40008d",
            "scr": "0235800001000000",
        },
        "size_bytes": 3904897024,
        "preferred_erase_size_bytes": 4194304,
    }
    assert document["run"] == {
        "suite": "flashbench",
        "tool": "flashbench",
        "target": "device",
        "destructive": True,
    }
    assert document["host"] == {"device": "mmcblk1", "interface": "mmc"}


def test_the_whole_page_gives_what_was_typed_in_by_hand():
    typed = msgspec.json.decode(STARTER.read_bytes().splitlines()[0])
    by_hand = group_values([m for m in typed["measurements"] if m["workload"] != "geometry"])

    assert group_values(compose_log("flashbench/sa04g-whole-page.txt")["measurements"]) == by_hand
    assert len(by_hand) == 201


@pytest.mark.parametrize(
    ("log", "title"),
    [
        ("019-wirenboard-1-3-su04g", "sdcard_benchmark: result_1_3.txt"),
    ],
)
def test_whole_logs_give_at_least_what_was_typed_in_by_hand(log: str, title: str):
    reports = map(msgspec.json.decode, STARTER.read_bytes().splitlines())
    (typed,) = [report for report in reports if report["source"]["title"] == title]
    measurements = group_values(compose_log(f"flashbench/{log}.txt")["measurements"])

    for pattern, printed in group_values(typed["measurements"]).items():
        assert measurements[pattern] == printed or pattern[0] == "geometry"


@pytest.mark.parametrize("path", corpus.files(corpus.LOGS), ids=lambda path: path.stem)
def test_every_file_makes_a_report_or_says_why_not(path: Any):
    try:
        document = compose(corpus.load(path))
    except ComposeError as error:
        assert error.code in ("nothing_understood", "several_cards", "maybe_no_card")
    else:
        report.parse(msgspec.json.encode(document))


def test_repeats_stand_together():
    measurements = compose(read(HDPARM.format("mmcblk0", 21.63) + HDPARM.format("mmcblk0", 21.6)))[
        "measurements"
    ]

    assert [m["values"] for m in measurements] == [[21.63, 21.6]]


def test_repeats_in_different_units_are_told_in_the_base_unit():
    run = "AU=1, linear access\n4MiB    {} \n"
    (measurement,) = compose(read(run.format("1.2M/s") + run.format("900K/s")))["measurements"]

    assert (measurement["unit"], measurement["values"]) == ("B/s", [1_200_000, 900_000])


def test_a_failed_repeat_is_left_out_and_explained():
    (first, *_) = compose_log("flashbench/041-wirenboard-10-2-00000-wrongid.txt")["measurements"]

    assert len(first["values"]) == 5
    assert first["failure"] == {"code": "io_error", "detail": "dd: Ошибка ввода/вывода (5 of 10 repeats)"}


def test_two_devices_are_two_cards():
    with pytest.raises(ComposeError, match=r"“sda1” and, from line 3, for “sdb1”") as refused:
        compose(read(HDPARM.format("sda1", 21.6) + HDPARM.format("sdb1", 21.6)))

    assert refused.value.code == "several_cards"


def test_two_devices_are_two_cards_even_if_nothing_was_measured_on_both():
    run = "$ dd if=/dev/{} of=/dev/null bs={}\n41943040 bytes (42 MB) copied, 2 s, 21 MB/s\n"

    with pytest.raises(
        ComposeError,
        match=r"“sda” and, from line [0-9]+, for “mmcblk1”.+Say which card each of them is about",
    ):
        compose(read(run.format("sda", "1M") + run.format("mmcblk1", "64k")))


def test_two_titled_sections_are_two_cards():
    rows = HDPARM.format("x", 21.6).split("\n", 1)[1]

    with pytest.raises(ComposeError, match="for “Card A” and, from line 3, for “Card B”"):
        compose(read(f"# Card A\n{rows}# Card B\n{rows}"))


def test_two_numbered_runs_are_one_card():
    rows = HDPARM.format("x", 21.6).split("\n", 1)[1]
    (measurement,) = compose(read(f"# Card A\n## Run 1\n{rows}## Run 2\n{rows}"))["measurements"]

    assert measurement["values"] == [21.6, 21.6]


def test_registers_of_another_card_are_left_out():
    document = compose_log("flashbench/041-wirenboard-10-2-00000-wrongid.txt")

    assert document["card"] == {"size_bytes": 7822376960}
    (left_out,) = document["extra"]["left_out"]
    assert left_out["field"] == "card.registers"
    assert "3,963,617,280 bytes, but the measured device has 7,822,376,960" in left_out["reason"]


def test_registers_beside_a_usb_reader_are_left_out():
    document = compose(read(CSD + "in a USB reader\n" + HDPARM.format("sda", 21.6)))

    assert document["card"] == {"bus": "USB"}
    assert "shows no registers" in document["extra"]["left_out"][0]["reason"]


def test_registers_beside_a_slot_are_taken():
    assert compose(read(CSD + HDPARM.format("mmcblk0", 21.6)))["card"]["registers"]["csd"].startswith("400e")


def test_registers_are_told_in_plain_hex():
    spaced = "CID: $02 $54 $4D $53 $41 $30 $34 $47 $11 $35 $33 $89 $09 $00 $D3 $71\n"

    assert compose(read(spaced))["card"]["registers"] == {"cid": "02544d5341303447113533890900d371"}


def test_a_register_that_is_cut_short_is_left_out_alone():
    document = compose(read(CSD + "ssr: 0000000004000000040090000f051a00\n"))

    assert sorted(document["card"]["registers"]) == ["cid", "csd"]
    assert document["extra"]["left_out"][0]["reason"].startswith("SSR needs 128 hex digits")


def test_ext_csd_told_by_some_of_its_fields_gives_the_size_only():
    text = "Extended CSD rev 1.8 (MMC 5.1)\nSector Count [SEC_COUNT: 0x00e90000]\n"
    card = compose(read(text + HDPARM.format("mmcblk0", 21.6)))["card"]

    assert card == {"bus": "MMC", "size_bytes": 0xE90000 * 512}


def test_two_cids_are_two_cards_whatever_is_answered():
    two = CSD + CSD.replace("02544d", "03534d")

    with pytest.raises(ComposeError, match="which card each of them is about"):
        compose(read(two + HDPARM.format("mmcblk0", 21.6)))


def test_a_text_without_numbers_is_refused():
    with pytest.raises(ComposeError, match="Paste the whole output"):
        compose(read("I like this card.\n"))


def test_a_question_is_told_in_the_refusal():
    with pytest.raises(ComposeError, match="how many open AUs"):
        compose(read("4MiB    10M/s \n"))


def test_more_than_a_report_takes_is_refused():
    with pytest.raises(ComposeError, match="up to 10,001 repeats") as refused:
        compose(read("AU=1, linear access\n" + "4MiB    10M/s   \n" * 10_001))

    assert refused.value.code == "too_many"


def test_what_has_no_place_is_kept_beside():
    document = compose(read("0.015625\t0.075432\n"))

    assert document["measurements"] == []
    assert document["extra"]["beside"][0]["workload"] == "scatter"
