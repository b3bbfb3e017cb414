"""cardbench.api works with the real server: it reads lists, asks questions, sends reports, and follows runs."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from cardbench.api import Session
from cardbench.errors import ServerNotReached, ServerRefused, UsageError

from submissions.models import Submission
from submissions.writing import ingest
from tests.api.test_lists import card
from tests.client.server.test_submit import RECEIPT, Site, nobody, site
from tests.factories import SA04G, body, report, specimen, uuid

__all__ = ["site"]  # the fixture

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def session(live_server: Any) -> Session:
    return Session(live_server.url, attempts=1)


def process_all() -> None:
    for submission in Submission.objects.order_by("pk"):
        ingest.process(submission.pk)


def test_it_works(session: Session) -> None:
    receipt = session.submit(report())
    assert session.submission(receipt["id"])["state"] == "received"
    process_all()
    assert session.await_processed(receipt["id"])["state"] == "processed"
    assert session.run(receipt["id"])["model"]["slug"] == "sa04g-4-gb-sd-02-544d"
    session.delete(receipt)
    assert list(session.runs()) == []


def test_lists_are_read_to_their_end(session: Session) -> None:
    ids = [card(number) for number in range(1, 6)]
    assert [run["id"] for run in session.runs(ordering="filed_at", limit=2)] == ids
    assert list(session.runs(model="nobody", simulated=False, since=None)) == []
    assert [row["key"] for row in session.cards(fields=["key"])] == [row["key"] for row in session.cards()]
    assert {row["slug"] for row in session.rows("boards")} >= {"raspberry-pi-5"}


def test_what_one_asks(session: Session) -> None:
    assert session.decode(**SA04G)["pnm"] == "SA04G"
    assert session.parse("nothing in it")["cases"][0]["report"] is None
    assert Submission.objects.count() == 0


def test_a_text(session: Session) -> None:
    log = "$ ./flashbench /dev/sda --open-au --open-au-nr=1\n1MiB    5.19M/s\n"
    assert session.submit_text(log, brand="Kingston", capacity_gb=4)["state"] == "received"


def test_a_folder_of_reports(session: Session, tmp_path: Path) -> None:
    for number in range(5):
        document = json.dumps(report(uuid=uuid(number), card=specimen(number)), indent=2)
        (tmp_path / f"{number}.json").write_text(document)
    (tmp_path / "3.json").write_text("{broken\n")
    outcomes = list(session.submit_all(sorted(tmp_path.glob("*.json"))))
    assert [outcome["status"] for outcome in outcomes] == [202, 202, 202, 400, 202]
    assert [outcome["status"] for outcome in session.submit_all([tmp_path / "0.json"])] == [200]
    assert Submission.objects.count() == 4


def test_many_go_in_parts(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardbench.api._BATCH_LINES", 2)
    outcomes = list(session.submit_all(body(uuid=uuid(n), card=specimen(n)) for n in range(5)))
    assert [outcome["line"] for outcome in outcomes] == [1, 2, 1, 2, 1]


def test_what_comes_in_is_followed(session: Session) -> None:
    first = card(1)
    heard = session.follow(since="2026-01-01", every_s=0.01)
    assert next(heard)["id"] == first
    second = card(2)
    assert next(heard)["id"] == second
    ingest.process(Submission.objects.get(public_id=first).pk)  # processed again
    assert next(heard)["id"] == first


def test_only_a_model_is_followed(session: Session) -> None:
    card(1, "Transcend"), card(2)
    heard = session.follow(since="2026-01-01", model="kingston-4-gb")
    assert [run["model"]["name"] for run in islice(heard, 1)] == ["Kingston 4 GB"]


def test_the_words_of_the_server(session: Session) -> None:
    with pytest.raises(ServerRefused, match=r"There is no parameter “modell”.* \(at modell\) \(HTTP 400\)"):
        list(session.runs(modell="x"))
    with pytest.raises(ServerRefused, match="HTTP 403"):
        session.delete(session.submit(report()) | {"delete_key": "guess"})


@pytest.mark.parametrize("name", ["", "../admin", "a?b", "a/b", ".."])
def test_a_name_leads_nowhere_else(session: Session, name: str) -> None:
    with pytest.raises(UsageError):
        session.run(name)


def test_nobody_there() -> None:
    with pytest.raises(ServerNotReached):
        Session(nobody(), attempts=1).model("x")


def answers(site: Site) -> Iterator[str]:
    yield from (path for path, _, _ in site.requests)


def test_what_broke_on_the_way_back_is_asked_again_with_the_same_bytes(site: Site) -> None:
    site.will_say(0)
    site.will_say(503)
    site.will_say(200, {"results": [{"line": 1, "status": 200, "receipt": RECEIPT}]})
    patient = Session(site.url, first_pause_s=0.01, token="t0ken")
    assert [outcome["status"] for outcome in patient.submit_all([b'{"a":\n1}'])] == [200]
    assert [content for _, _, content in site.requests] == [b'{"a": 1}'] * 3
    assert site.requests[0][1]["Authorization"] == "Token t0ken"


def test_a_token_goes_to_one_server_only(site: Site) -> None:
    site.submission = {"results": [{"id": "a", "filed_at": ""}], "next": "http://else.example/api/v1/runs/"}
    session = Session(site.url, token="t0ken")
    with pytest.raises(ServerRefused, match="a different server"):
        list(session.runs())
    assert list(answers(site)) == []
