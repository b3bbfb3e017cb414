"""/metrics/: what Prometheus reads."""

import re

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from submissions import tasks
from submissions.models import Submission
from tests.factories import body

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_counted(empty_broker: None) -> None:
    """Counters are in the Redis that `empty_broker` empties."""


def values(client: Client) -> dict[str, float]:
    tasks.arrivals.wait()
    response = client.get("/metrics/")
    assert response["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in response.content.decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_it_works(client: Client) -> None:
    client.post("/api/v1/submissions/", body(), content_type="application/json")
    client.post("/api/v1/submissions/", b"{", content_type="application/json")
    told = values(client)
    assert told['flashdb_submissions_accepted_total{channel="api"}'] == 1
    assert sum(told[name] for name in told if name.startswith("flashdb_submissions_refused_total")) == 1
    assert told["flashdb_submissions_waiting"] == 1
    tasks.process_waiting()
    told = values(client)
    assert (told["flashdb_submissions_waiting"], told["flashdb_batch_seconds_count"]) == (0, 1)
    assert told['flashdb_batch_seconds_bucket{le="+Inf"}'] == 1
    assert told['flashdb_submissions_finished_total{state="processed"}'] == 1


def test_the_same_report_counts_once(client: Client) -> None:
    for _ in range(2):
        client.post("/api/v1/submissions/", body(), content_type="application/json")
    assert values(client)['flashdb_submissions_accepted_total{channel="api"}'] == 1


def test_every_line_is_a_sample_or_says_what_it_is(client: Client) -> None:
    client.post("/api/v1/submissions/", body(), content_type="application/json")
    tasks.arrivals.wait()
    for line in client.get("/metrics/").content.decode().splitlines():
        assert re.fullmatch(
            r'# (HELP|TYPE) flashdb_\w+ .+|flashdb_\w+(\{\w+="[^"]*"\})? -?[\d.e+-]+', line
        ), line


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
