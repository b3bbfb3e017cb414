"""The command import_mail of manage.py, with an invented mail archive of real logs."""

import gzip
import json
import mailbox
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from submissions.models import Run, Submission
from submissions.writing import ingest
from tests import corpus
from tests.submissions.domain.intake.test_mail import answer, message

pytestmark = pytest.mark.django_db

PAGE = (corpus.LOGS / "flashbench" / "sa04g-whole-page.txt").read_text(encoding="utf-8")
ARND = (corpus.LOGS / "flashbench" / "003-pqi-32gb-class10-gentoo-wiki.txt").read_text(encoding="utf-8")
DD = "$ dd if=/dev/zero of=/dev/sdb bs=4M count=10\n41943040 bytes (42 MB) copied, 6.02546 s, 7.0 MB/s\n"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Write a mail archive of four people: a result, a reply that quotes it, an attached result, and small talk."""
    box = mailbox.mbox(tmp_path / "2011-March.mbox")
    box.add(message(PAGE, Subject="[flashbench-results] a 4 GB card"))
    quoted = "\n".join(f"> {line}" for line in PAGE.splitlines())
    box.add(answer(f"{quoted}\nThank you! My dd says 7 MB/s.\n", 2))
    attached = message(
        "log attached", Message_ID="<3@example.org>", Subject="PQI 32GB", From="bob@example.org"
    )
    attached.add_attachment(ARND, filename="pqi.txt")
    box.add(attached)
    box.add(message("no numbers here", Message_ID="<4@example.org>"))
    box.add(message(DD, Message_ID="<5@example.org>", Subject="some stick"))
    box.flush()
    return tmp_path / "2011-March.mbox"


def run(*arguments: Any) -> str:
    out = StringIO()
    call_command("import_mail", *arguments, stdout=out, stderr=out)
    for pk in Submission.objects.values_list("pk", flat=True):
        ingest.process(pk)
    return out.getvalue()


def test_it_works(archive: Path) -> None:
    output = run(archive, "--archive", "https://lists.example.org/{id}/")
    assert output.splitlines()[-1] == "2 new, 1 refused, 2 without a result"
    whole, attached = Run.objects.order_by("submission_id")
    assert whole.measurements.count() == 201
    assert whole.source_title == "Mail “a 4 GB card”, 2011-03-14"
    assert (whole.source_author, whole.source_url) == ("J. Q. R.", "https://lists.example.org/1@example.org/")
    assert attached.card.variant.card_model.name.startswith("PQI 32 GB")
    assert whole.submission.submitter != attached.submission.submitter


def test_why_something_was_refused_is_told(archive: Path) -> None:
    assert "answer whether it was one: “some stick” <5@example.org>" in run(archive)


def test_an_import_that_broke_off_is_repeated(archive: Path) -> None:
    run(archive)
    Submission.objects.order_by("pk").last().delete()  # type: ignore[union-attr]
    assert run(archive).splitlines()[-1] == "1 known, 1 new, 1 refused, 2 without a result"
    assert Submission.objects.count() == 2


def test_a_report_lists_what_was_not_understood(archive: Path, tmp_path: Path) -> None:
    run(archive, "--report", tmp_path / "told.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "told.jsonl").read_text().splitlines()]
    assert [line["outcome"] for line in lines] == [
        "new",
        "without a result",
        "new",
        "without a result",
        "refused",
    ]
    assert lines[0]["submission"] == Submission.objects.earliest("pk").public_id
    assert lines[0]["not_understood"] and lines[0]["numbers_not_understood"] > 0
    assert all({"line", "text"} == set(line) for line in lines[0]["not_understood"])


def test_a_packed_archive_is_read(archive: Path, tmp_path: Path) -> None:
    packed = tmp_path / "2011-March.mbox.gz"
    packed.write_bytes(gzip.compress(archive.read_bytes()))
    assert run(packed).splitlines()[-1].startswith("2 new")


def test_a_message_about_two_cards_is_taken_part_by_part(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "two.mbox")
    both = message("two logs", Subject="Kingston")
    for device in ("sda", "sdb"):
        log = f"/dev/{device}:\n Timing buffered disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec\n"
        both.add_attachment(log, filename=f"{device}.txt")
    box.add(both)
    box.flush()
    assert run(tmp_path / "two.mbox").splitlines()[-1] == "2 new, 1 without a result"


def test_nobody_is_named(archive: Path, client: Client) -> None:
    run(archive)
    for submission in Submission.objects.all():
        for page in (submission.get_absolute_url(), f"/submissions/{submission.public_id}/text/"):
            text = client.get(page).content.decode()
            assert "Jane" not in text and "jane" not in text and "bob@" not in text


@pytest.mark.parametrize("content", [b"", b"no archive at all"])
def test_a_file_without_messages_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.mbox").write_bytes(content)
    with pytest.raises(CommandError, match="contains no messages"):
        run(tmp_path / "x.mbox")


def test_a_file_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Cannot read"):
        run(tmp_path / "x.mbox")


def test_an_address_without_its_hole_is_refused(archive: Path) -> None:
    with pytest.raises(CommandError, match=r"contains \{id\}"):
        run(archive, "--archive", "https://lists.example.org/")
