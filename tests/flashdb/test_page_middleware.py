"""The middleware of pages is skipped below the API."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

pytestmark = pytest.mark.django_db


def test_it_works(client: Client) -> None:
    assert hasattr(client.get("/about/").wsgi_request, "session")
    assert not hasattr(client.get("/api/v1/makers/").wsgi_request, "session")


def test_who_is_logged_in_is_nobody_to_the_api(client: Client) -> None:
    client.force_login(User.objects.create_user("ada"))
    assert client.get("/about/").wsgi_request.user.username == "ada"
    answer = client.post("/api/v1/submissions/none/ruling/", {}, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "no_token")


def test_pages_about_the_api_are_pages(client: Client) -> None:
    client.force_login(User.objects.create_user("ada"))
    assert client.get("/api/").wsgi_request.user.username == "ada"
