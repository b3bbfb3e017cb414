"""Print the CPU time that one expensive request takes on the web servers and in the database: `make bench-abuse`.

Times are in ms, at two sizes of the database (RUNS="20000 200000"): they must not grow with the stored rows.
SECURITY.md has the table.
"""

import os
import re
from collections.abc import Callable
from functools import partial
from itertools import count, cycle

from tests.attack import hostile, processes
from tests.bench import stored
from tests.bench.live import ENVIRONMENT, VISITOR, connect, fetch, manage, say, web
from tests.bench.server import SUBMIT, report
from tests.flashdb.supervision import descendants

MODELS = int(os.environ.get("MODELS") or 2_000)
SIZES = tuple(int(size) for size in (os.environ.get("RUNS") or "20000 200000").split())
WARM_UP, TIMES = 8, 8  # every process reads in its templates once
PAGES = (
    "/recent/?page=99999",
    "/statistics/",
    "/",
    "/?page=99999",
    "/?q=brand",
    "/?q=no+such+card+at+all",
    "/?q={long}",
    "/?app_class=1&flagged=no&min_gb=1&min_cards=2",
    "/models/{model}/",
    "/models/{model}/runs/?page=99999",
    "/models/{model}/why/",
    "/models/{model}/badge.svg",
    "/feeds/models/{model}/",
    "/feeds/",
    "/feeds/search/?q=brand",
    "/feeds/best/raspberry-pi-4/pi-root/",
    "/cards/{card}/",
    "/runs/{run}/",
    "/compare/?m={several}",
    "/boards/raspberry-pi-4/",
    "/best/dashcam/camera/",
    "/sources/",
    "/makers/",
    "/quirks/",
    "/decode/?cid=02544d5341303447113533890900d371",
    "/sitemap-models.xml",
    "/metrics/",
    "/ready/",
    "/api/v1/models/?limit=200",
    "/api/v1/models/?limit=200&format=csv",
    "/api/v1/models/?limit=200&q=brand&use=camera",
    "/api/v1/models/{model}/",
    "/api/v1/models/{model}/explanation/",
    "/api/v1/search/?q=brand+7",
    "/api/v1/compare/?models={six}",
    "/api/v1/cards/?limit=200",
    "/api/v1/runs/?limit=200",
    "/api/v1/runs/{run}/",
    "/api/v1/measurements/?limit=200",
    "/api/v1/submissions/?limit=200",
    "/api/v1/products/",
    "/api/v1/quirks/candidates/",
    "/api/v1/sources/",
    "/api/v1/schema/",
)
_NAMES = """
    SELECT model.slug, card.key, submission.public_id FROM submissions_run run
    JOIN submissions_card card ON card.id = run.card_id
    JOIN submissions_variant variant ON variant.id = card.variant_id
    JOIN submissions_cardmodel model ON model.id = variant.card_model_id
    JOIN submissions_submission submission ON submission.id = run.submission_id
    WHERE submission.state = 'processed' ORDER BY run.id LIMIT 1"""
_SLUGS = "SELECT slug FROM submissions_cardmodel ORDER BY id LIMIT 40"
_numbers = count()
Costs = tuple[float, float]


def main() -> None:
    ENVIRONMENT["RATE_LIMITS"] = "off"
    manage("migrate", "-v0")
    stored.seed()
    at_first: dict[str, Costs] = {}
    for size in SIZES:
        stored.grow(size, most_models=MODELS)
        manage("refresh_rankings", "--all", "-v0")
        with web() as port:
            costs = {name: _cost(call) for name, call in _requests(port).items()}
        at_first = at_first or costs
        say(f"\n{size:,} runs: ms of processor, web + database; ratio to {SIZES[0]:,} runs")
        for name, (of_web, of_database) in costs.items():
            ratio = (of_web + of_database) / max(sum(at_first[name]), 0.1)
            say(f"  {name[:60]:<60} {of_web:7.0f} + {of_database:<6.0f} {ratio:5.2f}")


def _requests(port: int) -> dict[str, Callable[[], object]]:
    """Return every expensive request, by title. No cached response serves it, because each has headers of its own."""
    with connect() as connection:
        names = connection.execute(_NAMES).fetchone() or ()
        slugs = [slug for (slug,) in connection.execute(_SLUGS).fetchall()]
    places = dict(zip(("model", "card", "run"), names, strict=True))
    pages = {
        path: path.format(
            **places, several="&m=".join(slugs), six=",".join(slugs[:6]), long="sandsik+" * 3_000
        )
        for path in PAGES
    }
    texts = cycle(hostile.TEXTS.values())
    sent: dict[str, Callable[[], object]] = {
        "8 MB of text, looked at": lambda: _send(port, "/api/v1/parse/", "text/plain", next(texts)),
        "8 MB of text, handed in": lambda: _send(port, f"{SUBMIT}?brand=X", "text/plain", next(texts)),
        "log-in with a wrong password": partial(_log_in, port),
        "report of 40 measurements": lambda: _send(port, SUBMIT, "application/json", report(next(_numbers))),
    }
    return {name: partial(_get, port, path) for name, path in pages.items()} | sent


def _log_in(port: int) -> None:
    # Sends the form as a browser does, with its cookie and token.
    form = fetch(port, "/account/log-in/", headers=VISITOR)
    cookie = form.headers["Set-Cookie"].partition(";")[0]
    word = re.findall(rb'name="csrfmiddlewaretoken" value="(\w+)"', form.body)[0].decode()
    sent = VISITOR | {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    body = f"csrfmiddlewaretoken={word}&username=nobody&password=wrong-{next(_numbers)}".encode()
    fetch(port, "/account/log-in/", body=body, headers=sent)


def _get(port: int, path: str) -> None:
    fetch(port, path, headers=VISITOR | {"Accept": f"*/*, x-v/{next(_numbers)}"})


def _send(port: int, path: str, kind: str, body: bytes) -> None:
    fetch(port, path, body=body, headers=VISITOR | {"Content-Type": kind})


def _cost(call: Callable[[], object]) -> Costs:
    for _ in range(WARM_UP):
        call()
    web_before, database_before = _processor_s()
    for _ in range(TIMES):
        call()
    web_after, database_after = _processor_s()
    return (web_after - web_before) / TIMES * 1000, (database_after - database_before) / TIMES * 1000


def _processor_s() -> Costs:
    """Return the CPU seconds so far: of the processes that this one has started, and of PostgreSQL."""
    services, own = descendants(os.getppid()), descendants(os.getpid())
    database = {pid for pid in services - own if "postgres" in processes.name(pid)}
    return sum(map(processes.cpu_seconds, own)), sum(map(processes.cpu_seconds, database))
