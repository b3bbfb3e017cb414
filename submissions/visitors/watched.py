"""Runs under way, as their clients tell: kept for an hour in Redis, and in no database.

The name of a run is random and known to its client alone, so whoever has the link may look, and nobody else.
"""

from contextlib import suppress
from typing import Annotated

import msgspec
import redis
from django.core.cache import cache

KEPT_S = 3600
_WORDS = msgspec.Meta(max_length=120)


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`done`: the share that is measured. `step`: what comes next. `submission`: what it became, once sent."""

    done: Annotated[float, msgspec.Meta(ge=0, le=1)]
    step: Annotated[str, _WORDS] = ""
    card: Annotated[str, _WORDS] = ""
    submission: Annotated[str, msgspec.Meta(pattern=r"^([a-z0-9]{8,32})?$")] = ""


def keep(name: str, progress: Progress) -> None:
    """In place of what was told before. Without Redis nobody can watch, and nothing else happens."""
    with suppress(redis.RedisError):
        cache.set(_key(name), msgspec.json.encode(progress), KEPT_S)


def find(name: str) -> Progress | None:
    """What was told last; None for an unknown run, and for one that has told nothing for an hour."""
    told = None
    with suppress(redis.RedisError):
        told = cache.get(_key(name))
    return msgspec.json.decode(told, type=Progress) if told else None


def _key(name: str) -> str:
    return f"watched:{name}"
