"""Security review, finding 1: a public file gives no access.

A delete key is sent once, and again only to its sender.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from submissions.models import Submission, keys
from submissions.writing import ingest
from tests.conftest import PROJECT
from tests.factories import body, specimen, uuid
from tests.security.world import state

pytestmark = pytest.mark.django_db

URL = "/api/v1/submissions/"
STARTER = sorted((PROJECT / "submissions" / "starter").glob("*.jsonl"))
TABLE = PROJECT / "submissions" / "starter" / "published" / "lechnology_ev3.csv"
LINES = [line for path in STARTER for line in path.read_bytes().splitlines() if line.strip()]
SECRET = "a" + "Zq3-_x9" * 6
ANOTHER = "b" + SECRET[1:]


def post(client: Client, data: bytes, secret: str = "", url: str = URL) -> Any:
    headers = {"Receipt-Secret": secret} if secret else {}
    kind = "application/jsonl" if "batch" in url else "application/json"
    return client.post(url, data, content_type=kind, headers=headers)


def key_of(answer: Any) -> str | None:
    assert answer.status_code in (200, 202), answer.content
    key: str | None = answer.json()["delete_key"]
    return key


@pytest.fixture
def starter(db: None) -> None:
    call_command("load_reports", *map(str, STARTER), verbosity=0)
    call_command("import_table", str(TABLE), verbosity=0)
    ingest.process_all_waiting(most=50)


@pytest.mark.usefixtures("starter")
def test_no_line_of_the_starter_data_gets_a_key(client: Client) -> None:
    before, count = state(), Submission.objects.count()
    lines = [bytes(kept) for kept in Submission.objects.values_list("body", flat=True)]
    assert count > len(LINES) > 10
    for line in lines:
        for secret in ("", SECRET):
            assert key_of(post(client, line, secret)) is None
    results = post(
        client, b"\n".join(b" ".join(line.split()) for line in lines), SECRET, URL + "batch/"
    ).json()["results"]
    assert [result["receipt"]["delete_key"] for result in results] == [None] * count
    assert (state(), Submission.objects.count()) == (before, count)


@pytest.mark.usefixtures("starter")
def test_a_uuid_of_the_starter_data_names_nothing(client: Client) -> None:
    """Another report with the same uuid is stored separately, and the loaded report does not change."""
    loaded = set(Submission.objects.values_list("public_id", flat=True))
    for line in LINES:
        forged = body(uuid=json.loads(line)["uuid"], card={"label": {"brand": "Evil"}}, measurements=[])
        assert post(client, forged).json()["id"] not in loaded
    assert not Submission.objects.filter(
        uuid__in=[json.loads(line)["uuid"] for line in LINES], channel="bulk"
    )


def test_a_file_that_is_loaded_again_is_known() -> None:
    """A bulk load knows a report by its uuid: a line that was corrected since the first load is not loaded twice."""
    line = json.loads(LINES[0])
    assert ingest.receive_all([(LINES[0], "source")], channel="bulk") == 1
    changed = json.dumps(line | {"note": "put right"}).encode()
    assert ingest.receive_all([(changed, "source")], channel="bulk") == 0


def test_a_lost_answer_costs_no_key(client: Client) -> None:
    first = key_of(post(client, body(uuid=uuid(1)), SECRET))
    assert first and key_of(post(client, body(uuid=uuid(1)), SECRET)) == first


def test_a_batch_whose_answer_was_lost_costs_none_either(client: Client) -> None:
    sent = b"\n".join(body(uuid=uuid(number), card=specimen(number)) for number in (1, 2))
    first, again = (post(client, sent, SECRET, URL + "batch/").json()["results"] for _ in range(2))
    assert [line["receipt"]["delete_key"] for line in again] == [
        line["receipt"]["delete_key"] for line in first
    ]


def test_a_text_whose_answer_was_lost_costs_none_either(client: Client) -> None:
    text = b"$ ./flashbench /dev/mmcblk1 --open-au --open-au-nr=1\n1MiB    5.19M/s\n"

    def key(secret: str) -> str | None:
        where = f"{URL}?brand=Kingston&capacity_gb=4"
        return key_of(client.post(where, text, content_type="text/plain", headers={"Receipt-Secret": secret}))

    first = key(SECRET)
    assert first and key(SECRET) == first
    assert key(ANOTHER) is None


def wrong_proofs() -> Iterator[tuple[str, bytes, str]]:
    yield "no secret", body(uuid=uuid(1)), ""
    yield "another secret", body(uuid=uuid(1)), ANOTHER
    yield "another content", body(uuid=uuid(1), note="mine, really"), SECRET
    yield "nothing but the uuid", body(uuid=uuid(1), measurements=[]), SECRET


@pytest.mark.parametrize(
    ("sent", "secret"), [case[1:] for case in wrong_proofs()], ids=[case[0] for case in wrong_proofs()]
)
def test_nobody_else_gets_the_key(client: Client, sent: bytes, secret: str) -> None:
    first = post(client, body(uuid=uuid(1)), SECRET).json()
    again = post(client, sent, secret).json()
    assert (again["id"], again["delete_key"]) == (first["id"], None)


def test_who_sent_no_secret_has_the_key_from_the_first_answer_alone(client: Client) -> None:
    assert key_of(post(client, body(uuid=uuid(1))))
    assert key_of(post(client, body(uuid=uuid(1)))) is None
    assert key_of(post(client, body(uuid=uuid(1)), SECRET)) is None


@pytest.mark.parametrize("secret", ["short", "x" * 200, "with blanks " * 4])
def test_a_secret_that_could_be_guessed_is_refused(client: Client, secret: str) -> None:
    answer = post(client, body(), secret)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "wrong_receipt_secret")
    assert not Submission.objects.exists()


def test_the_secret_itself_is_not_kept(client: Client) -> None:
    post(client, body(), SECRET)
    kept = Submission.objects.values().get()
    assert all(SECRET not in str(value) for value in kept.values())


def test_a_mail_opens_with_no_key() -> None:
    arguments = {"channel": "mail", "submitter": "x"}
    receipt = ingest.receive(body(), **arguments)  # type: ignore[arg-type]
    assert receipt.created and receipt.delete_key is None
    assert keys.delete_key(receipt.submission.public_id)
