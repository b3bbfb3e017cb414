"""The security headers of responses allow the browser to load only from this site."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/", "/api/v1/models/", "/nowhere/", "/health/", "/admin/login/"])
def test_it_works(client: Client, address: str) -> None:
    headers = client.get(address, follow=True).headers
    assert "default-src 'none'; script-src 'self'" in headers["Content-Security-Policy"]
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == (
        "cross-origin" if "/api/" in address else "same-origin"
    )
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


# Mozilla's HTTP Observatory, as published (github.com/mdn/mdn-http-observatory, src/grader): faults are taken off 100;
# a bonus for better headers counts from 90 points on; A+ begins at 100.
_SIX_MONTHS_S, _PLUS = 15_768_000, 100
_COMPOSE = Path(__file__).parents[2] / "docker-compose.yml"


def observe_headers(headers: Mapping[str, str]) -> int:
    """Return the points of Mozilla's HTTP Observatory for a response over TLS.

    Cookies and redirects have tests of their own.
    """
    policy, referrer = headers.get("Content-Security-Policy", ""), headers.get("Referrer-Policy", "")
    promised = re.search(r"max-age=(\d+)", headers.get("Strict-Transport-Security", ""))
    seconds = int(promised[1]) if promised else 0
    faults = (
        (25, not policy),
        (20, "unsafe-" in policy),
        (20, seconds == 0),
        (10, 0 < seconds < _SIX_MONTHS_S),
        (20, headers.get("X-Frame-Options") not in ("DENY", "SAMEORIGIN")),
        (5, headers.get("X-Content-Type-Options") != "nosniff"),
        (5, referrer in ("", "unsafe-url", "origin", "origin-when-cross-origin")),
    )
    better = (
        (10, policy.startswith("default-src 'none'") and "unsafe-" not in policy),
        (5, "frame-ancestors 'none'" in policy),
        (5, referrer in ("no-referrer", "same-origin", "strict-origin", "strict-origin-when-cross-origin")),
        (10, headers.get("Cross-Origin-Resource-Policy") in ("same-origin", "same-site")),
    )
    points = 100 - sum(cost for cost, applies in faults if applies)
    return points + sum(gain for gain, applies in better if applies) if points >= 90 else points


@pytest.mark.parametrize("address", ["/", "/about/", "/submit/", "/nowhere/"])
def test_the_observatory_gives_an_a_plus_as_composed(settings: Any, address: str) -> None:
    composed = yaml.safe_load(_COMPOSE.read_text())["services"]["web"]["environment"]
    settings.SECURE_HSTS_SECONDS = int(re.sub(r"\D", "", composed["HSTS_SECONDS"]))
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = "True" in composed["SECURE_COOKIES"]
    answer = Client().get(address, secure=True)
    assert observe_headers(answer.headers) >= _PLUS
    assert all(cookie["secure"] and cookie["samesite"] for cookie in answer.cookies.values())


@pytest.mark.parametrize(
    "name",
    ["Content-Security-Policy", "Strict-Transport-Security", "X-Frame-Options"],
)
def test_without_one_of_them_it_would_be_less(settings: Any, name: str) -> None:
    settings.SECURE_HSTS_SECONDS = _SIX_MONTHS_S
    headers = dict(Client().get("/", secure=True).headers)
    del headers[name]
    assert observe_headers(headers) < _PLUS
