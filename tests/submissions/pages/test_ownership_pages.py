"""Submissions are corrected and deleted with the delete key, in the browser that sent them, or with the account."""

from typing import Any

import pytest
from django.test import Client

from submissions.models import Run, Submission
from submissions.writing import ingest
from tests.factories import body, specimen, uuid

pytestmark = pytest.mark.django_db


@pytest.fixture
def receipt() -> ingest.Receipt:
    given = body(uuid=uuid(1), note="mine", card=specimen(1, label={"brand": "Kingstn", "marks": ["A1"]}))
    receipt = ingest.receive(given, channel="api", submitter="x")
    ingest.process(receipt.submission.pk)
    return receipt


@pytest.fixture
def url(receipt: ingest.Receipt) -> str:
    return f"/submissions/{receipt.submission.public_id}/"


@pytest.fixture
def owner(client: Client, receipt: ingest.Receipt, url: str) -> Client:
    """Return a client that has sent the delete key of a submission."""
    assert client.post(f"{url}change/", {"key": receipt.delete_key}).headers["Location"] == f"{url}change/"
    return client


def page(response: Any, status: int = 200) -> str:
    assert response.status_code == status
    return str(response.content.decode())


def test_it_works(owner: Client, url: str) -> None:
    form = page(owner.get(f"{url}change/"))
    assert 'value="Kingstn"' in form and "mine" in form and form.count("checked") == 1
    after = page(owner.post(f"{url}change/", {"brand": "Kingston", "condition": "fresh"}, follow=True))
    assert "Kingston 4 GB" in after
    assert "corrected by somebody with its delete key (brand, condition, marks, note)" in after
    assert (Run.objects.get().condition, Run.objects.get().note) == ("fresh", "")


def test_it_is_deleted_after_a_question(owner: Client, url: str) -> None:
    assert "Delete this submission?" in page(owner.get(f"{url}delete/"))
    assert Submission.objects.exists()
    assert "have been deleted" in page(owner.post(f"{url}delete/"))
    assert not Submission.objects.exists()
    page(owner.get(url), 404)


@pytest.mark.parametrize("verb", ["change", "delete"])
def test_a_stranger_is_asked_for_the_key(client: Client, url: str, verb: str) -> None:
    asked = page(client.get(f"{url}{verb}/"))
    assert "Delete key from the receipt" in asked and "mine" not in asked
    page(client.post(f"{url}{verb}/", {"brand": "Evil"}), 403)
    assert "not the delete key" in page(client.post(f"{url}{verb}/", {"key": "guess"}), 403)
    assert Run.objects.get().label["brand"] == "Kingstn"


def test_the_key_of_another_submission_does_not_help(client: Client, url: str) -> None:
    other = ingest.receive(body(uuid=uuid(2), note="x"), channel="api", submitter="x")
    page(client.post(f"{url}delete/", {"key": other.delete_key}), 403)


def test_its_account_needs_no_key(client: Client, url: str, django_user_model: Any) -> None:
    ada, bob = (django_user_model.objects.create_user(name) for name in ("ada", "bob"))
    Submission.objects.update(account=ada)
    client.force_login(bob)
    page(client.post(f"{url}delete/"), 403)
    client.force_login(ada)
    page(client.post(f"{url}delete/"))
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"brand": "x" * 201}, "at most 200"),
        ({"brand": "a\x07b"}, "label cannot be read"),
        ({"price": "5"}, "currency"),
        ({"capacity_gb": "1e9"}, "label cannot be read"),
        ({"condition": "mint"}, "mint"),
    ],
)
def test_nonsense_is_refused_in_words(owner: Client, url: str, wish: dict[str, str], said: str) -> None:
    assert said in page(owner.post(f"{url}change/", wish), 400)
    assert Run.objects.get().label["brand"] == "Kingstn"


def test_forms_of_other_sites_do_nothing(receipt: ingest.Receipt, url: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    page(strict.post(f"{url}delete/", {"key": receipt.delete_key}), 403)
    assert Submission.objects.exists()


def test_what_is_not_there_is_not_found(client: Client) -> None:
    page(client.get("/submissions/nobody/change/"), 404)
