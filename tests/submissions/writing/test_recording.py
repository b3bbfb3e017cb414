"""A run in the database has the content of its report, field by field."""

from datetime import UTC, datetime

import pytest

from submissions.models import Geometry, Host, Run
from submissions.pages.wording import when_measured
from submissions.writing import ingest, recording
from tests.factories import SA04G, body, report, specimen

pytestmark = pytest.mark.django_db

TOLD = {
    "title": "SD card tests",
    "place": "results.csv, line 7",
    "dated": "spring 2025",
    "author": "Jane Doe",
    "url": "https://example.org/cards",
    "licence": "CC0",
}
READINGS = [{"name": "life_used", "value": 12.0, "unit": "%"}, {"name": "life_used_step", "value": 10.0}]


def store_run(channel: str = "api", **changes: object) -> Run:
    submission = ingest.receive(body(**changes), channel=channel, submitter="somebody").submission
    ingest.process(submission.pk)
    return Run.objects.select_related("host").get(submission=submission)


def test_it_works() -> None:
    run = store_run(
        "bulk",  # its source is public
        card=specimen(1, label={"brand": "Kingston", "line": "Canvas"}, condition="fresh"),
        host=report()["host"] | {"filesystem": "ext4", "machine": "aarch64", "kernel": "6.12"},
        run=report()["run"] | {"tool_version": "0.2", "duration_ns": 7, "not_compared": "through encryption"},
        source=TOLD,
        readings=READINGS,
        note="worn",
    )
    assert (run.suite, run.tool, run.tool_version, run.target) == ("quick", "cardbench", "0.2", "device")
    assert (run.filesystem, run.condition, run.note) == ("ext4", "fresh", "worn")
    assert (run.label["brand"], run.label["line"]) == ("Kingston", "Canvas")
    assert (run.started_at, run.duration_ns) == (datetime(2026, 11, 20, 12, tzinfo=UTC), 7)
    assert run.excluded == run.not_compared == "through encryption"
    assert {name: getattr(run, f"source_{name}") for name in TOLD} == TOLD
    assert run.source_slug == "jane-doe"
    assert [(told["name"], told["value"]) for told in run.readings] == [
        ("life_used", 12),
        ("life_used_step", 10),
    ]
    assert (run.life_used, run.life_step) == (12, 10)
    assert run.csd == SA04G["csd"][:30]
    assert run.registers["cid"]["pnm"] == "SA04G"
    assert (run.host.machine, run.host.kernel, run.host.bus_mode) == ("aarch64", "6.12", "DDR50")
    assert (run.host.clock_hz, run.host.width_bits) == (50_000_000, 4)


def test_what_nobody_says_stays_empty() -> None:
    run = store_run(card={"bus": "SD", "label": {"brand": "Kingston"}})
    assert (run.registers, run.csd, run.readings, run.life_used, run.life_step) == ({}, "", [], None, None)
    assert (run.source_slug, run.source_title, run.excluded, run.doubts, run.suspicions) == (
        "",
        "",
        "",
        [],
        [],
    )
    assert store_run(card=specimen(2)).label == {}


@pytest.mark.parametrize(
    ("source", "slug"),
    [
        ({"title": "Card tests"}, "card-tests"),
        ({"title": "Card tests", "author": "Jane Doe"}, "jane-doe"),
        ({"title": "Card tests", "author": "J" * 65}, "j" * 64),
        ({"title": "Card tests", "author": "Jane Doe", "id": "tests-2025"}, "tests-2025"),
        ({"title": ""}, ""),
    ],
)
def test_a_source_has_its_page_by_its_id_its_author_or_its_title(source: dict[str, str], slug: str) -> None:
    assert recording.source_slug(recording.Source(**source)) == slug


def test_the_same_host_is_stored_once_whatever_came_with_it() -> None:
    other = report()["host"] | {"kernel": "6.12"}
    runs = [
        store_run(card=specimen(number), host=host)
        for number, host in enumerate([other, report()["host"], other])
    ]
    assert [run.host for run in runs] == [runs[0].host, runs[1].host, runs[0].host]
    assert Host.objects.count() == 2
    assert not Geometry.objects.exists()


def store_dated(dated: str, **run: str) -> Run:
    source = {"title": "A table", "dated": dated}
    return store_run("bulk", run={"suite": "published", "tool": "fio", **run}, source=source)


def test_the_date_of_a_source_becomes_the_time_in_which_it_was_measured() -> None:
    run = store_dated("2016")
    assert (run.started_at, run.started_by) == (
        datetime(2016, 1, 1, tzinfo=UTC),
        datetime(2017, 1, 1, tzinfo=UTC),
    )
    assert run.ran_at == datetime(2016, 7, 2, tzinfo=UTC)


def test_what_was_measured_since_a_date_was_measured_before_it_came() -> None:
    run = store_dated("2013 or later")
    assert (run.started_at, run.started_by) == (datetime(2013, 1, 1, tzinfo=UTC), run.submission.received_at)


def test_a_clock_is_more_exact_than_the_date_of_a_source() -> None:
    run = store_dated("2016", started_at="2016-05-01T10:00:00Z")
    assert (run.started_at, run.started_by) == (datetime(2016, 5, 1, 10, tzinfo=UTC), None)


@pytest.mark.parametrize(
    ("dated", "words"),
    [
        ("2016-05-01", "1 May 2016"),
        ("2016-05", "May 2016"),
        ("2016", "2016"),
        ("2017 to 2021-01", "January 2017 to January 2021"),
        ("by 2014-05", "by May 2014"),
        ("by 2014-05-17", "by 17 May 2014"),
        ("2013 or later", "January 2013 or later"),
    ],
)
def test_a_page_says_it_no_more_exactly_than_the_source(dated: str, words: str) -> None:
    assert when_measured(store_dated(dated)) == words
