"""Swagger UI works under the strict content security policy: no part is blocked or loaded from another site."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def test_it_works(browser: Browser, live_server: Any) -> None:
    page = browser.new_page()
    complaints: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{live_server.url}/api/reference/")
    expect(page.get_by_text("/api/v1/decode/", exact=True)).to_be_visible()
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    page.close()
    assert complaints == []
    assert [url for url in asked if not url.startswith((live_server.url, "data:"))] == []
