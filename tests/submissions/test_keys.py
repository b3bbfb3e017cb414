"""The keys of cards and the delete keys never change, so that old ones stay valid."""

from typing import Any

import pytest

from submissions.models import keys


@pytest.fixture(autouse=True)
def secret(settings: Any) -> None:
    settings.IDENTITY_SECRET = "a secret for tests"


def test_it_works() -> None:
    assert keys.submitter_key("account", "7") == "415b4af979d738c60c08d0be"
    assert keys.card_key(b"real", b"cid", bytes(15)) == "0b9b4698e819d2e37119e353"
    assert keys.delete_key("abcdefgh2345") == "5dcc092b796c811b723117205872e999"


def test_a_name_of_another_kind_is_another_submitter() -> None:
    assert keys.submitter_key("account", "local") != keys.submitter_key("address", "local")
    assert keys.local_submitter() == keys.submitter_key("address", "local")


def test_a_delete_key_opens_its_own_submission_only() -> None:
    assert keys.is_delete_key(keys.delete_key("abcdefgh2345"), "abcdefgh2345")
    for key, public_id in (
        (keys.delete_key("abcdefgh2345"), "abcdefgh2346"),
        ("", "abcdefgh2345"),
        ("ключ", "a"),
    ):
        assert not keys.is_delete_key(key, public_id)
