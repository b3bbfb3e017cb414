"""All transactions take their locks in one order, so that none waits for another in a circle."""

from typing import Any

import pytest

from submissions.sql import bulk, locks


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(bulk, "fetch_rows", lambda _statement, parameters: asked.extend(parameters))
    locks.hold_each([2**41, 2**62, 3, 2**40, 3])
    locks.hold_each([])
    assert asked == [[3, 2**40, 2**41, 2**62]]
