"""Settings come from the environment only, and nonsense is refused in words."""

import math
import os
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str = "") -> str:
    """Value of NAME, or of the file that NAME_FILE names (for secrets mounted as files)."""
    file = os.environ.get(f"{name}_FILE")
    if not file:
        return os.environ.get(name, default)
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"{name}_FILE names {file}, which cannot be read: {error.strerror}"
        ) from error


# As they are estimated here: 22 random characters have 77 or more, words and repetitions fewer.
_FEWEST_BITS = 76


def secret(name: str) -> str:
    """A random string; there is no default, and what could be guessed is refused."""
    value = text(name)
    if not value:
        raise ImproperlyConfigured(
            f"{name} must be set to a random string, such as `openssl rand -hex 32` prints. `make run` and `make test`"
            " make their own; for a single command use: python -m flashdb.local_services -- COMMAND"
        )
    if _random_bits(value) < _FEWEST_BITS:
        raise ImproperlyConfigured(
            f"{name} could be guessed: it is too short or too regular. `openssl rand -hex 32` prints a random string"
        )
    return value


def _random_bits(value: str) -> float:
    """At most so many bits it takes to say `value`: by how often each of its characters comes (Shannon), and by what
    zlib makes of it, which knows repetitions, without the 11 bytes around it.
    """
    shares = [count / len(value) for count in Counter(value).values()]
    shannon = -len(value) * sum(share * math.log2(share) for share in shares)
    return min(shannon, 8 * (len(zlib.compress(value.encode(), 9)) - 11))


def boolean(name: str, *, default: bool) -> bool:
    """A setting that is spelled True or False; anything else is refused."""
    value = os.environ.get(name, str(default))
    if value not in ("True", "False"):
        raise ImproperlyConfigured(f"{name} must be True or False, not {value!r}")
    return value == "True"


def number(name: str, *, default: int) -> int:
    """A whole number, not negative; anything else is refused."""
    value = os.environ.get(name, str(default))
    if not (value.isascii() and value.isdigit()):
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}")
    return int(value)


_PERIODS_S = {"minute": 60, "hour": 3600, "day": 86400}
_RATE = re.compile(r"(?P<what>[a-z-]+)=(?P<count>[1-9]\d{0,8})/(?P<period>minute|hour|day)")


def rates(name: str, defaults: str) -> dict[str, tuple[int, int]]:
    """`submit=120/hour,read=10/minute` -> {what: (count, seconds)}, over the defaults; `off` leaves none."""
    changes = words(name, "")
    if changes == ["off"]:
        return {}
    limits: dict[str, tuple[int, int]] = {}
    known = {rate.partition("=")[0] for rate in defaults.split(",")}
    for rate in (*defaults.split(","), *changes):
        match = _RATE.fullmatch(rate)
        if match is None or match["what"] not in known:
            raise ImproperlyConfigured(
                f"{name} must be off or rates such as submit=120/hour, with commas between; not {rate!r}."
                f" Known are {', '.join(sorted(known))}."
            )
        limits[match["what"]] = int(match["count"]), _PERIODS_S[match["period"]]
    return limits


def choice(name: str, among: Sequence[str], *, default: str = "") -> str:
    """A word of `among`, its first unless `default` names another; anything else is refused."""
    value = os.environ.get(name, default or among[0])
    if value not in among:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(among)}, not {value!r}")
    return value


def redis(name: str, default: str) -> str:
    """The URL of a Redis: redis://host:port/number, rediss:// with TLS, or unix://path?db=number."""
    url = text(name, default)
    if urlsplit(url).scheme not in ("redis", "rediss", "unix"):
        raise ImproperlyConfigured(
            f"{name} must start with redis://, rediss:// or unix://, as in redis://redis.example:6379/0"
        )
    return url


def mail(name: str) -> dict[str, object]:
    """smtp://user:password@host:port, smtps://, smtp+plain:// or file:///folder -> Django's settings; {} without."""
    if not text(name):
        return {}
    url = urlsplit(text(name))
    backends = "django.core.mail.backends"
    if url.scheme == "file":
        return {"EMAIL_BACKEND": f"{backends}.filebased.EmailBackend", "EMAIL_FILE_PATH": unquote(url.path)}
    if url.scheme not in ("smtp", "smtps", "smtp+plain") or not url.hostname:
        raise ImproperlyConfigured(
            f"{name} must start with smtp://, smtps://, smtp+plain:// or file:///, as in smtp://name:password@mail.example:587"
        )
    return {
        "EMAIL_BACKEND": f"{backends}.smtp.EmailBackend",
        "EMAIL_HOST": url.hostname,
        "EMAIL_PORT": url.port or {"smtps": 465, "smtp": 587}.get(url.scheme, 25),
        "EMAIL_HOST_USER": unquote(url.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(url.password or ""),
        "EMAIL_USE_SSL": url.scheme == "smtps",
        "EMAIL_USE_TLS": url.scheme == "smtp",
        "EMAIL_TIMEOUT": 8,
    }


def path(name: str, default: str) -> str:
    """The beginning of an address below the root, which ends with a stroke: `moderators/`."""
    value = text(name, default)
    if not re.fullmatch(r"[A-Za-z0-9_-]+/", value):
        raise ImproperlyConfigured(f"{name} must be one word and a stroke, as in moderators/; not {value!r}")
    return value


def words(name: str, default: str) -> list[str]:
    """Comma-separated list, blanks dropped."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def database(name: str) -> dict[str, object]:
    """postgresql://user:password@host:port/name?option=value -> an entry of Django's DATABASES.

    A socket directory goes into the query as `host=/directory`, as libpq does it.
    """
    url = urlsplit(text(name))
    if url.scheme not in ("postgresql", "postgres"):
        raise ImproperlyConfigured(
            f"{name} must start with postgresql://. `make run` and `make test` start a database of their own; "
            f"for a single command use: python -m flashdb.local_services -- COMMAND"
        )
    # A search forgives one wrong letter in a word of six; PostgreSQL's own 0.6 does not.
    # On a solid-state disk an index leads to a row at about the cost of reading on.
    # What is prepared (`sql.bulk.asked`) looks up rows by index, for one report or for many: one plan does for both.
    settings = {
        "pg_trgm.word_similarity_threshold": "0.5",
        "random_page_cost": "1.1",
        "plan_cache_mode": "force_generic_plan",
    }
    options = {"options": " ".join(f"-c {name}={value}" for name, value in settings.items())}
    options |= dict(parse_qsl(url.query))
    return {
        "ENGINE": "flashdb.postgresql",
        "NAME": unquote(url.path.lstrip("/")),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        "HOST": options.pop("host", url.hostname or ""),
        "PORT": str(url.port or ""),
        "OPTIONS": options,
    }
