"""Every page is accessible: axe finds no fault, the keyboard reaches all parts, motion is optional, printing works."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from submissions.models import CardModel
from submissions.writing import ingest
from tests.conftest import PROJECT
from tests.e2e.zoom import WINDOW, lost_at_200_percent
from tests.factories import body, rand_read, rand_write, report, seq_read, specimen, uuid

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LONG = "A brand with a name that goes on and on"
LOOKS: tuple[dict[str, Any], ...] = ({"width": 1280, "scheme": "light"}, {"width": 320, "scheme": "dark"})


def boundaries() -> list[dict[str, Any]]:
    """Return measurements of boundaries like those that flashbench -a prints."""
    return [
        {
            "workload": "align",
            "metric": "align_diff",
            "unit": "us",
            "values": [cost],
            "parameters": {"block_size_bytes": 1024, "align_bytes": align_bytes, "io": "direct"},
        }
        for align_bytes, cost in ((4096, 16), (16384, 520), (4194304, 690))
    ]


def site() -> list[str]:
    """Store three models, one of them with a long name, and return the paths of every page about them."""
    for number, brand in enumerate(("Kingston", "Transcend", LONG), start=1):
        measured = [rand_write(400 * number), rand_read(1500), seq_read(20.0), *boundaries()]
        when = report()["run"] | {"started_at": f"202{number}-11-20T12:00:00Z"}
        label = {"brand": brand, "marks": ["A1", "U1"], "price": 7.5, "currency": "EUR"}
        given = body(uuid=uuid(number), card=specimen(number, label=label), run=when, measurements=measured)
        submission = ingest.receive(given, channel="api", submitter=brand).submission
        ingest.process(submission.pk)
    submission.refresh_from_db()
    slugs = list(CardModel.objects.values_list("slug", flat=True))
    named = (
        "boards",
        "boards/raspberry-pi-4",
        "makers",
        "makers/sd/02-544d",
        "decode",
        "recent",
        "statistics",
    )
    about = ("about", "tour", "submit", "privacy", "methods", "api", "nowhere", "filter", "good")
    lists = (
        "sources",
        "quirks",
        "glossary",
        "formats",
        "products/lexar-play-128-gb-04-2025",
    )
    account = ("account/log-in", "account/sign-up")
    return [
        "/",
        "/?q=kingston&brand=nobody",
        "/decode/?example=1",
        *(f"/{name}/" for name in (*named, *about, *lists, *account)),
        "/follow/",
        f"/compare/?m={slugs[0]}&m={slugs[1]}",
        f"/models/{slugs[0]}/",
        submission.run.card.get_absolute_url(),
        submission.run.get_absolute_url(),
        f"/models/{slugs[0]}/why/",
        f"/models/{slugs[0]}/remark/",
        submission.get_absolute_url(),
        *(f"{submission.get_absolute_url()}{step}/" for step in ("change", "remark", "delete")),
    ]


def look(browser: Browser, *, width: int, scheme: Any) -> Page:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    return context.new_page()


# Rules with results that may differ on a phone with dark colours. A desktop shows more, so all rules run there.
OF_A_PHONE = ("color-contrast", "target-size", "scrollable-region-focusable", "meta-viewport", "link-name")
VIOLATIONS = {"resultTypes": ["violations"]}
RULES = {320: VIOLATIONS | {"runOnly": [*OF_A_PHONE, "button-name", "label"]}, 1280: VIOLATIONS}
ASK_AXE = "async rules => (await axe.run(rules)).violations"


def examine(page: Page) -> list[str]:
    """Return the faults of a page with all details unfolded, on a desktop and on a phone with dark colours."""
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.evaluate(AXE_SCRIPT)
    path = urlsplit(page.url).path
    found = [f"{path} {look['width']} px: {one}" for look in LOOKS for one in find_faults(page, **look)]
    page.set_viewport_size(WINDOW)
    return found


def find_faults(page: Page, *, width: int, scheme: Any) -> Iterator[str]:
    """Yield the violations that axe finds, too wide a page, and on a desktop the parts that are lost at 200 % zoom."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    for one in page.evaluate(ASK_AXE, RULES[width]):
        yield from (f"{one['id']} {node['html'][:120]}" for node in one["nodes"])
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        yield f"is {wide} px wide"
    if width == WINDOW["width"]:
        yield from lost_at_200_percent(page)


def test_nothing_is_wrong_with_any_page(browser: Browser, live_server: Any) -> None:
    """Faults are found by axe, by the width, by requests to other sites, and by messages of the browser."""
    found: list[str] = []
    pages = site()
    page = look(browser, **LOOKS[0])
    page.on("request", lambda request: found.extend(_elsewhere(request.url, live_server.url)))
    page.on("console", lambda message: found.extend(_complaint(message)))
    for path in pages:
        page.goto(live_server.url + path)
        found += examine(page)
    page.context.close()
    assert found == []


def _elsewhere(asked: str, here: str) -> list[str]:
    return [] if asked.startswith((here, "data:")) else [f"loads {asked}"]


def _complaint(message: ConsoleMessage) -> list[str]:
    """Return the browser's message, but not that about the missing page, which is opened on purpose."""
    return [] if message.location["url"].endswith("/nowhere/") else [message.text]


def test_axe_finds_nothing_where_something_is_filled_in(
    browser: Browser, live_server: Any, client: Client
) -> None:
    page = look(browser, **LOOKS[0])
    page.goto(f"{live_server.url}/submit/")
    log = PROJECT / "tests" / "logs" / "flashbench" / "002-readme-example-arnd.txt"
    page.get_by_label("Report, or the output").fill(log.read_text(encoding="utf-8"))
    page.get_by_role("button", name="Preview first").click()
    expect(page.get_by_role("heading", name="What everyone will see")).to_be_visible()
    found = examine(page)
    client.force_login(User.objects.create_user("tester"))
    session = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([session])  # type: ignore[list-item]
    for path in ("/account/", "/account/password/", "/account/close/"):
        page.goto(live_server.url + path)
        found += examine(page)
    page.context.close()
    assert found == []


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<img src='/x.png'>", "image-alt"),
        ("<p style='color: #aaa; background: #fff'>pale</p>", "1280 px: color-contrast"),
        (
            "<style>@media (width < 400px) { p { color: #333; background: #000 } }</style><p>dim</p>",
            "320 px: color",
        ),
        ("<table><tr><td><b style='color: #aaa; background: #fff'>pale</b></table>", "color-contrast"),
    ],
)
def test_axe_is_asked(html: str, words: str, browser: Browser) -> None:
    page = look(browser, **LOOKS[0])
    page.set_content(f"<html lang=en><title>x</title><main><h1>x</h1>{html}</main>")
    assert words in "\n".join(examine(page))
    page.context.close()


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<p style='width: 700px'>wide</p>", "is 7"),
        ("<a href='/' tabindex='-1'>no key</a>", "no key leads to <a"),
        ("<a href='/'>under</a><b style='position: fixed; inset: 0'>over</b>", "lies under <b"),
        ("<p style='width: 40px; overflow: hidden; white-space: nowrap'>much too long</p>", "cut off: <p"),
    ],
)
def test_what_is_lost_at_200_percent_is_noticed(html: str, words: str, browser: Browser) -> None:
    page = look(browser, **LOOKS[0])
    page.set_content(f"<main>{html}</main>")
    (lost,) = lost_at_200_percent(page)
    assert words in lost
    page.context.close()


def test_a_keyboard_chooses_ticks_and_compares(browser: Browser, live_server: Any) -> None:
    site()
    page = look(browser, **LOOKS[0])
    page.goto(live_server.url)
    page.get_by_label("Compare Kingston 4 GB").focus()
    page.keyboard.press("Space")
    page.get_by_label("Compare Transcend 4 GB").focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Compare the ticked cards").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Which is better, and how sure are we?")).to_be_visible()
    page.context.close()


def test_who_wants_no_motion_gets_none(browser: Browser, live_server: Any) -> None:
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(live_server.url)
    moving = "[...document.styleSheets[0].cssRules].filter(r => r.selectorText && r.style.transitionDuration).length"
    assert page.evaluate(moving) == 0, "every transition stands behind prefers-reduced-motion"
    context.close()


def test_paper_has_the_pictures_and_not_the_forms(browser: Browser, live_server: Any) -> None:
    model = next(path for path in site() if path.startswith("/models/"))
    page = look(browser, **LOOKS[0])
    page.goto(live_server.url + model)
    page.emulate_media(media="print")
    expect(page.locator("form.finder")).to_be_hidden()
    expect(page.locator("svg.plot").first).to_be_visible()
    page.context.close()
