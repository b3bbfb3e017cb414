"""Registers of another card, readers that hide or invent registers, and rates after an error are explained."""

from typing import Any

import pytest
from django.test import Client

from submissions.domain.errors import ReportError
from submissions.domain.pasting.pasted import Claims
from submissions.domain.privacy.permission import BAR
from submissions.domain.report import Label
from submissions.models import Submission
from submissions.writing import ingest
from tests import corpus
from tests.factories import SA04G, body, report
from tests.small_crowd import list_rankable

pytestmark = pytest.mark.django_db

REGISTERS = f"csd: {SA04G['csd']}\ncid: {SA04G['cid']}\n"
HDPARM = "/dev/{}:\n Timing O_DIRECT disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec\n"
DD = "$ dd if=/dev/urandom of=/dev/mmcblk0 bs=1M oflag=direct\n"
COPIED = "33554432 bytes (34 MB) copied, 0.0179002 s, 1.9 GB/s\n"


def file(text: str, brand: str = "Transcend") -> Submission:
    claims = Claims(label=Label(brand=brand))
    receipt = ingest.receive_parts(text.encode(), [claims], channel="page", submitter="anybody")[0]
    ingest.process(receipt.submission.pk)
    return Submission.objects.get(pk=receipt.submission.pk)


def page(client: Client, submission: Submission) -> str:
    return client.get(submission.get_absolute_url()).content.decode()


def test_registers_of_a_card_of_another_size_are_left_out_and_it_is_said(client: Client) -> None:
    log = corpus.LOGS / "flashbench" / "041-wirenboard-10-2-00000-wrongid.txt"
    submission = file(log.read_text(encoding="utf-8"))
    assert submission.run.registers == {}
    assert submission.run.card.variant.capacity_bytes == 7_822_376_960
    assert "3,963,617,280 bytes, but the measured device has 7,822,376,960" in page(client, submission)


def test_the_same_in_a_report_is_kept_out_of_rankings_and_it_is_said(client: Client) -> None:
    card = report()["card"] | {"size_bytes": 7_822_376_960}
    sent = body(card=card, run=report()["run"] | {"target": "device"})
    receipt = ingest.receive(sent, channel="api", submitter="anybody")
    ingest.process(receipt.submission.pk)
    submission = Submission.objects.get()
    assert submission.run.excluded
    assert "not ranked" in page(client, submission)


def test_registers_beside_a_usb_reader_are_left_out_and_it_is_said(client: Client) -> None:
    submission = file(REGISTERS + "in a USB reader\n" + HDPARM.format("sda"))
    assert submission.run.registers == {}
    assert "a reader that shows no registers" in page(client, submission)


@pytest.mark.parametrize("between", ["", "\n", "## Another card\n", HDPARM.format("mmcblk0")])
def test_two_cids_in_one_text_are_two_cards_and_it_is_refused(between: str) -> None:
    both = REGISTERS + between + REGISTERS.replace("02544d", "03534d") + HDPARM.format("mmcblk0")
    with pytest.raises(ReportError, match=r"Say which card each of them is about"):
        file(both)
    assert not Submission.objects.exists()


def test_an_invented_identity_is_suspicious_and_it_is_said(client: Client) -> None:
    invented = "cid: 00000030303030301012345678008a00\n"
    submission = file(invented + HDPARM.format("mmcblk0"))
    assert submission.run.card.verdict == "suspicious"
    assert "suspicious because" in page(client, submission)


def test_a_rate_after_an_error_is_kept_as_failed_and_it_is_said(client: Client) -> None:
    trouble = "dd: fdatasync failed for '/dev/mmcblk0': Input/output error\n"
    submission = file(REGISTERS + DD + trouble + COPIED)
    measurement = submission.run.measurements.get()
    assert (measurement.value, measurement.verdict, measurement.reason) == (
        None,
        "failed",
        "dd: Input/output error",
    )
    assert not list_rankable(submission.run.measurements).exists()


def test_repeats_that_failed_are_left_out_and_it_is_said() -> None:
    trouble = "dd: error writing '/dev/mmcblk0': Input/output error\n"
    good = "33554432 bytes (34 MB) copied, 3.35544 s, 10.0 MB/s\n"
    submission = file(REGISTERS + DD + good + DD + trouble + COPIED)
    measurement = submission.run.measurements.get()
    assert (len(measurement.repeats), measurement.verdict) == (1, "ok")
    assert measurement.reason == "some repeats failed: dd: Input/output error (1 of 2 repeats)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '* 14.8GB "SanDisk SP16G" HS SD card as /dev/mmcblk0: date 07/2015, manfid/oemid: 0x000003/0x5344,'
            " hw/fw rev: 0x8/0x0\n",
            {"mid": 3, "oid": 0x5344, "mdt": "2015-07", "hardware_revision": 8},
        ),
        ("mmcblk0: mmc0:e624 SP32G 29.7 GiB\n", {"about_size_bytes": 31890132173}),
    ],
)
def test_a_part_of_an_identity_is_kept_and_names_no_card(text: str, expected: dict[str, Any]) -> None:
    submission = file(text + HDPARM.format("mmcblk0"))
    facts = {
        fact["name"]: fact["value"] for fact in ingest.filing.read_report(submission).report.extra["facts"]
    }
    assert expected.items() <= facts.items()
    assert submission.run.registers == {}
    with pytest.raises(ingest.ReportError, match="give at least its brand"):
        file(text + HDPARM.format("mmcblk0"), brand="")


def test_a_card_that_freebsd_describes_is_recognised(client: Client) -> None:
    line = "mmcsd0: 4GB <SDHC SA04G 1.1 SN 35338909 MFG 03/2013 by 2 TM> at mmc1 50.0MHz/4bit/1016-block\n"
    described, raw = file(line + HDPARM.format("mmcsd0")), file(REGISTERS + HDPARM.format("mmcblk0"))
    assert described.run.card == raw.run.card
    shown = client.get(f"/submissions/{described.public_id}/text/").content.decode()
    assert f"SN {BAR} MFG" in shown and "35338909" not in shown
