"""The JavaScript module of the API passes its own tests in node against the real server, and is served to browsers."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from submissions.counters import redis_client
from tests.api.test_lists import card
from tests.conftest import PROJECT
from tests.factories import report, uuid

MODULE = PROJECT / "api/sdk/javascript/flashdb.mjs"
STORIES = Path(__file__).parent / "javascript" / "flashdb.test.mjs"


@pytest.fixture
def unspent() -> Iterator[None]:
    """Reset the rate limits before and after the test."""
    redis_client(patience_s=2).flushdb()
    yield
    redis_client(patience_s=2).flushdb()


@pytest.mark.usefixtures("unspent")
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine")
def test_its_stories_in_node(live_server: Any, settings: Any) -> None:
    card(1, "Kingston", vouched=True)
    card(2, "Transcend", vouched=True)
    settings.LIMIT_LOOPBACK, settings.RATE_LIMITS = True, {"look": (40, 4)}
    environment = os.environ | {
        "SERVER": live_server.url,
        "MODULE": MODULE.as_uri(),
        "REPORT": json.dumps(report(uuid=uuid(9))),
        "LOOKS": "50",
    }
    words = ["node", "--test", str(STORIES)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout


def test_it_is_served_for_browsers(client: Client) -> None:
    answer = client.get("/static/api/flashdb.mjs")
    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert answer.headers["Access-Control-Allow-Origin"] == "*", "a page of another site may import it"
    assert b"".join(answer.streaming_content) == MODULE.read_bytes()  # type: ignore[attr-defined]
    assert "/static/api/flashdb.mjs" in client.get("/api/").content.decode()


def test_it_stays_small_and_alone() -> None:
    text = MODULE.read_text()
    assert len(text.splitlines()) < 250
    assert [line for line in text.splitlines() if line.startswith("import ")] == []
