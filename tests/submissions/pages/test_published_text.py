"""The site publishes only some parts of a pasted text, and of the fields beside it."""

from typing import Any

import pytest
from django.test import Client

from submissions.domain.pasting.pasted import Claims
from submissions.domain.report import Label, Source
from submissions.models import Submission
from submissions.writing import ingest
from tests.factories import SA04G, SA04G_SERIAL

pytestmark = pytest.mark.django_db

PASTED = f"""Hi, Jane here.
pi@raspberrypi:~ $ cat /sys/block/mmcblk0/device/cid /home/pi/x
cid: {SA04G["cid"]}
csd: {SA04G["csd"]}
pi@raspberrypi:~ $ sudo hdparm -t --direct /dev/mmcblk0
 Timing O_DIRECT disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec
-- Jane, 0171 234567
"""


def file(text: str = PASTED, **claims: Any) -> Submission:
    receipt = ingest.receive_parts(text.encode(), [Claims(**claims)], channel="page", submitter="jane")[0]
    ingest.process(receipt.submission.pk)
    return Submission.objects.get(pk=receipt.submission.pk)


def page(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode()


def test_it_works(client: Client) -> None:
    submission = file()
    assert page(client, f"/submissions/{submission.public_id}/text/") == (
        "[… 1 line not published]\n"
        "███$ cat /sys/block/mmcblk0/device/cid ███\n"
        "cid: ███\n"
        "csd: ███\n"
        "███$ sudo hdparm -t --direct /dev/mmcblk0\n"
        " Timing O_DIRECT disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec"
    )
    told = page(client, submission.get_absolute_url())
    assert "hdparm -t --direct /dev/mmcblk0" in told
    assert "Jane" not in told and "raspberrypi" not in told and SA04G_SERIAL not in told


def test_a_text_that_is_not_worked_out_yet_is_not_published(client: Client) -> None:
    receipt = ingest.receive_parts(PASTED.encode(), [Claims()], channel="page", submitter="jane")[0]
    assert client.get(f"/submissions/{receipt.submission.public_id}/text/").status_code == 404
    assert "hdparm -t" not in page(client, receipt.submission.get_absolute_url())


def test_what_the_rules_of_today_remove_goes_from_older_texts(client: Client) -> None:
    submission = file()
    Submission.objects.update(published="jane's secret")
    ingest.process(submission.pk)
    assert "secret" not in page(client, f"/submissions/{submission.public_id}/text/")


def test_a_deleted_text_is_gone(client: Client) -> None:
    submission = file()
    ingest.delete(submission)
    assert client.get(f"/submissions/{submission.public_id}/text/").status_code == 404


def test_a_long_text_is_shown_in_part(client: Client) -> None:
    submission = file(
        "hdparm -t --direct /dev/mmcblk0\n" + PASTED.splitlines()[5] + "\n" + "x\n", label=Label(brand="X")
    )
    Submission.objects.update(published="row\n" * 10_000)
    told = page(client, submission.get_absolute_url())
    assert 3_999 <= told.count("row\n") <= 4_001
    assert page(client, f"/submissions/{submission.public_id}/text/").count("row\n") == 10_000


def test_what_its_owner_wrote_names_neither_card_nor_person(client: Client) -> None:
    serial = int(SA04G_SERIAL, 16)
    submission = file(
        note=f"my card {serial}, write to jane@example.org",
        label=Label(brand="Kingston", line=f"no {SA04G_SERIAL}", bought_at="C:\\Users\\Jane\\shop"),
        source=Source(title=f"A mail about {SA04G_SERIAL}", author="J. R.", url="https://example.org/1"),
    )
    run = submission.run
    assert run.note == "my card ███, write to ███"
    assert run.label["line"] == "no ███"
    assert run.label["bought_at"] == "███"
    assert (run.source_title, run.source_url) == ("A mail about ███", "")
    assert str(serial) not in page(client, run.card.variant.card_model.get_absolute_url())
