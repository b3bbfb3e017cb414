"""The public site as files works in a real browser: from a plain web server, and from a USB stick."""

import html
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from playwright.sync_api import Browser, Page, Request, expect

from submissions.domain.ranking import boards, uses
from submissions.dumps import shelf
from submissions.evidence.places import advise
from submissions.models import Performance
from submissions.models.performance import ORDERS
from submissions.pages.content.advice_words import describe_place
from submissions.pages.content.sorting import read_order
from submissions.pages.forms.finder_form import FinderForm
from submissions.pages.mirror import index, site
from tests.api.test_lists import card
from tests.conftest import PROJECT

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
# Usual queries and filters; each result of the browser is compared with that of the server.
ASKED: tuple[dict[str, str], ...] = (
    {"q": "samsung pi 4 64gb"},
    {"q": "pi 5 a2 up to 20 €"},
    {"q": "SanDisk Extreme 32"},
    {"q": "dashcam 64gb 128gb"},
    {"q": "kingston", "board": "raspberry-pi-3"},
    {"q": "no-such-card-1"},
    {"q": "not sandisk pi 4"},
    {"q": "cheapest for dashcam"},
    {"q": "worst for dashcam"},
    {"board": "raspberry-pi-4", "sort": "dearest"},
    {"board": "raspberry-pi-4", "sort": "smallest"},
    {"q": "fastest 64gb pi 4"},
    {"q": "pi 4 up to 32gb"},
    {"q": "extreme pro"},
    {"brand": "sandisk", "capacity_gb_min": "32", "app_perf_class": "1"},
    {"maker": "samsung", "flagged": "no"},
    {"oem": "0x544d"},
    {"form": "SD", "board": "uhs-i-camera"},
    {"origin": "here"},
    {"small_writes_min": "500", "large_reads_min": "40"},
    {"min_cards": "2", "video_speed_class": "30"},
    {"price_max": "20", "price_currency": "USD", "sort": "price"},
    {"board": "raspberry-pi-4", "sort": "price-per-gb"},
    {"board": "raspberry-pi-4", "sort": "name"},
    {"board": "dashcam", "sort": "large_reads"},
    {"tells_health": "yes"},
    {"bus_mode": "SDR104"},
    {"manufactured_since": "2020-01"},
    {"profile": "media", "uhs_speed_grade": "3", "seen_since": "2020-01-01"},
)
_RANK = "async (fields) => mirror.rank(await mirror.wish(Object.entries(fields)))"


@pytest.fixture
def has_script() -> bool:
    """Return True, because a script replaces the server of this copy."""
    return True


def list_expected(query: dict[str, str]) -> list[list[str]]:
    """Return the slugs and ranks of the models that the server lists."""
    form = FinderForm(query)
    wish = form.wish()
    order = read_order(query, wish, form.question.order)
    listed = Performance.objects.wanted(wish).with_models().order_by(*ORDERS[order])
    return [[model.slug, describe_place(advice.place)] for model, advice in advise(listed, wish)]


@pytest.fixture
def mirror(tmp_path: Path, settings: Any) -> Path:
    settings.MEDIA_ROOT = str(tmp_path / "dumps")
    for number, brand in enumerate(("Kingston", "Transcend", "Samsung", "Lexar")):
        card(number, brand)
    shelf.add_dump()
    site.write_mirror(tmp_path / "site")
    return tmp_path / "site"


@pytest.fixture
def server_url(mirror: Path) -> Iterator[str]:
    """Serve the files by the web server of the standard library; yield its URL."""
    command = [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"]
    with subprocess.Popen(command, cwd=mirror, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout
        port = server.stdout.readline().split(b"port ")[1].split()[0].decode()
        yield f"http://127.0.0.1:{port}"
        server.terminate()


def test_it_works(page: Page, mirror: Path, server_url: str) -> None:
    """All is checked from a web server and from files; every link leads to a file, and the data dump is included."""
    for address in (server_url, mirror.as_uri()):
        _read_mirror(page, address)
    assert _count_links(mirror) > 1000
    package = json.loads((mirror / "dump" / "datapackage.json").read_text())
    assert (mirror / "dump" / package["resources"][0]["path"]).exists()


def _failures(request: Request) -> list[str]:
    """Return the URL of a failed request, unless the page was left before the response."""
    return [] if request.failure == "net::ERR_ABORTED" else [request.url]


def _read_mirror(page: Page, address: str) -> None:
    # Searches, filters, compares, and turns pages.
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda failed: wrong.extend(_failures(failed)))
    page.goto(f"{address}/index.html")
    page.get_by_role("searchbox").fill("kingston pi 4")
    rows = page.locator("#ranking tbody tr")
    expect(rows).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_text("Raspberry Pi 4 or 400")
    page.get_by_role("searchbox").fill("")
    expect(rows).to_have_count(4)
    page.get_by_text("Filter").click()
    page.get_by_label("Brand").fill("lexar")
    expect(rows).to_have_count(1)
    page.get_by_label("Brand").fill("")
    expect(rows).to_have_count(4)
    for name in ("Kingston 4 GB", "Samsung 4 GB"):
        page.get_by_role("checkbox", name=name).check()
    page.get_by_role("button", name="Compare the ticked cards").click()
    compared = page.locator("table.compare thead a")
    expect(compared).to_have_text(["Kingston 4 GB", "Samsung 4 GB"])
    page.get_by_label("Add a card").fill("trans")
    page.get_by_role("link", name="Transcend 4 GB").click()
    expect(compared).to_have_count(3)
    compared.first.click()
    expect(page.get_by_role("heading", name="Kingston 4 GB")).to_be_visible()
    page.get_by_role("navigation", name="Site").get_by_role("link", name="Boards").click()
    page.get_by_role("link", name="Dashcam").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("dashcam")
    assert not wrong


def _count_links(mirror: Path) -> int:
    # Each link must lead to a file.
    count = 0
    for path in mirror.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "mirror.invalid" not in text and "csrfmiddlewaretoken" not in text
        for address in re.findall(r'\s(?:href|src|action)="([^"]*)"', text):
            parts = urlsplit(html.unescape(address))
            if not parts.scheme and parts.path:
                assert (path.parent / parts.path).resolve().is_file(), (path, address)
                count += 1
    return count


def test_a_folder_that_is_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    with pytest.raises(CommandError, match="is not empty"):
        call_command("write_site", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_the_browser_ranks_as_the_server_does(
    tmp_path: Path, browser: Browser, load_starter: Callable[[], None]
) -> None:
    """Every board with every use, and usual queries and filters, are compared with all the starter data."""
    load_starter()
    index.write_index(tmp_path / "index")
    script = PROJECT / "submissions" / "static" / "submissions" / "mirror.js"
    (tmp_path / "page.html").write_text(
        f"<!DOCTYPE html><meta charset='utf-8'><script src='{script.as_uri()}'></script>"
    )
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    every_use = [
        {"board": board.slug, "use": use}
        for board in boards.all_boards().values()
        for use in uses.uses_in(board.interface)
    ]
    for query in (*every_use, *ASKED):
        assert page.evaluate(_RANK, query) == list_expected(query), query
    assert len(every_use) > 40 and len(list_expected(every_use[0])) > 40
