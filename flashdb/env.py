"""Read settings from the environment and refuse values that make no sense.

environs parses them, because django-environ would read a misspelled boolean as False. Instead of NAME, a variable
NAME_FILE may name a file with the value.
"""

import math
import re
import zlib
from collections import Counter
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from environs import FileAwareEnv, validate

env = FileAwareEnv(strip_whitespace=True)

IS_REDIS = validate.Regexp(
    r"(redis|rediss|unix)://",
    error="It must start with redis://, rediss:// or unix://, as in redis://redis.example:6379/0",
)
URL_PREFIX = validate.Regexp(
    r"[A-Za-z0-9_-]+/\Z", error="It must be one word followed by a slash, as in moderators/"
)

# As `_estimate_bits` counts: 22 random characters have 77 bits or more, words and repetitions have fewer.
_FEWEST_BITS = 76
_OWN_SERVICES = (
    "`make run` and `make test` set this themselves; for a single command, use: python -m"
    " flashdb.local_services -- COMMAND"
)


def read_secret(name: str) -> str:
    """Return the secret of this name. Raise ImproperlyConfigured if it is missing or could be guessed."""
    value = env.str(name, "")
    if not value:
        raise ImproperlyConfigured(
            f"{name} must be set to a random string, such as the output of `openssl rand -hex 32`."
            f" {_OWN_SERVICES}"
        )
    if _estimate_bits(value) < _FEWEST_BITS:
        raise ImproperlyConfigured(
            f"{name} could be guessed: it is too short or too regular. Use a random string, such as the"
            " output of `openssl rand -hex 32`"
        )
    return value


def _estimate_bits(value: str) -> float:
    """Return the bits of information in a secret: the smaller of Shannon's entropy and its size packed by zlib."""
    shares = [count / len(value) for count in Counter(value).values()]
    shannon = -len(value) * sum(share * math.log2(share) for share in shares)
    return min(shannon, 8 * (len(zlib.compress(value.encode(), 9)) - 11))


def read_count(name: str, default: int) -> int:
    """Return a setting that is a whole number, 0 or more."""
    return env.int(name, default, validate=validate.Range(min=0))


def read_words(name: str) -> list[str]:
    """Return the items of a setting that is a comma-separated list, without blanks around them."""
    return [word.strip() for word in env.str(name, "").split(",") if word.strip()]


_PERIODS_S = {"minute": 60, "hour": 3600, "day": 86400}
_RATE = re.compile(r"(?P<name>[a-z-]+)=(?P<count>[1-9]\d{0,8})/(?P<period>minute|hour|day)")


def read_rates(name: str, defaults: str) -> dict[str, tuple[int, int]]:
    """Return {name: (count, seconds)}: `defaults` changed by a setting such as `submit=120/hour`; {} for `off`."""
    changes = read_words(name)
    if changes == ["off"]:
        return {}
    known = {rate.partition("=")[0] for rate in defaults.split(",")}
    limits: dict[str, tuple[int, int]] = {}
    for rate in (*defaults.split(","), *changes):
        match = _RATE.fullmatch(rate)
        if match is None or match["name"] not in known:
            raise ImproperlyConfigured(
                f"{name} must be off or rates such as submit=120/hour, separated by commas; not {rate!r}."
                f" The rates are {', '.join(sorted(known))}."
            )
        limits[match["name"]] = int(match["count"]), _PERIODS_S[match["period"]]
    return limits


def read_database(name: str) -> Any:
    """Return the entry of Django's DATABASES for postgresql://user:password@host:port/name?option=value."""
    url = env.str(name, "")
    if not url.startswith(("postgresql://", "postgres://")):
        raise ImproperlyConfigured(f"{name} must start with postgresql://. {_OWN_SERVICES}")
    return dj_database_url.parse(url, "flashdb.postgresql", conn_max_age=60, conn_health_checks=True)
