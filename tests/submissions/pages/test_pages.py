"""The pages of cards, runs and submissions work in a browser without JavaScript."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from submissions.models import Submission, keys
from submissions.writing import ingest
from tests.factories import SA04G, SA04G_SERIAL, body, rand_write, report, specimen, uuid
from tests.small_crowd import vouch

pytestmark = pytest.mark.django_db

OPEN_AU = """$ ./flashbench /dev/mmcblk1 --open-au --erasesize=4194304 --blocksize=16384 --open-au-nr=1
4MiB    6.45M/s
2MiB    5.19M/s
1MiB    5.19M/s
"""
HTMX = {"HX-Request": "true"}


def file(number: int = 1, *, vouched: bool = False, **changes: object) -> Submission:
    submission = ingest.receive(
        body(uuid=uuid(number), **changes), channel="api", submitter="anybody"
    ).submission
    if vouched:
        vouch(submission)
    ingest.process(submission.pk)
    submission.refresh_from_db()
    return submission


def text(client: Client, url: str, **options: Any) -> str:
    response = client.get(url, **options)
    assert response.status_code == 200
    return response.content.decode()


# Tests of the page of a card.


def test_the_card_page_tells_one_specimen(client: Client) -> None:
    card = file().run.card
    page = text(client, card.get_absolute_url())
    assert "March 2013" in page
    assert "SA04G" in page


@pytest.mark.parametrize(
    "url",
    [
        "/models/nobody/",
        "/cards/nobody/",
        "/submissions/nobody/",
        "/nowhere/",
        "/cards/%00/",
        "/submissions/%00/",
    ],
)
def test_what_is_not_there_is_not_found_and_helps_on(client: Client, url: str) -> None:
    response = client.get(url)
    assert response.status_code == 404
    assert "Find a card by its name" in response.content.decode()


# Tests of the page of a run.

ALIGN = [
    {
        "workload": "align",
        "metric": "align_diff",
        "unit": "us",
        "values": [cost],
        "parameters": {"block_size_bytes": 1024, "align_bytes": align_bytes, "io": "direct"},
    }
    for align_bytes, cost in ((4096, 16), (16384, 520), (4194304, 690))
]


def test_a_run_is_drawn_with_its_numbers_and_registers(client: Client) -> None:
    page = text(client, file(measurements=[*ALIGN, rand_write()]).run.get_absolute_url())
    assert "4 MiB, 690 µs" in page, "the tip of a mark"
    assert page.count('<svg class="plot"') == 1, "a single value needs no picture"
    for said in ("690 µs", "500 IOPS", "Raspberry Pi 4 Model B", "MDT", "SCR, the specification"):
        assert said in page


def test_a_run_shows_neither_serial_number_nor_checksum(client: Client) -> None:
    page = text(client, file().run.get_absolute_url())
    assert "02544d534130344711········00d3··" in page
    assert "CRC7" not in page.partition("CSD, the capacity")[0]


@pytest.mark.parametrize("measurements", [1, 30])
def test_a_run_page_needs_three_queries(
    client: Client, measurements: int, django_assert_num_queries: Any
) -> None:
    url = file(measurements=[rand_write(n + 1) for n in range(measurements)]).run.get_absolute_url()
    with django_assert_num_queries(3):  # the run with all around it, its measurements, its geometry
        client.get(url)


@pytest.mark.parametrize("runs", [2, 5])
def test_a_card_page_shows_how_it_aged_in_three_queries(
    client: Client, runs: int, django_assert_num_queries: Any
) -> None:
    for number in range(runs):
        when = {"started_at": f"202{number}-11-20T12:00:00Z"}
        file(number + 1, run=report()["run"] | when, measurements=[rand_write(500 - number)])
    card = file(1).run.card
    with django_assert_num_queries(3):  # the card, its figures, its runs
        page = text(client, card.get_absolute_url())
    assert "What has changed" in page
    assert "500 IOPS" in page and "499 IOPS" in page


# A submission


def test_a_waiting_submission_asks_to_be_asked_again(client: Client) -> None:
    submission = ingest.receive(body(), channel="api", submitter="anybody").submission
    page = text(client, submission.get_absolute_url())
    assert 'hx-trigger="every 1s"' in page
    without_script = page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert '<meta http-equiv="refresh" content="2">' in without_script


def test_a_finished_submission_asks_no_more(client: Client) -> None:
    page = text(client, file(vouched=True).get_absolute_url())
    assert "every 1s" not in page
    assert 'http-equiv="refresh"' not in page
    assert "1 of 1" in page and ">ranked</li>" in page


def test_the_word_of_one_stranger_is_not_called_ranked(client: Client) -> None:
    page = text(client, file().get_absolute_url())
    assert "1 of 1" not in page and ">ranked</li>" not in page


def test_a_rejected_submission_says_why(client: Client) -> None:
    page = text(client, file(card={}).get_absolute_url())
    assert "does not identify the card" in page
    assert "We keep the report" in page


def test_a_submission_lists_what_was_not_understood(client: Client) -> None:
    page = text(client, file(measurements=[rand_write() | {"metric": "beauty"}]).get_absolute_url())
    assert "measurements[0].metric" in page


def test_only_the_outcome_goes_to_htmx(client: Client) -> None:
    assert b"<html" not in client.get(file().get_absolute_url(), headers=HTMX).content


@pytest.mark.parametrize("measurements", [1, 30])
def test_a_submission_page_needs_eight_queries(
    client: Client, measurements: int, django_assert_num_queries: Any
) -> None:
    url = file(measurements=[rand_write(n + 1) for n in range(measurements)]).get_absolute_url()
    # Submission with run and card, audit, verdicts, performances, places, figures, measurements, remarks.
    with django_assert_num_queries(8):
        client.get(url)


# Submitting on the page


def test_a_pasted_report_gets_a_page_and_a_key(client: Client) -> None:
    response = client.post("/submit/", {"text": body().decode()}, follow=True)
    assert response.status_code == 200
    page = response.content.decode()
    assert "being processed" in page
    assert keys.delete_key(Submission.objects.get().public_id) in page


def test_the_output_of_a_tool_is_shown_before_anything_is_stored(client: Client) -> None:
    page = client.post("/submit/", {"text": OPEN_AU, "brand": "Kingston", "capacity_gb": "4", "look": "1"})
    told = page.content.decode()
    assert page.status_code == 200
    assert "What we understood: Kingston 4 GB" in told
    assert "5.19 MB/s" in told
    assert OPEN_AU.splitlines()[1].strip() in told, "it can be sent from here"
    assert Submission.objects.count() == 0


def test_a_file_is_shown_and_can_then_be_sent_as_text(client: Client) -> None:
    upload = SimpleUploadedFile("log.txt", OPEN_AU.encode())
    told = client.post("/submit/", {"file": upload, "brand": "Kingston", "look": "1"}).content.decode()
    assert OPEN_AU.splitlines()[1].strip() in told.partition("<textarea")[2]


def test_a_report_is_shown_too(client: Client) -> None:
    told = client.post("/submit/", {"text": body().decode(), "look": "1"}).content.decode()
    assert "Made by Toshiba (TM), product SA04G" in told
    assert Submission.objects.count() == 0


@pytest.mark.parametrize(
    ("registers", "status", "said"),
    [({"cid": "02544d"}, 400, "32 hex digits"), (SA04G | {"ssr": "zz"}, 200, "card.registers.ssr")],
)
def test_a_look_says_of_registers_what_the_worker_would_say(
    client: Client, registers: dict[str, str], status: int, said: str
) -> None:
    given = body(card=report()["card"] | {"registers": registers}).decode()
    response = client.post("/submit/", {"text": given, "look": "1"})
    assert response.status_code == status
    assert said in response.content.decode()


def test_the_output_of_a_tool_becomes_a_submission(client: Client) -> None:
    response = client.post("/submit/", {"text": OPEN_AU, "brand": "Kingston"}, follow=True)
    assert "being processed" in response.content.decode()
    submission = Submission.objects.get()
    ingest.process(submission.pk)
    run = Submission.objects.get().run
    assert run.get_absolute_url() in text(client, submission.get_absolute_url())
    assert "5.19 MB/s" in text(client, run.get_absolute_url())


def test_without_registers_and_label_it_asks_for_the_label(client: Client) -> None:
    response = client.post("/submit/", {"text": OPEN_AU})
    assert response.status_code == 400
    assert "give at least its brand" in response.content.decode()
    assert Submission.objects.count() == 0


def test_the_key_is_shown_to_nobody_else(client: Client) -> None:
    client.post("/submit/", {"text": body().decode()})
    submission = Submission.objects.get()
    assert keys.delete_key(submission.public_id) not in text(Client(), submission.get_absolute_url())


def test_an_uploaded_report_is_taken(client: Client) -> None:
    upload = SimpleUploadedFile("report.json", body())
    assert client.post("/submit/", {"file": upload}).status_code == 302


@pytest.mark.parametrize(
    ("pasted", "said"),
    [
        ("", "Paste a report or the output of a tool"),
        ("flashbench -a", "We understood no measurement and no register"),
        ("{}", "We understood no measurement and no register"),
        ('{"format": "flashdb-report"}', "missing required field"),
        (body().decode()[:-20], "not JSON"),
        (body(mesurements=[]).decode(), "unknown field"),
    ],
)
def test_the_form_says_what_is_wrong_and_keeps_what_was_pasted(
    client: Client, pasted: str, said: str
) -> None:
    response = client.post("/submit/", {"text": pasted})
    assert response.status_code == 400
    assert said in response.content.decode()
    assert Submission.objects.count() == 0


def test_the_form_is_guarded_against_forged_requests() -> None:
    refused = Client(enforce_csrf_checks=True).post("/submit/", {"text": body().decode()})
    assert refused.status_code == 403
    assert "Send the form again" in refused.content.decode(), "a form that was open for long says what to do"


# Tests of all pages.


def test_no_page_shows_a_serial_number_or_a_raw_cid(client: Client) -> None:
    submission = file(4242, card=report()["card"] | {"specimen": "card 1"})
    for url in (
        "/",
        submission.get_absolute_url(),
        submission.run.card.get_absolute_url(),
        submission.run.get_absolute_url(),
        "/models/sa04g-4-gb-sd-02-544d/",
    ):
        page = text(client, url).lower()
        assert SA04G_SERIAL not in page and str(int(SA04G_SERIAL, 16)) not in page
        assert SA04G["cid"] not in page
        assert uuid(4242) not in page


@pytest.mark.parametrize("field", ["brand", "line", "model_number"])
def test_a_label_cannot_bring_its_own_markup(client: Client, field: str) -> None:
    label = {"brand": "Kingston"} | {field: "<script>alert(1)</script>"}
    submission = file(card=report()["card"] | {"label": label}, note="<img src=x onerror=alert(1)>")
    for url in (
        "/",
        submission.get_absolute_url(),
        submission.run.get_absolute_url(),
        submission.run.card.variant.card_model.get_absolute_url(),
    ):
        page = text(client, url)
        assert "<script>alert" not in page and "<img src=x" not in page


def test_a_source_cannot_be_a_script(client: Client) -> None:
    refused = client.post(
        "/submit/", {"text": body(source={"title": "x", "url": "javascript:alert(1)"}).decode()}
    )
    assert refused.status_code == 400


FULL_LABEL = {
    "brand": "Kingston",
    "capacity_gb": "4",
    "marks": ["C10", "U1"],
    "bought_at": "a market",
    "bought_on": "2024-05",
    "price": "9.9",
    "currency": "eur",
    "condition": "used",
    "note": "slow when warm",
}


def test_the_page_of_a_submission_tells_what_the_label_said(client: Client) -> None:
    response = client.post("/submit/", {"text": OPEN_AU} | FULL_LABEL)
    ingest.process(Submission.objects.get().pk)
    page = " ".join(text(client, response["Location"]).split())
    for told in ("Kingston 4 GB", "U1</span>", "at a market 2024-05 for 9.90 EUR", "used", "slow when warm"):
        assert told in page


def test_what_is_wrong_with_a_label_is_said(client: Client) -> None:
    response = client.post("/submit/", {"text": OPEN_AU, "brand": "Kingston", "price": "5"})
    assert response.status_code == 400
    assert "A price needs a currency" in response.content.decode()


@pytest.mark.parametrize("cards", [0, 1, 3])
def test_the_form_suggests_names_in_one_query_beside_that_of_the_client(
    client: Client, cards: int, django_assert_num_queries: Any
) -> None:
    for number in range(cards):
        file(number, card=specimen(number, label={"brand": "Zzz brand", "line": "A line"}))
    with django_assert_num_queries(2):
        page = client.get("/submit/").content.decode()
    assert page.count('<option value="Zzz brand">') == min(cards, 1)
    assert '<option value="Transcend">' in page


def test_the_privacy_page_says_what_is_barred(client: Client) -> None:
    page = text(client, "/privacy/")
    assert "a black bar over every word that is not on our list" in page
    assert 'href="/privacy/"' in text(client, "/")
