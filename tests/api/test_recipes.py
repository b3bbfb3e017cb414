"""Every code block of RECIPES.md runs unchanged against the real server, and /api/ shows the same recipes."""

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from api.reference_pages import recipes
from submissions.dumps import shelf
from submissions.models import Submission
from tests.api.test_lists import card
from tests.conftest import PROJECT
from tests.factories import body, specimen, uuid

COMMANDS = {
    "sh": ["bash", "-eu", "-o", "pipefail"],
    "python": [sys.executable],
    "js": ["node"],
    "r": ["Rscript"],
}
TITLES = [recipe.title for recipe in recipes()[1:]]


@pytest.fixture
def home(tmp_path: Path, settings: Any) -> Path:
    """Return the folder in which the scripts run, with reports in it and a data dump on the server."""
    settings.MEDIA_ROOT = str(tmp_path / "dumps")
    (tmp_path / "reports").mkdir()
    for number in (7, 8):
        report = body(uuid=uuid(number), card=specimen(number))
        (tmp_path / "reports" / f"{number}.json").write_bytes(report)
    return tmp_path


@pytest.fixture
def commands(home: Path, live_server: Any) -> dict[str, list[str]]:
    """Return the output of each code block by the title of its recipe, each run as a separate script."""
    card(1, "Kingston", vouched=True)
    card(2, "Transcend", vouched=True)
    shelf.add_dump()
    return {
        recipe.title: [_run(part.language, part.code, home) for part in recipe.parts if part.code]
        for recipe in recipes(live_server.url)[1:]
    }


@cache
def _can_run(language: str) -> bool:
    # Python and curl are required; other programs may be missing.
    if language != "r":
        return language != "js" or shutil.which("node") is not None
    wanted = "library(jsonlite); library(nanoparquet)"
    return (
        bool(shutil.which("Rscript"))
        and not subprocess.run(["Rscript", "-e", wanted], check=False).returncode
    )


def _run(language: str, code: str, home: Path) -> str:
    if not _can_run(language):
        return ""
    script = home / f"script.{language}".replace(".js", ".mjs")  # a module
    script.write_text(code, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(PROJECT / "client")}
    done = subprocess.run(
        [*COMMANDS[language], str(script)],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
def test_every_block_runs_as_it_stands(commands: dict[str, list[str]], home: Path) -> None:
    best, cids, javascript, folder, news, dump, _ = (commands[title] for title in TITLES)
    assert best[0].startswith("place,name,capacity_gb,leading")
    assert best[0].count("4 GB") == best[1].count("4 GB") == 2
    assert [json.loads(line)["pnm"] for line in (home / "decoded.jsonl").read_text().splitlines()] == [
        "SA04G",
        "SD16G",
    ]
    assert "Toshiba" in cids[1]
    assert json.loads((home / "7.receipt").read_text())["delete_key"]
    assert folder[1].split() == ["reports/7.json", "200", "reports/8.json", "200"]
    assert Submission.objects.count() == 4
    assert len(json.loads((home / "runs.json").read_text())["results"]) == 1
    assert "Kingston 4 GB" in (home / "feed.atom").read_text()
    assert (home / "runs.etag").read_text().startswith("W/")
    assert "Raspberry Pi 4" in news[1]
    assert "CC-BY-4.0" in dump[0]
    assert all("Kingston 4 GB" in table and "Transcend 4 GB" in table for table in dump if table)
    if javascript[1]:
        assert javascript[1].splitlines()[0].startswith("1 ") and "Toshiba" in javascript[1]


def test_the_page_shows_every_recipe(client: Client) -> None:
    page = client.get("/api/").content.decode()
    for title in TITLES:
        assert title in page
    assert "YOUR-SERVER" not in page
    assert "http://testserver/api/v1/models/" in page
    assert "/api/v1/submissions/batch/" in page


def test_the_reference_needs_nothing_from_elsewhere(client: Client) -> None:
    page = client.get("/api/reference/")
    assert "https://" not in page.content.decode()
    assert "img-src 'self' data:" in page.headers["Content-Security-Policy"]
    assert "'unsafe" not in page.headers["Content-Security-Policy"]
