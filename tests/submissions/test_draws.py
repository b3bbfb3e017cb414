"""Random values of the starter tables are found as published, and searches are answered.

SEED=N draws other values; TABLES=FOLDER draws from tables of the same reports in another folder.
"""

import csv
import gzip
import os
import random
import uuid
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client

from submissions.domain.identity import products
from submissions.domain.intake.published.access import describe_access
from submissions.domain.intake.published.reports import find_jobs, report_uuid
from submissions.domain.intake.published.specimens import describe_host
from submissions.domain.intake.published.table import Row, rows_of
from submissions.domain.measuring import units
from submissions.domain.ranking import boards, uses
from submissions.domain.search.question import understand
from submissions.models import CardModel, Measurement, Performance, Submission, keys
from tests.conftest import PROJECT
from tests.starter_tables import STARTER, unpack

DRAWN = 200
# The seed depends on the tables, so draws change only with them.
SEED = int(os.environ.get("SEED", "20261123"))
TABLES = Path(os.environ.get("TABLES", STARTER))


@cache
def rows() -> list[Row]:
    tables = (
        path for path in sorted(TABLES.glob("*.csv*")) if path.stem not in ("models", "best_selling_lines")
    )
    read = (row for path in tables for row in rows_of(unpack(path).decode()))
    return [row for row in read if row.specimen != "rule"]


@cache
def jobs() -> Any:
    return find_jobs(rows())


def draw_rows() -> list[Row]:
    return random.Random(SEED).sample(rows(), DRAWN)


@pytest.fixture(scope="module")
def starter(
    django_db_setup: None, django_db_blocker: Any, load_starter: Callable[[], None]
) -> Iterator[None]:
    """Load the starter data once for all tests of this module, and remove it afterwards."""
    with django_db_blocker.unblock(), transaction.atomic():
        load_starter()
        yield
        transaction.set_rollback(True)


def test_every_value_is_found_with_its_card_host_pattern_and_source(
    client: Client, starter: None, db: None
) -> None:
    @cache
    def run_of(report: uuid.UUID) -> dict[str, Any]:
        public_id = Submission.objects.get(uuid=keys.bulk_uuid(report)).public_id
        answer: dict[str, Any] = client.get(f"/api/v1/runs/{public_id}/").json()
        return answer

    assert [row for row in draw_rows() if not _is_told(row, run_of(report_uuid(row)))] == []
    _nothing_from_a_page_cache_is_ranked()
    _there_is_a_choice_for_every_pi()


def _is_told(row: Row, run: dict[str, Any]) -> bool:
    label, place = run["label"], describe_host(row.host)
    same_card = all(
        not getattr(row, name) or label.get(name) == getattr(row, name)
        for name in ("brand", "line", "model_number")
    )
    same_host = (run["host"]["board"] or run["host"]["machine"]) == (
        place.get("board") or place.get("machine") or ""
    )
    same_source = (
        run["source"]["id"] == row.source_id and row.title_or_repo_path[:80] in run["source"]["place"]
    )
    return same_card and same_host and same_source and (_is_measured(row, run) or _is_read(row, run))


def _is_measured(row: Row, run: dict[str, Any]) -> bool:
    access = describe_access(row, job=jobs().get(row.report, ""))
    if access is None:
        return False
    value = float(row.value) * access.factor * units.UNITS[access.unit][1]
    return any(
        (told["workload"], told["metric"]) == (access.workload, access.metric)
        and access.parameters.items() <= told["parameters"].items()
        and any(repeat == pytest.approx(value, rel=1e-9) for repeat in told["repeats"])
        for told in run["measurements"]
    )


def _is_read(row: Row, run: dict[str, Any]) -> bool:
    factor = units.UNITS.get(row.unit, ("", 1.0))[1]
    return any(
        told["name"] == row.metric[:100]
        and (told["value"] == row.value or told["value"] == pytest.approx(_number(row.value) * factor))
        for told in run["readings"]
    )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _nothing_from_a_page_cache_is_ranked() -> None:
    cached = Measurement.objects.filter(parameters__io="cached")

    assert cached.count() > 100
    assert not cached.filter(verdict__in=["ok", "at_least"]).exists()


def _there_is_a_choice_for_every_pi() -> None:
    named = CardModel.objects.real().exclude(name__startswith="Unidentified")
    assert named.count() >= 190
    for board in ("raspberry-pi-5", "raspberry-pi-4", "raspberry-pi-zero-2-w"):
        ranked = Performance.objects.list_measured(boards.find(board), uses.find_use("pi-root"))
        assert ranked.count() >= 40
        assert ranked.values("card_model__brand").exclude(card_model__brand="").distinct().count() >= 8


# Searches as people type them, in tests/data/searches.csv: twenty-four in each of ten languages.

FEWEST_ANSWERED = 230


def ask(client: Client, text: str) -> dict[str, Any]:
    answer: dict[str, Any] = client.get("/api/v1/search/", {"q": text}).json()
    return answer


def list_named(answer: dict[str, Any]) -> list[dict[str, str]]:
    """Return all cards and products that the response to a search names."""
    kinds = ("models", "untested", "products", "nearest")
    return [row for kind in kinds for row in answer[kind]]


def is_answered(answer: dict[str, Any], expected: str) -> bool:
    """Return whether the response to a search is as expected: `list` of a board, `model`, `name`, `fake` or `any`."""
    kind, _, what = expected.partition(" ")
    rows = list_named(answer)
    match kind:
        case "model":
            return what in [row["slug"] for row in rows[:5]]
        case "name":
            words = what.lower().split()
            return any(all(word in row["name"].lower() for word in words) for row in rows)
        case "list":
            return bool(rows) and what in ("", answer["board"])
        case "fake":
            return bool(answer["intent"] == "genuine")
    return bool(rows)


def searches() -> list[dict[str, str]]:
    with (PROJECT / "tests" / "data" / "searches.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_what_people_type_is_answered(client: Client, starter: None, db: None) -> None:
    asked = searches()
    failed = [row for row in asked if not is_answered(ask(client, row["query"]), row["expected"])]
    assert len(asked) - len(failed) >= FEWEST_ANSWERED, failed


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_the_first_screen_is_light(language: str, client: Client, starter: None, db: None) -> None:
    """Page and style sheet are small when compressed, with a full page of real cards, as templates/LOOK.md requires."""
    page = client.get("/", headers={"Accept-Language": language, "Accept-Encoding": "gzip"})
    style = PROJECT / "submissions" / "static" / "submissions" / "style.css"
    assert len(page.content) + len(gzip.compress(style.read_bytes())) <= 12_000


def test_nothing_that_exists_is_denied(client: Client, starter: None, db: None) -> None:
    """Every brand with a model, a sample of the names of models, and every part number of a product are found."""
    brands = CardModel.objects.real().exclude(brand="").values_list("brand", flat=True).distinct()
    assert [brand for brand in brands if not list_named(ask(client, brand))] == []
    names = random.Random(SEED).sample(list(CardModel.objects.real().values_list("name", "slug")), 60)
    assert [name for name, slug in names if not list_named(ask(client, name[:200]))] == []
    parts = {product.part.replace("*", "") for product in products.all_products() if product.part}
    denied = [part for part in sorted(parts) if not products.search_products(understand(part).words.split())]
    assert denied == []


@pytest.mark.parametrize(
    "again", [str.upper, str.title, lambda text: f"  {text} !?", lambda text: f"({text})"]
)
def test_case_and_punctuation_change_nothing(again: Any, client: Client, starter: None, db: None) -> None:
    asked = [row["query"] for row in searches() if row["expected"].startswith("model")]
    assert [slugs_of(client, again(text)) for text in asked] == [slugs_of(client, text) for text in asked]


def slugs_of(client: Client, text: str) -> list[str]:
    return [row["slug"] for row in list_named(ask(client, text))]


def test_a_tester_finds_his_submission_by_its_number(client: Client, starter: None, db: None) -> None:
    number = Submission.objects.values_list("public_id", flat=True)[0]
    assert ask(client, number)["submission"] == number
    page = client.get("/", {"q": number}).content.decode()
    assert f'href="/submissions/{number}/"' in page
    assert ask(client, "nobodyhasthis")["submission"] is None
