"""Who counts as one visitor."""

import pytest
from django.test import RequestFactory

from submissions import visitor


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "local"),
        ("::1", "local"),
        ("", "unknown"),
        ("somewhere", "unknown"),
        ("203.0.113.7:4711", "unknown"),
    ],
)
def test_it_works(address: str, expected: str) -> None:
    assert visitor.network(address) == expected


@pytest.mark.parametrize(("proxies", "expected"), [(0, "10.0.0.1"), (1, "203.0.113.7"), (2, "198.51.100.1")])
def test_only_trusted_proxies_say_where_somebody_comes_from(
    proxies: int, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rest_framework.settings import api_settings

    monkeypatch.setattr(api_settings, "NUM_PROXIES", proxies)
    request = RequestFactory(REMOTE_ADDR="10.0.0.1").get(
        "/", headers={"X-Forwarded-For": "192.0.2.1, 198.51.100.1, 203.0.113.7"}
    )
    request.user = None  # type: ignore[assignment]
    assert visitor.of(request).network == expected
