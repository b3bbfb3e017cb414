"""Define fixtures for tests in a real browser with a real server and a real worker."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests import chromium

# Playwright runs an event loop in this thread, so that Django would refuse every query of the test itself.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# Long, because a worker has to start meanwhile. The limit only ends a test that has failed anyway.
expect.set_options(timeout=60_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Launch the Chromium of this machine. It is required in CI; elsewhere its tests are skipped without it."""
    executable = chromium.executable()
    if executable is None:
        assert "CI" not in os.environ, "CI must test with a browser: apt-get install chromium-headless-shell"
        pytest.skip("no Chromium on this machine: apt-get install chromium-headless-shell")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable)
        yield running
        running.close()


@pytest.fixture(params=[True, False], ids=["with JavaScript", "without JavaScript"])
def has_script(request: pytest.FixtureRequest) -> bool:
    """Return whether JavaScript is on; every test runs with and without it."""
    return bool(request.param)


@pytest.fixture
def look() -> dict[str, Any]:
    """Return the size and colour scheme of the browser window; a module may override this fixture."""
    return {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"}


@pytest.fixture
def context(has_script: bool, look: dict[str, Any], browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(java_script_enabled=has_script, **look)
    context.set_default_timeout(60_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()
