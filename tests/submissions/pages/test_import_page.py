"""Moderators bring in what others have published: a look first, then kept once, each value with its author."""

import pytest
from celery import current_app
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from submissions.domain.intake.published.table import COLUMNS
from submissions.models import Measurement, Run, Submission
from submissions.writing import ingest, refit
from tests.conftest import show_second_factor
from tests.submissions.management.test_import_table import ROW

pytestmark = pytest.mark.django_db(transaction=True)

SOURCE = {"title": "Cards in our cluster", "url": "https://forum.example.org/t/7", "licence": "CC BY 4.0"}
DD = "dd if=/dev/zero of=x bs=4M count=50 oflag=direct\n209715200 bytes (210 MB) copied, {} MB/s\n"
THREAD = f"""Which card?
=== ann, 2024-05-01
My SanDisk 64 GB:
{DD.format("10 s, 21.0")}
=== bob, 2024-05-02
Nice! Mine:
{DD.format("12.5 s, 16.8")}
=== carol, 2024-05-03
Thanks to both.
"""


def table(*rows: dict[str, str]) -> str:
    lines = [",".join(f'"{(ROW | row).get(name, "")}"' for name in COLUMNS) for row in rows]
    return "\n".join([",".join(COLUMNS), *lines])


def sent(client: Client, text: str, **fields: str) -> str:
    return client.post("/import/", SOURCE | {"text": text} | fields).content.decode()


def test_it_works(admin_client: Client):
    page = sent(admin_client, THREAD, look="1")
    assert "1. ann" in page and "SanDisk 64 GB" in page
    assert "No measurement and no register was understood" in page
    assert "say at least its brand" in page
    assert not Submission.objects.exists()

    told = {"p1-brand": "SanDisk", "p1-line": "Ultra", "p1-capacity_gb": "64", "p2-brand": "Kingston"}
    assert sent(admin_client, THREAD, **told).count("new") >= 2
    ingest.work_off(most=100)
    ann, bob = Run.objects.order_by("source_place")
    assert ann.card.variant.card_model.name == "SanDisk Ultra 64 GB"
    assert (ann.source_author, ann.source_place, ann.source_dated) == ("ann", "post 1", "2024-05-01")
    assert (bob.source_title, bob.source_licence) == (SOURCE["title"], SOURCE["licence"])
    assert ann.source_slug == bob.source_slug == "cards-in-our-cluster"
    assert ann.submission.submitter != bob.submission.submitter
    assert Measurement.objects.get(run=bob, metric="throughput").value == 209715200 / 12.5


def test_what_is_kept_wakes_a_worker_and_a_look_does_not(admin_client: Client, empty_broker: None):
    for look, called in (({"look": "1"}, 0), ({}, 1)):
        sent(admin_client, THREAD, **look)
        with current_app.connection_for_write() as broker:
            queued = broker.default_channel.client.lrange("celery", 0, -1)
        assert sum(b"submissions.process_waiting" in task for task in queued) == called


def test_what_was_looked_at_as_a_file_can_be_kept(admin_client: Client):
    """A browser does not send a file twice."""
    file = SimpleUploadedFile("thread.txt", THREAD.encode())
    looked = admin_client.post("/import/", SOURCE | {"file": file, "look": "1"}).content.decode()
    assert "My SanDisk 64 GB:" in looked.partition("<textarea")[2].partition("</textarea>")[0]


def test_the_same_thread_again_changes_nothing(admin_client: Client):
    told = {"p1-brand": "SanDisk", "p2-brand": "Kingston"}
    sent(admin_client, THREAD, **told)
    assert sent(admin_client, THREAD, **told).count("already there") == 2
    assert Submission.objects.count() == 2


def test_a_post_that_is_left_out_is_not_kept(admin_client: Client):
    sent(admin_client, THREAD, **{"p1-brand": "SanDisk", "p2-brand": "Kingston", "p2-leave": "on"})
    assert [submission.channel for submission in Submission.objects.all()] == ["mail"]


def test_a_table_is_looked_at_and_kept_once(admin_client: Client):
    text = table(
        {}, {"specimen": ""}, {"metric": "throughput", "command_or_workload": "?", "specimen": "two"}
    )
    page = sent(admin_client, text, look="1")
    assert "3 rows make 2 reports" in page
    assert "specimen must be given (1, first in line 3)" in page
    assert "does it read or write?" in page
    assert not Submission.objects.exists()

    assert "2 new reports of 2" in sent(admin_client, text, vouched="on")
    assert "0 new reports of 2" in sent(admin_client, text)
    ingest.work_off(most=100)
    refit.catch_up()
    assert {run.source_title for run in Run.objects.all()} == {SOURCE["title"]}
    assert {submission.vouched for submission in Submission.objects.all()} == {True}


@pytest.mark.parametrize("text", ["hello", "a,b\n1,2", "metric,value,specimen\n1,2,3", "\x00"])
def test_anything_else_is_refused_in_words(admin_client: Client, text: str):
    answer = admin_client.post("/import/", SOURCE | {"text": text, "look": "1"})
    assert answer.status_code == 400
    assert 'role="alert"' in answer.content.decode()


def test_a_source_has_a_title(admin_client: Client):
    assert admin_client.post("/import/", {"text": THREAD, "look": "1"}).status_code == 400


def test_only_moderators_with_two_locks_see_it(client: Client, django_user_model: type[User]):
    assert client.get("/import/").status_code == 302
    looker = django_user_model.objects.create_user("looker", password="x", is_staff=True)
    client.force_login(looker)
    assert client.get("/import/").status_code == 302
    show_second_factor(client, looker)
    assert client.get("/import/").status_code == 404
    looker.user_permissions.add(Permission.objects.get(codename="add_submission"))
    assert client.get("/import/").status_code == 200
