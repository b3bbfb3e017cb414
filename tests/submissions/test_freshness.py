"""A page is rendered once a second for all readers, but the sender of a report sees its effect at once."""

from typing import Any

import pytest
from django.conf import settings as site
from django.middleware.csrf import get_token
from django.test import Client, RequestFactory

from submissions import freshness
from submissions.models import CardModel
from tests.small_crowd import crowd, process_together

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def first_visit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "_recent", freshness._RecentStamp())


@pytest.fixture
def model_page() -> str:
    process_together(crowd(3, models=1))
    return CardModel.objects.get().get_absolute_url()


def is_renamed(client: Client, page: str) -> bool:
    return "Renamed" in client.get(page).content.decode()


def rename() -> None:
    CardModel.objects.update(name="Renamed")


def test_it_works(client: Client, model_page: str, settings: Any) -> None:
    settings.PAGES_MAY_LAG_S = 60
    assert not is_renamed(client, model_page)
    rename()
    assert not is_renamed(client, model_page), "a minute has not passed"
    settings.PAGES_MAY_LAG_S = 0
    assert is_renamed(client, model_page)


def test_whoever_has_sent_something_sees_what_came_of_it(
    client: Client, model_page: str, settings: Any
) -> None:
    settings.PAGES_MAY_LAG_S = 60
    assert not is_renamed(client, model_page)
    rename()
    client.cookies[site.CSRF_COOKIE_NAME] = get_token(RequestFactory().get("/"))
    assert is_renamed(client, model_page)
