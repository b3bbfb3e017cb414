"""The admin site shows all data, edits none, and corrects the names of models by actions."""

from typing import Any

import pytest
from django.test import Client

from submissions.models import CardModel, Submission, Variant
from submissions.writing import ingest
from tests.conftest import show_second_factor
from tests.factories import SA04G, SA04G_SERIAL, body, specimen, uuid

pytestmark = pytest.mark.django_db

MODELS = "/admin/submissions/cardmodel/"
VARIANTS = "/admin/submissions/variant/"


def file(number: int, brand: str) -> Submission:
    sent = body(uuid=uuid(number), card=specimen(number, label={"brand": brand}))
    submission = ingest.receive(sent, channel="api", submitter="anybody").submission
    ingest.process(submission.pk)
    return submission


def act(client: Client, url: str, action: str, rows: Any, **fields: str) -> str:
    chosen = [row.pk for row in rows]
    response = client.post(url, {"action": action, "_selected_action": chosen, **fields}, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def slugs() -> set[str]:
    return set(CardModel.objects.values_list("slug", flat=True))


def test_it_works(admin_client: Client) -> None:
    file(1, "Kingston")
    for noun in ("cardmodel", "variant", "card", "submission", "correction", "formerslug"):
        assert admin_client.get(f"/admin/submissions/{noun}/").status_code == 200


def test_nothing_can_be_edited(admin_client: Client) -> None:
    submission = file(1, "Kingston")
    url = f"/admin/submissions/submission/{submission.pk}/change/"
    assert admin_client.post(url, {"state": "rejected"}).status_code == 403
    assert admin_client.get(f"{MODELS}add/").status_code == 403


def test_a_submission_is_shown_without_what_is_private(admin_client: Client) -> None:
    submission = file(1, "Kingston")
    page = admin_client.get(f"/admin/submissions/submission/{submission.pk}/change/").content.decode().lower()
    assert SA04G["cid"] not in page and SA04G_SERIAL not in page and uuid(1) not in page


def test_models_are_merged(admin_client: Client) -> None:
    file(1, "A")
    file(2, "B")
    page = act(admin_client, MODELS, "merge", CardModel.objects.filter(slug="a-4-gb"), to="b-4-gb")
    assert "Filed under B 4 GB." in page
    assert slugs() == {"b-4-gb"}


def test_a_model_is_renamed(admin_client: Client) -> None:
    file(1, "Kingstn")
    assert "Renamed to Kingston 4 GB." in act(
        admin_client, MODELS, "rename", CardModel.objects.all(), brand="Kingston"
    )
    assert slugs() == {"kingston-4-gb"}


def test_silicon_is_split_off(admin_client: Client) -> None:
    file(1, "A")
    file(2, "B")
    a = Variant.objects.filter(card_model__slug="a-4-gb")
    assert "Filed under A Old 4 GB." in act(admin_client, VARIANTS, "split", a, line="Old")
    assert "Filed under B 4 GB." in act(
        admin_client, VARIANTS, "split", Variant.objects.filter(card_model__brand="A"), to="b-4-gb"
    )
    assert slugs() == {"b-4-gb"}


@pytest.mark.parametrize(
    ("action", "fields", "words"),
    [
        ("merge", {"to": "nobody"}, "There is no model"),
        ("merge", {"to": ""}, "There is no model"),
        ("rename", {"brand": "X"}, "Choose rows of one model."),
        ("rename", {"capacity_gb": "much"}, "Capacity_gb: Enter a number."),
    ],
)
def test_what_cannot_be_done_is_said(
    admin_client: Client, action: str, fields: dict[str, str], words: str
) -> None:
    file(1, "A")
    file(2, "B")
    assert words in act(admin_client, MODELS, action, CardModel.objects.all(), **fields)
    assert slugs() == {"a-4-gb", "b-4-gb"}


def test_who_may_only_look_cannot_correct(client: Client, django_user_model: Any) -> None:
    from django.contrib.auth.models import Permission

    looker = django_user_model.objects.create_user("looker", password="x", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_cardmodel"))
    file(1, "A")
    file(2, "B")
    client.force_login(looker)
    show_second_factor(client, looker)
    assert client.get(MODELS).status_code == 200
    act(client, MODELS, "merge", CardModel.objects.filter(slug="a-4-gb"), to="b-4-gb")
    assert slugs() == {"a-4-gb", "b-4-gb"}
