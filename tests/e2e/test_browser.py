"""The pages of the site work in a real browser, with and without JavaScript."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from submissions.writing import ingest
from tests.conftest import PROJECT, Worker
from tests.factories import SA04G, body, rand_write, report, specimen, uuid

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

SA04G_DUMP = PROJECT / "tests" / "data" / "registers" / "sysfs-head-toshiba-sa04g.txt"
SERIAL = "35338909"


def file(number: int, brand: str, iops: float) -> None:
    given = body(
        uuid=uuid(number), card=specimen(number, label={"brand": brand}), measurements=[rand_write(iops)]
    )
    ingest.process(ingest.receive(given, channel="api", submitter=brand).submission.pk)


def test_a_tester_sees_a_pasted_report_go_from_received_to_ranked(
    page: Page, has_script: bool, live_server: Any, worker: Worker
) -> None:
    page.goto(f"{live_server.url}/submit/")
    page.get_by_label("Report, or the output").fill(json.dumps(report()))
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("being processed")).to_be_visible()
    page.evaluate("window.stayed = true")
    worker.start()
    expect(page.get_by_text("processed", exact=True)).to_be_visible()
    expect(page.get_by_text("Small writes: 500 IOPS").first).to_be_visible()
    assert bool(page.evaluate("window.stayed")) == has_script, (
        "htmx updates the page; without it the page reloads"
    )


def test_a_buyer_narrows_the_ranking_down(page: Page, has_script: bool, live_server: Any) -> None:
    file(1, "Kingston", 500)
    file(2, "Transcend", 900)
    page.goto(live_server.url)
    page.get_by_role("searchbox").fill("kingston")
    if not has_script:
        page.get_by_role("button", name="Search").click()
    expect(page.locator("#ranking").get_by_role("link", name="Transcend 4 GB")).to_have_count(0)
    expect(page.locator("#ranking tbody").get_by_role("link", name="Kingston 4 GB")).to_be_visible()
    expect(page).to_have_url(re.compile("q=king"))
    page.locator("#ranking tbody").get_by_role("link", name="Kingston 4 GB").click()
    expect(page.get_by_role("heading", name="Kingston 4 GB")).to_be_visible()


def test_filters_come_when_they_are_asked_for(page: Page, has_script: bool, live_server: Any) -> None:
    """Filters open below the search with JavaScript, else on a page of their own; earlier choices stay."""
    file(1, "Kingston", 500)
    file(2, "Transcend", 900)
    page.goto(f"{live_server.url}/?board=raspberry-pi-4")
    page.get_by_role("link", name="Filter").press("Enter")
    page.get_by_label("Brand").fill("kingston")
    assert ("/filter/" in page.url) != has_script
    page.get_by_role("button", name="Show cards").click()
    expect(page).to_have_url(re.compile("brand=kingston"))
    expect(page.get_by_role("heading", name="Best SD card for a Raspberry Pi 4 or 400")).to_be_visible()
    expect(page.locator("#ranking tbody").get_by_role("link", name="Kingston 4 GB")).to_be_visible()
    expect(page.locator("#ranking").get_by_role("link", name="Transcend 4 GB")).to_have_count(0)


def test_a_keyboard_gets_from_the_top_to_the_content(page: Page, live_server: Any) -> None:
    page.goto(live_server.url)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()


def test_a_buyer_reads_what_a_card_says_of_itself(page: Page, has_script: bool, live_server: Any) -> None:
    page.goto(live_server.url)
    page.get_by_role("main").get_by_role("link", name="Is my card fake?").click()
    page.get_by_label("Registers, or what a test printed").fill(SA04G_DUMP.read_text(encoding="utf-8"))
    page.get_by_role("button", name="Decode").click()
    expect(page.get_by_text("Made by Toshiba (TM), product SA04G, revision 1.1, March 2013")).to_be_visible()
    expect(page.get_by_text("nothing unusual")).to_be_visible()
    expect(page.get_by_role("cell", name="product name: SA04G")).to_be_visible()
    assert SERIAL not in page.content()
    page.get_by_text("SCR, the specification").click()
    expect(page.get_by_role("cell", name="specification 3.00 or later: yes")).to_be_visible()
    page.get_by_role("link", name="Toshiba", exact=True).click()
    expect(page.get_by_role("heading", name="Toshiba (memory business now Kioxia)")).to_be_visible()


def test_a_typing_error_is_said_beside_the_text(page: Page, has_script: bool, live_server: Any) -> None:
    page.goto(f"{live_server.url}/decode/")
    page.get_by_label("Registers, or what a test printed").fill("02544d5341303447113533890900d37")
    page.get_by_role("button", name="Decode").click()
    expect(page.get_by_role("alert")).to_contain_text("found 31, an odd number")
    expect(page.get_by_label("Registers, or what a test printed")).to_have_value(re.compile("^02544d"))
    page.get_by_role("link", name="Show me an example").click()
    expect(page.get_by_text("Made by Toshiba (TM), product SA04G")).to_be_visible()


def test_makers_are_searched(page: Page, has_script: bool, live_server: Any) -> None:
    file(1, "Kingston", 500)
    page.goto(f"{live_server.url}/makers/")
    page.get_by_label("Contains").fill("TM")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name="0x02 0x544d").click()
    page.get_by_role("link", name="Kingston 4 GB").click()
    expect(page.get_by_role("heading", name="Kingston 4 GB")).to_be_visible()


def test_a_tester_looks_answers_and_submits(page: Page, has_script: bool, live_server: Any) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(f"{live_server.url}/submit/")
    page.get_by_label("Report, or the output").fill(
        f"jane@box:~$ cat cid\ncid: {SA04G['cid']}\n4MiB    10.3M/s \n"
    )
    page.get_by_label("Brand on the label").fill("Kingston")
    page.get_by_label("U1", exact=True).check()
    page.get_by_role("button", name="Preview first").click()
    expect(page.get_by_text("What we understood: Kingston 4 GB")).to_have_count(0)
    expect(page.locator(".pasted del").first).to_have_text(re.compile("^█+$"))
    expect(page.locator(".pasted")).not_to_contain_text("jane")
    page.get_by_role("link", name="4MiB 10.3M/s").click()
    expect(page.locator("#q3")).to_be_in_viewport()
    page.get_by_label("Which test printed these rows").select_option("open-au, 2 open, random")
    page.get_by_role("button", name="Check again with these answers").click()
    expect(page.get_by_text("1 measurement: 1 plausible")).to_be_visible()
    expect(page.get_by_label("U1", exact=True)).to_be_checked()
    page.get_by_role("link", name="10.3M/s").click()
    expect(page.locator("#m0-0")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("Delete key")).to_be_visible()
