"""Who is told."""

from collections.abc import Iterator
from typing import Any

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


@pytest.fixture
def anywhere(settings: Any) -> None:
    """Receivers of the test are no machines of the open internet."""
    settings.HOOKS_ANYWHERE = True
