"""The JavaScript module works in Chromium: in a page of the site, and in a page of another site with a copy of it."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.api.test_javascript import MODULE

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
ASK = """async ([module, server]) => {
    const { Flashdb } = await import(module);
    const site = new Flashdb(server ?? undefined);
    const lines = [];
    for await (const line of site.decodeAll(["02544d534130344711c0ffee0000d30f", "nonsense"])) lines.push(line);
    const refused = await site.model("nobody").catch((error) => error);
    return [(await site.index()).version, lines[0].card.pnm, lines[1].error.path, refused.code];
}"""


ANSWERS = ["v1", "SA04G", "cid", "not_found"]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "index.html").write_text("<p>Another site</p>")
    (tmp_path / MODULE.name).write_bytes(MODULE.read_bytes())
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=tmp_path)
    ) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def ask_server(page: Page, *words: str | None) -> Any:
    try:
        return page.evaluate(ASK, words)
    finally:
        page.close()


def test_it_works(browser: Browser, live_server: Any) -> None:
    """Without a URL the module uses the server from which it was loaded."""
    page = browser.new_page()
    page.goto(f"{live_server.url}/about/")
    assert ask_server(page, "/static/api/flashdb.mjs", None) == ANSWERS


def test_in_a_page_of_another_site(browser: Browser, live_server: Any, elsewhere: str) -> None:
    page = browser.new_page()
    page.goto(elsewhere)
    assert ask_server(page, "/flashdb.mjs", live_server.url) == ANSWERS
