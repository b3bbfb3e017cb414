"""The browser blocks no part of our pages: none has an inline script or style, or loads from another site."""

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from submissions.writing import ingest
from tests.factories import body, uuid

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def test_it_works(browser: Browser, live_server: Any) -> None:
    submission = ingest.receive(body(uuid=uuid(1)), channel="api", submitter="x").submission
    ingest.process(submission.pk)
    run = type(submission).objects.get().run
    cards = [run.card.get_absolute_url(), run.card.variant.card_model.get_absolute_url()]
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    for address in ("/", "/submit/", "/decode/?example=1", "/makers/", submission.get_absolute_url(), *cards):
        page.goto(live_server.url + address)
        expect(page.locator("#main")).to_be_visible()
        assert page.evaluate("htmx.config.allowEval") is False
    context.close()
    assert said == []
