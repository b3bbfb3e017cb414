"""The first sentence of a receipt answers the question behind a log; lost data in any form excludes a card."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from submissions.models import Card, CardModel, Performance, Submission
from submissions.writing import ingest
from tests import corpus, small_crowd, truth
from tests.factories import rand_read, rand_write, report, seq_read, specimen, uuid
from tests.submissions.pages.test_model_page import file

pytestmark = pytest.mark.django_db

BRAND = {"brand": "Lexar", "line": "Play", "capacity_gb": "32"}
CQE = """\
[    2.512998] mmc0: new ultra high speed SDR104 SDXC card at address aaaa
[    2.521376] mmcblk0: mmc0:aaaa SN128 119 GiB
[  242.302] mmc0: running CQE recovery
"""


def log(name: str) -> str:
    text = (corpus.LOGS / name).read_text(encoding="utf-8")
    return text.partition("---\n")[2] if text.startswith("# source") else text


def sample(tool: str, begin: str) -> str:
    samples = truth.samples(corpus.LOGS)
    return next(one.text for one in samples if one.tool == tool and begin in one.source)


def send(text: str, **label: str) -> Submission:
    receipt = ingest.receive_parts(text.encode(), [ingest.pasted.claims_of(BRAND | label)], **FROM)[0]
    ingest.process(receipt.submission.pk)
    return Submission.objects.get(pk=receipt.submission.pk)


FROM: dict[str, Any] = {"channel": "page", "submitter": "anybody"}


def first_sentence(client: Client, submission: Submission) -> str:
    shown = client.get(submission.get_absolute_url()).content.decode()
    after_title = re.sub(r"<[^>]*>", " ", shown.partition("</h1>")[2])
    return " ".join(after_title.split())


# Logs with the question that people ask about them, and the beginning of the receipt.
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param(
            sample("h2testw", "German, decimal comma"),
            "Smaller than it claims: it holds only 8.27 GB of 32.00 GB. Anything you save beyond that is"
            " lost.",
            id="is my card a fake?",
        ),
        pytest.param(
            sample("sdmon", "16012870341"),
            "The card reports that 0.03 % of its life is used up.",
            id="how worn is my card?",
        ),
        pytest.param(
            CQE,
            "Command queueing fails in the card or the host: the kernel logged “running CQE recovery”."
            " Turn the queue off: on a Raspberry Pi 5, add dtparam=sd_cqe=0",
            id="why does it hang?",
        ),
        pytest.param(
            log("flashbench/002-readme-example-arnd.txt"),
            "Erase block, estimated: 4 MiB.",
            id="which erase block size?",
        ),
        pytest.param(
            log("hdparm/004-rpi-sd-extender.txt"),
            "Large reads: 22.7 MB/s.",
            id="what does this table say?",
        ),
        pytest.param(
            log("flashbench/074-wirenboard-32-noid.txt"),
            "We do not count this as a card: the label says 32 GB, but the measured device holds 0.5054 GB.",
            id="why is it not listed?",
        ),
        pytest.param(
            log("pibenchmarks/001-sandisk-ultra-16gb-rpi4.txt"),
            "Small writes: 370 IOPS. Too slow for “Running the system”, which needs 500 IOPS.",
            id="is it fast enough for a Pi?",
        ),
        pytest.param(
            log("agnostics/005-32gb-class10-usb-reader-fail.txt"),
            "Large writes: 3.33 MB/s. Too slow for “Running the system”, which needs 10 MB/s.",
            id="why does the diagnosis fail?",
        ),
        pytest.param(
            "$ dd if=/dev/zero of=/media/card/test bs=4M count=256 conv=fsync\n"
            "1073741824 bytes (1.1 GB) copied, 98.0453 s, 11.0 MB/s\n",
            "Sequential write, synced at the end: 11 MB/s (typical for a card: 20 MB/s). This value is not"
            " ranked: zeros were written, which some controllers store without any work. For a result that"
            " we can rank, use cardbench run",
            id="is this rate good?",
        ),
    ],
)
def test_the_first_sentence_answers(client: Client, text: str, answer: str) -> None:
    assert first_sentence(client, send(text)).startswith(answer)


def test_everything_else_follows_with_its_next_step_and_source(client: Client) -> None:
    shown = first_sentence(client, send(sample("mmc-utils", "49007054583")))
    assert "good It has enough spare blocks left. JESD84-B51, EXT_CSD 267: PRE_EOL_INFO 1" in shown
    assert (
        "note The report does not show who made the card, because it contains no CID register. Put the"
        " card into an SD slot"
    ) in shown


LOST = {
    "H2testw, all of the card": lambda: send(sample("h2testw", "German, decimal comma")),
    "H2testw, a part": lambda: send(sample("h2testw", "54785941211")),
    "H2testw, a few sectors": lambda: send(sample("h2testw", "43206314014"), capacity_gb="64"),
    "H2testw, only its verdict": lambda: send(sample("h2testw", "61401341224")),
    "f3read": lambda: send(log("f3/003-fake-128gb-8gb-real-cache.txt"), capacity_gb="128"),
    "f3read, a few sectors": lambda: send(sample("f3", "30850677197")),
    "f3probe, limbo": lambda: send(log("f3/005-f3probe-limbo-16gb-7.86gb.txt"), capacity_gb="16"),
    "f3probe, damaged": lambda: send(log("f3/011-damaged-2gb-f3probe-6.0-pt.txt"), capacity_gb="2"),
    "cardbench, stamps lost": lambda: report_of(values=[1e9], parameters={"capacity_kind": "damaged"}),
    "cardbench, nothing kept": lambda: report_of(failure={"code": "damaged", "detail": "nothing"}),
    "errors over the whole card": lambda: report_of(
        workload="fill",
        metric="throughput",
        unit="MB/s",
        parameters={"direction": "read"},
        failure={"code": "EIO"},
    ),
}


def report_of(**row: Any) -> Submission:
    test = {"workload": "capacity", "metric": "real_capacity", "unit": "B", "values": []} | row
    return file(measurements=[rand_write(5000), test], vouched=True)


@pytest.mark.parametrize("form", LOST)
def test_lost_data_closes_the_gate(client: Client, form: str) -> None:
    submission = LOST[form]()
    model = CardModel.objects.get()
    assert model.lost_data and model.suspicious_cards == 1
    assert Card.objects.get().verdict == "suspicious"
    listed = Performance.objects.filter(card_model=model, card_model__lost_data=False)
    assert not listed.exists(), "no list asks for others"
    answer = client.get(f"/api/v1/submissions/{submission.public_id}/").json()
    first = answer["findings"][0]
    assert (first["kind"], first["severity"], answer["verdict"]) == ("real size", "alarm", "suspicious")
    assert answer["suspicions"][0]["reason"] == "suspicious because it lost data in a test of its capacity"
    assert first_sentence(client, submission).startswith(first["sentence"])
    assert "Place " not in first_sentence(client, submission)
    ranked = client.get("/api/v1/models/", {"board": "raspberry-pi-4", "q": model.name}).json()["results"]
    assert [row["place"] for row in ranked if row["slug"] == model.slug] in ([], [None])


def test_a_card_pulled_out_has_lost_nothing(client: Client) -> None:
    submission = report_of(failure={"code": "ENODEV", "detail": "no such device"})
    assert submission.run.lost_data is None
    assert first_sentence(client, submission).startswith("It disappeared or stopped responding")


def forum_text(client: Client, submission: Submission) -> str:
    shown = client.get(submission.get_absolute_url()).content.decode()
    code = shown.partition("<p>Markdown</p>")[2].partition("<code>")[2].partition("</code>")[0]
    return html.unescape(code)


def test_a_loss_that_does_not_count_leads_its_receipt_and_leaves_the_model_its_place(client: Client) -> None:
    fast = [rand_write(3000), rand_read(3000), seq_read(40)]
    lost = {"workload": "capacity", "metric": "real_capacity", "unit": "B", "values": [2**30]}
    sent = [
        small_crowd.receive(
            report(uuid=uuid(card), card=specimen(card), measurements=measured), f"person {card}"
        )
        for card, measured in ((1, fast), (2, fast), (3, [*fast, lost]))
    ]
    small_crowd.vouch(*sent[:2])
    small_crowd.process(sent)
    receipt, forum = first_sentence(client, sent[2]), forum_text(client, sent[2])
    assert receipt.startswith("Smaller than it claims: it holds only 1.07 GB")
    assert "counted; the model keeps place 1 of 1, because too few people report lost data" in receipt
    assert "too little of this model has been measured" not in receipt
    assert (
        ". Smaller than it claims: it holds only 1.07 GB of 3.90 GB. Anything you save beyond that is lost."
        in forum
    )
    assert "fast enough" not in forum and "fast enough" in forum_text(client, sent[0])


def test_the_other_results_of_a_text_come_after_its_findings(client: Client) -> None:
    first, other = send(CQE), send(sample("h2testw", "German, decimal comma"))
    shown = client.get(first.get_absolute_url(), {"also": other.public_id}).content.decode()
    assert shown.index('class="answer found') < shown.index("Other results from your text")
