"""While workers are behind, senders wait, whichever way they send, so that reports come no faster than processed."""

import mailbox
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from pathlib import Path
from threading import Event, Semaphore

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from submissions import counters, tasks
from submissions.models import Submission
from submissions.visitors import admitting
from submissions.visitors.admitting import BackPressure
from tests.factories import body, uuid
from tests.submissions.domain.intake.test_mail import message
from tests.submissions.management.test_import_table import table

API = "/api/v1/submissions/"
LOG = "cid: 02544d534130344711c0ffee0000d30f\n4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.25 s, 16.8 MB/s\n"
LAG_S, SHARE_S = BackPressure.FREE_S + 1.0, 0.2


@pytest.fixture(name="pauses")
def _pauses(empty_broker: None, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    # The pauses of senders, which are recorded instead of made.
    pauses: list[float] = []
    monkeypatch.setattr(admitting, "back_pressure", BackPressure(pause=pauses.append))
    return pauses


@pytest.fixture(name="lag")
def _lag(pauses: list[float], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Store the lag again before each check, because a slow machine may take longer than LASTS_S.
    monkeypatch.setattr(BackPressure, "LASTS_S", 60.0)
    counters.note_lag(LAG_S)
    admitting.back_pressure.set(LAG_S)
    yield
    admitting.arrivals.wait()
    counters.note_lag(0)


def send(client: Client, number: int) -> None:
    report = body(uuid=uuid(number))
    assert client.post(API, report, content_type="application/json").status_code == 202
    admitting.arrivals.wait()


@pytest.mark.django_db
def test_it_works(client: Client, pauses: list[float]) -> None:
    """After reports had to wait two seconds too long, later senders wait, until no report waits."""
    send(client, 1)
    Submission.objects.update(received_at=timezone.now() - timedelta(seconds=2 + BackPressure.FREE_S))
    tasks.process_waiting()
    send(client, 2)  # this process learns of the lag
    assert not pauses
    send(client, 3)
    assert pauses == [pytest.approx(0.4, abs=0.1)]
    tasks.process_waiting()  # these came just now
    send(client, 4)
    pauses.clear()
    send(client, 5)
    assert sum(pauses) < 0.2


DOORS: dict[str, Callable[[Client], object]] = {
    "report": lambda client: client.post(API, body(), content_type="application/json"),
    "text": lambda client: client.post(f"{API}?brand=Dahlia", LOG, content_type="text/plain"),
    "page with a report": lambda client: client.post("/submit/", {"text": body().decode()}),
    "page with a text": lambda client: client.post("/submit/", {"text": LOG, "brand": "Dahlia"}),
}


@pytest.mark.django_db
@pytest.mark.parametrize("door", DOORS)
def test_who_sends_one_report_waits(door: str, client: Client, pauses: list[float], lag: None) -> None:
    DOORS[door](client)
    assert (Submission.objects.count(), pauses) == (1, [SHARE_S])


@pytest.mark.django_db
def test_a_batch_waits_once_for_each_report_that_is_taken(
    client: Client, pauses: list[float], lag: None
) -> None:
    lines = b"\n".join([*(body(uuid=uuid(number)) for number in range(3)), b"nonsense"])
    answer = client.post(f"{API}batch/", lines, content_type="application/jsonl").json()
    assert [line["status"] for line in answer["results"]] == [202, 202, 202, 400]
    assert pauses == [pytest.approx(3 * SHARE_S)]


@pytest.mark.django_db
def test_who_imports_files_waits(tmp_path: Path, pauses: list[float], lag: None) -> None:
    reports = tmp_path / "reports.jsonl"
    reports.write_bytes(body() + b"\n")
    call_command("load_reports", str(reports), stdout=StringIO())
    call_command("import_table", str(table(tmp_path, {})), "--source=T", "--author=a", stdout=StringIO())
    assert pauses == [SHARE_S, SHARE_S]


@pytest.mark.django_db
def test_who_imports_mail_waits(tmp_path: Path, pauses: list[float], lag: None) -> None:
    archive = mailbox.mbox(tmp_path / "2011-March.mbox")
    archive.add(message(LOG, Subject="Kingston 4 GB"))
    archive.flush()
    call_command("import_mail", str(tmp_path / "2011-March.mbox"), stdout=StringIO(), stderr=StringIO())
    assert (Submission.objects.count(), pauses) == (1, [SHARE_S])


def test_nobody_waits_where_no_worker_is_behind() -> None:
    pauses: list[float] = []
    pressure = BackPressure(pause=pauses.append)
    pressure.wait()
    pressure.set(BackPressure.FREE_S)
    pressure.wait()
    assert not pauses


@pytest.mark.parametrize(
    ("reports", "pause_s"), [(1, BackPressure.MOST_S), (9, 4.5), (1000, BackPressure.MOST_OF_BATCH_S)]
)
def test_nobody_waits_long(reports: int, pause_s: float) -> None:
    pauses: list[float] = []
    pressure = BackPressure(pause=pauses.append)
    pressure.set(3600.0)
    pressure.wait(reports=reports)
    assert pauses == [pause_s]


def test_a_batch_of_which_nothing_is_taken_does_not_wait() -> None:
    pauses: list[float] = []
    pressure = BackPressure(pause=pauses.append)
    pressure.set(1.0)
    pressure.wait(reports=0)
    assert not pauses


def test_a_lag_of_long_ago_does_not_count() -> None:
    pauses: list[float] = []
    pressure = BackPressure(pause=pauses.append)
    pressure.LASTS_S = -1.0
    pressure.set(1.0)
    pressure.wait()
    assert not pauses


def test_some_threads_stay_free_for_pages() -> None:
    may_go, waiting = Event(), Semaphore(0)

    def pause(_: float) -> None:
        waiting.release()
        may_go.wait()

    pressure = BackPressure(pause=pause)
    pressure.set(1.0)
    with ThreadPoolExecutor(BackPressure.PLACES) as senders:
        for _ in range(BackPressure.PLACES):
            senders.submit(pressure.wait)
            waiting.acquire()
        pressure.wait()  # would never end
        may_go.set()
    assert not waiting.acquire(blocking=False)
    pressure.wait()  # the places are free again
    assert waiting.acquire(blocking=False)
