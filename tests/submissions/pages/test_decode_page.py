"""The page /decode/ explains pasted texts of any kind, and stores nothing."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from submissions.models import Submission
from tests import corpus, truth
from tests.factories import SA04G, SA04G_SERIAL

LOGS = Path(__file__).parents[2] / "data" / "registers"


def decode(client: Client, text: str, **more: str) -> str:
    response = client.post("/decode/", {"text": text, **more})
    assert response.status_code == 200
    return response.content.decode()


def log(name: str) -> str:
    return (LOGS / f"{name}.txt").read_text(encoding="utf-8")


def test_it_works(client: Client) -> None:
    page = decode(client, log("sysfs-head-toshiba-sa04g"))
    assert "Made by Toshiba (TM), product SA04G, revision 1.1, March 2013, 3,904,897,024 bytes." in page
    assert "nothing unusual" in page


def test_it_tells_maker_brand_and_seller_apart(client: Client) -> None:
    page = decode(client, SA04G["cid"])
    assert "Maker (the company that programmed the card)" in page
    assert "Kingston" in page  # the brand under which it was sold
    assert "Another source says" in page
    assert "No register names the seller" in page


def test_it_shows_every_field_with_its_bits(client: Client) -> None:
    page = decode(client, "\n".join(SA04G.values()))
    for said in ("103:64", "product name: SA04G", "69:48", "7,448 x 512 KiB", "59:56"):
        assert said in page


def test_an_empty_page_offers_an_example(client: Client) -> None:
    page = client.get("/decode/").content.decode()
    assert 'href="/decode/?example=1"' in page
    example = client.get("/decode/?example=1").content.decode()
    assert "Made by Toshiba (TM), product SA04G" in example
    assert "c0ffee" not in example


def test_a_search_for_a_register_leads_to_what_it_says(client: Client) -> None:
    page = client.get("/decode/", {"text": SA04G["cid"]}).content.decode()
    assert "Made by Toshiba (TM), product SA04G" in page
    assert client.get("/decode/", {"text": "0254"}).status_code == 400


def test_a_serial_number_is_not_shown(client: Client) -> None:
    page = decode(client, log("sysfs-head-toshiba-sa04g")).lower()
    assert SA04G_SERIAL not in page and str(int(SA04G_SERIAL, 16)) not in page
    assert "02544d534130344711········00d371" in page


@pytest.mark.parametrize(
    "name", ["udevadm-sandisk-sem04g", "sysfs-grep-kingston-sd64g", "notes-gigastone-00000"]
)
def test_no_pasted_serial_number_comes_back(client: Client, name: str) -> None:
    serials = {
        "udevadm-sandisk-sem04g": "2a40cb9a",
        "sysfs-grep-kingston-sd64g": "4b1004af",
        "notes-gigastone-00000": "000001c9",
    }
    assert serials[name] not in decode(client, log(name)).lower()


def test_an_undecided_bus_shows_both_readings(client: Client) -> None:
    """The CID has manufacturer 0x74 and an OEM number that neither the table for SD nor that for MMC contains."""
    page = decode(client, "7411225344434152441012345678013b")
    assert "If it is SD" in page and "If it is MMC" in page
    assert "A CID alone does not show whether this is SD or MMC" in page


def test_it_says_what_is_suspicious(client: Client) -> None:
    page = decode(client, "cid=000000555344000020000025670196e1")
    assert "suspicious because the manufacturer number 0x00 is never assigned" in page
    assert "Known false alarms: Gigastone 10x High Endurance" in page
    judged = page.lower().partition("</h1>")[2].partition("</main>")[0]
    assert "fake" not in judged and "counterfeit" not in judged


def test_the_label_is_held_against_the_maker(client: Client) -> None:
    assert "label says samsung" in decode(client, SA04G["cid"], label_brand="Samsung")


def test_the_size_the_system_sees_is_held_against_the_registers(client: Client) -> None:
    text = log("sysfs-head-toshiba-sa04g").replace("3904897024 bytes", "7948206080 bytes")
    assert "the system sees 7,948,206,080" in decode(client, text)


def test_a_register_told_field_by_field_shows_only_what_was_told(client: Client) -> None:
    page = decode(client, log("mmc-extcsd-read-sld64g"))
    assert "61,865,984,000 bytes" in page
    assert "PRE_EOL_INFO" not in page


def test_one_unreadable_register_does_not_hide_the_others(client: Client) -> None:
    page = decode(client, f"cid: {SA04G['cid']}\ncsd: {SA04G['csd'][:20]}")
    assert "product SA04G" in page
    assert "CSD needs 32 hex digits" in page


@pytest.mark.parametrize(
    ("tool", "begin", "said"),
    [
        ("h2testw", "German, decimal comma", "it holds only 8.27 GB of 31.36 GB"),
        ("f3", "Pi backup how-to", "It holds all of its 128.18 GB"),
        ("sdmon", "16012870341", "0.03 % of its life is used up"),
        ("mmc-utils", "49007054583", "10 to 20 % of its life is used up"),
    ],
)
def test_what_a_tool_printed_is_explained_too(client: Client, tool: str, begin: str, said: str) -> None:
    samples = truth.samples(corpus.LOGS)
    text = next(one.text for one in samples if one.tool == tool and begin in one.source)
    assert said in decode(client, text)


def test_a_kernel_log_is_explained(client: Client) -> None:
    text = "mmcblk0: mmc0:aaaa SN128 119 GiB\nmmc0: running CQE recovery\n"
    assert "Command queueing fails in the card or the host" in decode(client, text)


def test_registers_and_a_test_stand_side_by_side(client: Client) -> None:
    page = decode(client, f"cid: {SA04G['cid']}\nTest finished without errors.\nWriting speed: 8.1 MByte/s\n")
    assert "A test read back" in page and "Made by Toshiba (TM), product SA04G" in page
    assert "Nothing in its registers is unusual." not in page, "the portrait says it"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Paste what your card says about itself."),
        ("hello", "No register was found"),
        (SA04G["cid"][:-1], "found 31, an odd number"),
        ("0" * 32, "is all zeros"),
    ],
)
def test_what_cannot_be_read_is_said_and_kept_in_the_form(client: Client, text: str, said: str) -> None:
    response = client.post("/decode/", {"text": text})
    assert response.status_code == 400
    page = response.content.decode()
    assert said in page
    assert text in page


def test_markup_stays_text(client: Client) -> None:
    page = decode(client, SA04G["cid"], label_brand="<script>alert(1)</script>")
    assert "<script>alert" not in page


@pytest.mark.django_db
def test_it_stores_nothing_and_asks_the_database_nothing(
    client: Client, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        decode(client, log("sysfs-head-toshiba-sa04g"))
    assert Submission.objects.count() == 0


def test_it_is_guarded_against_forged_requests() -> None:
    assert Client(enforce_csrf_checks=True).post("/decode/", {"text": SA04G["cid"]}).status_code == 403
