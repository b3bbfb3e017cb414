"""What an answer allows the browser: this site and nothing else."""

from typing import Any

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/", "/api/v1/models/", "/nowhere/", "/health/", "/admin/login/"])
def test_it_works(client: Client, address: str) -> None:
    headers = client.get(address, follow=True).headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "geolocation=()" in headers["Permissions-Policy"]


def test_plain_http_is_only_forbidden_when_asked_for(settings: Any) -> None:
    assert "Strict-Transport-Security" not in Client().get("/", secure=True).headers
    settings.SECURE_HSTS_SECONDS = 60
    assert Client().get("/", secure=True).headers["Strict-Transport-Security"].startswith("max-age=60")
