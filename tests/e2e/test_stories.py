"""Stories of the three kinds of users, end to end: the buyer, the tester, the script.

They run with and without JavaScript, on a phone and on a desktop, in light and dark colours: four visits contain every
pair of these; a story that does not depend on the window takes fewer.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from playwright.sync_api import Browser, Locator, Page, expect

from submissions.models import Submission
from submissions.pages.content.device_names import DEVICES
from submissions.writing import ingest
from tests.conftest import PROJECT
from tests.factories import body, rand_read, rand_write, seq_read, sold_card, specimen, uuid
from tests.small_crowd import vouch

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

# JavaScript, width in px, colour scheme.
VISITS = ((True, 1280, "light"), (True, 320, "dark"), (False, 320, "light"), (False, 1280, "dark"))


@pytest.fixture(params=VISITS, ids=lambda visit: "-".join(map(str, visit)))
def visit(request: pytest.FixtureRequest) -> tuple[bool, int, str]:
    found: tuple[bool, int, str] = request.param
    return found


@pytest.fixture
def has_script(visit: tuple[bool, int, str]) -> bool:
    return visit[0]


@pytest.fixture
def look(visit: tuple[bool, int, str]) -> dict[str, Any]:
    return {"viewport": {"width": visit[1], "height": 800}, "color_scheme": visit[2]}


def file(number: int, card: dict[str, Any], *measurements: dict[str, Any]) -> None:
    """Process a report of a new person who is a trusted source."""
    given = body(uuid=uuid(number), card=card, measurements=list(measurements))
    submission = ingest.receive(given, channel="api", submitter=f"person {number}").submission
    vouch(submission)
    ingest.process(submission.pk)


def test_a_refused_report_says_why_where_the_page_begins(page: Page, live_server: Any) -> None:
    page.goto(f"{live_server.url}/submit/")
    page.locator("textarea[name=text]").fill(body().decode()[:200])
    page.get_by_role("button", name="Submit", exact=True).click()
    summary = page.get_by_role("alert")
    expect(summary).to_be_focused()
    expect(summary).to_be_in_viewport()
    expect(summary).to_contain_text("There is a problem")
    summary.get_by_role("link").click()
    expect(page.locator("textarea[name=text]")).to_be_in_viewport()


def test_a_buyer_learns_in_two_steps_which_card_to_buy_for_a_pi_4_and_why(
    page: Page, has_script: bool, live_server: Any
) -> None:
    file(1, specimen(1, label={"brand": "Transcend"}), rand_write(300), rand_read(1000))
    for number in (2, 3):
        file(number, sold_card(), rand_write(2000), rand_read(4000), seq_read(44.5))
    page.goto(live_server.url)
    page.get_by_role("searchbox").fill("pi 4")  # one
    if not has_script:
        page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("heading", name="Best SD card for a Raspberry Pi 4 or 400")).to_be_visible()
    pick = page.locator("article.pick").first
    expect(pick).to_contain_text("Best")
    pick.get_by_role("link", name="Kioxia EXCERIA 32 GB").click()  # two
    expect(page.locator("p.answer")).to_contain_text("place 1 of 2")
    expect(page.locator("p.answer")).to_contain_text("Raspberry Pi 4 or 400")


def test_a_tester_pastes_a_log_and_sees_it_drawn(page: Page, live_server: Any) -> None:
    log = PROJECT / "tests" / "logs" / "flashbench" / "002-readme-example-arnd.txt"
    page.goto(f"{live_server.url}/submit/")
    page.get_by_label("Report, or the output").fill(log.read_text(encoding="utf-8"))
    page.get_by_label("Brand", exact=False).first.fill("Kingston")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("being processed")).to_be_visible()
    submission = Submission.objects.get()
    ingest.process(submission.pk)
    page.goto(live_server.url + submission.get_absolute_url())
    page.get_by_role("link", name=re.compile(r"See the \d+ measurements?")).click()
    expect(page.locator("svg.plot").first).to_be_visible()
    expect(page.get_by_text("The numbers").first).to_be_visible()


@pytest.mark.parametrize("visit", VISITS[:1], indirect=True, ids=["any"])
def test_a_script_follows_what_a_page_offers(page: Page, live_server: Any) -> None:
    file(1, specimen(1, label={"brand": "Kingston"}), rand_write(300))
    page.goto(f"{live_server.url}/models/kingston-4-gb/")
    page.locator("#share").click()
    feed = page.get_by_role("link", name="Feed of new tests (Atom)").get_attribute("href")
    as_json = page.get_by_role("link", name="This page as JSON").get_attribute("href")
    assert feed and as_json
    atom = page.request.get(live_server.url + feed)
    assert atom.headers["content-type"].startswith("application/atom+xml")
    assert "Kingston 4 GB, measured with cardbench" in atom.text()
    told = page.request.get(live_server.url + as_json)
    assert told.ok and json.loads(told.text())["slug"] == "kingston-4-gb"


@pytest.mark.parametrize("visit", VISITS[1::2], indirect=True, ids=["phone", "desk"])
def test_a_first_visitor_takes_the_tour_on_real_data(page: Page, live_server: Any) -> None:
    call_command("load_reports", PROJECT / "submissions" / "starter" / "flashbench.jsonl", verbosity=0)
    for pk in Submission.objects.values_list("pk", flat=True):
        ingest.process(pk)
    page.goto(f"{live_server.url}/tour/")
    expect(page.get_by_text("Made by Toshiba (TM), product SA04G")).to_be_visible()
    expect(page.locator("svg.plot")).to_have_count(3)
    page.get_by_role("link", name="See the whole run").click()
    expect(page.get_by_role("heading", name="Kingston 4 GB, measured with flashbench")).to_be_visible()


# On a phone, in every language, with the starter data.
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PRICE = re.compile(r"\d[.,]\d\d\s(€|US\$|£)")


def tap(link: Locator) -> None:
    """Tap a link; assert that it is visible without scrolling."""
    expect(link).to_be_in_viewport(ratio=1)
    link.tap()


def test_a_phone_names_a_card_its_figure_and_its_price_in_two_taps(
    browser: Browser, live_server: Any, load_starter: Callable[[], None]
) -> None:
    load_starter()
    for language, _name in settings.LANGUAGES:
        context = browser.new_context(**PHONE, locale=language)
        page = context.new_page()
        named: list[str] = []
        for device in DEVICES:
            page.goto(live_server.url)
            expect(page.locator("html")).to_have_attribute("lang", language)
            tap(page.locator(f'.under a[href$="board={device}"]'))  # one: the device
            expect(page).to_have_url(re.compile(f"board={device}$"))
            pick, priced = page.locator("article.pick").first, page.locator(".jump a", has_text=PRICE)
            expect(pick.locator(".kind")).to_be_in_viewport(ratio=1)
            if not pick.locator(
                "h2"
            ).count():  # nothing is proven: the page says so, and names the best known card
                expect(pick.locator(".links a").first).to_be_in_viewport(ratio=1)
                expect(pick.locator(".links .quiet").first).to_be_in_viewport(ratio=1)
                continue
            named.append(device)
            expect(pick.locator("h2")).to_be_in_viewport(ratio=1)
            if priced.count():  # two: one with a price
                tap(priced.first)
                pick = page.locator("article.pick:target")
                expect(pick.get_by_text(PRICE)).to_be_in_viewport(ratio=1)
            for part in (pick.get_by_role("heading"), pick.locator(".figure")):
                expect(part).to_be_in_viewport(ratio=1)
                expect(part).not_to_be_empty()
        assert named, "no card is named for any device"
        context.close()
