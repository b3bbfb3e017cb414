"""Receivers, and a first place that changes."""

from collections.abc import Iterator

import pytest

from tests.submissions.following.receivers import Hooks, Mails, ended, started


@pytest.fixture
def mails() -> Iterator[Mails]:
    with Mails() as server:
        started(server)
        yield server
        ended(server)


@pytest.fixture
def hooks() -> Iterator[Hooks]:
    with Hooks() as server:
        started(server)
        yield server
        ended(server)
