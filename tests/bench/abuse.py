"""`make bench-abuse`: milliseconds of processor, of the web servers and of the database, that one dear request costs.

At two sizes of the database (RUNS="20000 200000"): what is flat does not cost more where more is stored. SECURITY.md
has the table.
"""

import os
from collections.abc import Callable
from functools import partial
from itertools import count, cycle

from tests.attack import hostile, processes
from tests.bench import stored
from tests.bench.live import ENVIRONMENT, VISITOR, fetch, manage, say, web
from tests.bench.server import SUBMIT, report
from tests.flashdb.supervision import descendants

SIZES = tuple(int(size) for size in (os.environ.get("RUNS") or "20000 200000").split())
WARM_UP, TIMES = 8, 8  # every process reads in its templates once
_LOG = b" Timing O_DIRECT disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec\n"
_numbers = count()
Costs = tuple[float, float]


def main() -> None:
    ENVIRONMENT["RATE_LIMITS"] = "off"
    manage("migrate", "-v0")
    stored.seed()
    at_first: dict[str, Costs] = {}
    for size in SIZES:
        stored.grow(size, most_models=2_000)
        manage("refresh_rankings", "--all", "-v0")
        with web() as port:
            costs = {name: _cost(call) for name, call in _requests(port).items()}
        at_first = at_first or costs
        say(f"\n{size:,} runs: ms of processor, web + database; ratio to {SIZES[0]:,} runs")
        for name, (of_web, of_database) in costs.items():
            ratio = (of_web + of_database) / max(sum(at_first[name]), 0.1)
            say(f"  {name:<38} {of_web:7.0f} + {of_database:<6.0f} {ratio:5.2f}")


def _requests(port: int) -> dict[str, Callable[[], object]]:
    """Everything that was dear. Each is asked as nobody has asked before, so that nothing kept answers."""
    text = VISITOR | {"Content-Type": "text/plain"}  # a new one each time: only its first receipt has a key
    receipt = fetch(port, f"{SUBMIT}?brand=Abuse", body=_LOG + f"at {port}\n".encode(), headers=text)
    pages = {
        "recent, far back": "/recent/?page=99999",
        "statistics": "/statistics/",
        "finder": "/",
        "finder, searched": "/?q=brand",
        "models, 200": "/api/v1/models/?limit=200",
        "models, 200, CSV": "/api/v1/models/?limit=200&format=csv",
        "runs, 200": "/api/v1/runs/?limit=200",
        "submissions, 200": f"{SUBMIT}?limit=200",
        "sitemap of models": "/sitemap-models.xml",
        "schema": "/api/v1/schema/",
    }
    texts, photos = cycle(hostile.TEXTS.values()), cycle(hostile.photos().values())
    place = f"{SUBMIT}{receipt.json()['id']}/photo/"
    sent: dict[str, Callable[[], object]] = {
        "8 MB of text, looked at": lambda: _send(port, "/api/v1/parse/", "text/plain", next(texts)),
        "8 MB of text, handed in": lambda: _send(port, f"{SUBMIT}?brand=X", "text/plain", next(texts)),
        "photo": lambda: _send(port, place, *next(photos), key=receipt.json()["delete_key"]),
        "report of 40 measurements": lambda: _send(port, SUBMIT, "application/json", report(next(_numbers))),
    }
    return {name: partial(_get, port, path) for name, path in pages.items()} | sent


def _get(port: int, path: str) -> None:
    fetch(port, path, headers=VISITOR | {"Accept-Language": f"en, x-v{next(_numbers)}"})


def _send(port: int, path: str, kind: str, body: bytes, *, key: str = "") -> None:
    fetch(port, path, body=body, headers=VISITOR | {"Content-Type": kind, "Delete-Key": key})


def _cost(call: Callable[[], object]) -> Costs:
    for _ in range(WARM_UP):
        call()
    web_before, database_before = _spent()
    for _ in range(TIMES):
        call()
    web_after, database_after = _spent()
    return (web_after - web_before) / TIMES * 1000, (database_after - database_before) / TIMES * 1000


def _spent() -> Costs:
    """Seconds of processor so far: of what this process has started, and of PostgreSQL."""
    services, own = descendants(os.getppid()), descendants(os.getpid())
    database = {pid for pid in services - own if "postgres" in processes.name(pid)}
    return sum(map(processes.cpu_seconds, own)), sum(map(processes.cpu_seconds, database))
