"""Security review, finding 12: /metrics/ gives the site's figures in the format of Prometheus."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from submissions import counters, tasks
from submissions.models import Submission
from submissions.visitors import admitting
from submissions.writing import refit
from tests.factories import body

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_counted(empty_broker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reset the counters of outages, and wait long for a busy Redis, so that slow machines do not fail the tests."""
    monkeypatch.setattr(counters, "outage", counters.Outage())
    monkeypatch.setattr(counters, "PATIENCE_S", 5.0)


def values(client: Client) -> dict[str, float]:
    admitting.arrivals.wait()
    response = client.get("/metrics/")
    assert response["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in response.content.decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_it_works(client: Client) -> None:
    client.post("/api/v1/submissions/", body(), content_type="application/json")
    client.post("/api/v1/submissions/", b"{", content_type="application/json")
    counted = values(client)
    assert counted['flashdb_submissions_accepted_total{channel="api"}'] == 1
    assert sum(counted[name] for name in counted if name.startswith("flashdb_submissions_refused_total")) == 1
    assert counted["flashdb_submissions_waiting"] == 1
    tasks.process_waiting()
    counted = values(client)
    assert (counted["flashdb_submissions_waiting"], counted["flashdb_batch_seconds_count"]) == (0, 1)
    assert counted['flashdb_batch_seconds_bucket{le="+Inf"}'] == 1
    assert counted['flashdb_submissions_finished_total{state="processed"}'] == 1


def test_the_same_report_counts_once(client: Client) -> None:
    for _ in range(2):
        client.post("/api/v1/submissions/", body(), content_type="application/json")
    assert values(client)['flashdb_submissions_accepted_total{channel="api"}'] == 1


def test_names_and_types_are_those_that_dashboards_ask_for(client: Client) -> None:
    lines = client.get("/metrics/").content.decode().splitlines()
    types = dict(line.split()[2:] for line in lines if line.startswith("# TYPE "))
    names = {"submissions_waiting", "oldest_waiting_seconds", "submissions_retried", "scrape_time_seconds"}
    times = {"sweep_time_seconds", "fit_time_seconds", "dump_time_seconds"}
    gauges = dict.fromkeys(names | times | {"redis_up"}, "gauge")
    names = {
        "submissions_accepted",
        "submissions_refused",
        "submissions_finished",
        "batches_broken",
        "requests",
    }
    totals = {f"{name}_total": "counter" for name in names}
    expected = gauges | totals | {"batch_seconds": "histogram", "request_seconds": "histogram"}
    assert types == {f"flashdb_{name}": kind for name, kind in expected.items()}


def test_batches_are_cumulated_by_their_upper_bounds(client: Client) -> None:
    counters.note_batch({"processed": 3}, seconds=0.25)
    counters.note_batch({"processed": 1}, seconds=60)
    counted = values(client)
    buckets = {name: value for name, value in counted.items() if name.startswith("flashdb_batch_seconds_b")}
    bounds = ("0.01", "0.03", "0.1", "0.3", "1", "3", "10", "+Inf")
    expected = dict(zip(bounds, (0, 0, 0, 1, 1, 1, 1, 2), strict=True))
    assert buckets == {f'flashdb_batch_seconds_bucket{{le="{le}"}}': count for le, count in expected.items()}
    assert counted["flashdb_batch_seconds_sum"] == 60.25
    assert counted['flashdb_submissions_finished_total{state="processed"}'] == 4


def test_a_stranger_sees_nothing(client: Client, settings: Settings) -> None:
    assert client.get("/metrics/", REMOTE_ADDR="192.0.2.1").status_code == 404
    settings.METRICS_TOKEN = "let me in"
    for brought, status in (("Bearer let me in", 200), ("Bearer something else", 404), ("", 404)):
        response = client.get("/metrics/", REMOTE_ADDR="192.0.2.1", headers={"Authorization": brought})
        assert response.status_code == status


def test_a_dead_redis_costs_a_count_and_nothing_else(client: Client, settings: Settings) -> None:
    settings.CACHES = settings.CACHES | {
        "default": settings.CACHES["default"] | {"LOCATION": "unix:///nowhere/redis.sock?db=0"}
    }
    settings.REDIS_URL = "unix:///nowhere/redis.sock?db=0"
    assert client.post("/api/v1/submissions/", body(), content_type="application/json").status_code == 202
    assert values(client)["flashdb_redis_up"] == 0
    assert Submission.objects.count() == 1


def test_answers_are_counted_by_status_and_time(client: Client) -> None:
    for address in ("/about/", "/nowhere/", "/about/"):
        client.get(address)
    counted = values(client)
    assert counted['flashdb_requests_total{status="4xx"}'] == 1
    assert counted['flashdb_requests_total{status="2xx"}'] == 2
    assert (
        counted["flashdb_request_seconds_count"] == counted['flashdb_request_seconds_bucket{le="+Inf"}'] == 3
    )


@pytest.mark.django_db(transaction=True)
def test_the_last_sweep_fit_and_dump_have_their_times(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    """An operator sees from these times that the scheduler is dead."""
    settings.MEDIA_ROOT = str(tmp_path)
    times = ("flashdb_sweep_time_seconds", "flashdb_fit_time_seconds", "flashdb_dump_time_seconds")
    assert [values(client)[name] for name in times] == [0, 0, 0]
    tasks.sweep()
    refit.refit()
    tasks.write_dump()
    counted = values(client)
    assert all(abs(counted[name] - time.time()) < 60 for name in times)


@pytest.fixture
def hanging_redis() -> Iterator[str]:
    """Yield the URL of a server that accepts connections but never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(50)
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}/0"


def test_a_redis_that_hangs_keeps_one_request_waiting_and_no_other(
    client: Client, settings: Settings, hanging_redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each refused request once waited two seconds for Redis."""
    settings.REDIS_URL = hanging_redis
    monkeypatch.setattr(counters, "PATIENCE_S", 0.05)
    took = []
    for _ in range(5):
        began = time.monotonic()
        assert client.post("/api/v1/submissions/", b"{", content_type="application/json").status_code == 400
        took.append(time.monotonic() - began)
    assert max(took) < 0.5 and sorted(took)[2] < 0.05
