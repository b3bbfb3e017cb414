"""Shift the wall clock of this Python process by CLOCK_SHIFT_S seconds; durations stay right.

Python runs this module at its start if the folder is on PYTHONPATH. libfaketime would be another way, but with it
waiting for an event with a time limit never ends.
"""

import datetime
import os
import time
from typing import Any

SHIFT_S = float(os.environ.get("CLOCK_SHIFT_S", "0"))
right_time = time.time


class _Kind(type):
    """A metaclass that makes every datetime an instance of the class."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, datetime.datetime)


class Shifted(datetime.datetime, metaclass=_Kind):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Any:
        return datetime.datetime.now(tz) + datetime.timedelta(seconds=SHIFT_S)


def shift() -> None:
    """Shift the clocks that Django, Celery and all other code of this process read."""
    import celery.app.base
    import django.utils.timezone

    celery.app.base.datetime = Shifted
    django.utils.timezone.datetime = Shifted  # type: ignore[attr-defined]
    time.time = lambda: right_time() + SHIFT_S


if SHIFT_S:
    shift()
