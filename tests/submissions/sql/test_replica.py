"""Bulk reads use the replica of the database, and every write uses the primary."""

import pytest
from django.conf import settings
from django.db import router

from submissions.models import Fit
from submissions.sql.replica import reading_alias, reading_from_replica


def aliases() -> tuple[str, str, str]:
    return reading_alias(), router.db_for_read(Fit), router.db_for_write(Fit)


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.DATABASES, "replica", {})
    with reading_from_replica():
        assert aliases() == ("replica", "replica", "default")
    assert aliases() == ("default", "default", "default")


def test_without_a_replica_everything_is_read_from_the_primary() -> None:
    with reading_from_replica():
        assert aliases() == ("default", "default", "default")


def test_after_a_fault_everything_is_read_from_the_primary_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.DATABASES, "replica", {})
    with pytest.raises(ZeroDivisionError), reading_from_replica():
        _ = 1 / 0
    assert reading_alias() == "default"
