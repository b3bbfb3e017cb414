"""Run the whole site on this machine, with starter data and one simulated card.

Every process is a child of this one and ends with it. If one of them ends by itself, all are stopped.
"""

import json
import os
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flashdb.local_services import LocalServicesError, Services, local_services
from flashdb.local_services.children import (
    Child,
    Interrupted,
    die_with_make,
    ignoring_signals,
    run_to_end,
    spawn,
    stop,
    stopping_on_signals,
    tail,
)
from flashdb.local_services.own_settings import own_settings

ROOT = Path(__file__).resolve().parent.parent
STARTER = ROOT / "submissions" / "starter"
PATIENCE_S = 60
# Make glibc use few heaps, and return large blocks to the system: otherwise the memory of an 8 MB body is never freed.
SMALL_HEAPS = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "131072"}


class SiteError(RuntimeError):
    """An error: the site cannot start or continue; the message gives the reason and the next step."""


@dataclass(frozen=True, slots=True)
class Site:
    """A site that `make run` starts: its address, its data and its processes."""

    url: str
    port: int
    state: Path
    env: dict[str, str]
    servers: tuple[Child, ...]
    children: list[Child] = field(default_factory=list)  # started here, to be stopped here


def main() -> int:
    """Run the site and return the exit status: 0 after a stop signal, 1 after an error."""
    die_with_make()
    state = Path(os.environ.get("FLASHDB_STATE") or ROOT / ".state").resolve()
    try:
        port = read_port(os.environ.get("PORT") or "8000")
        with stopping_on_signals(), local_services(state) as services:
            say(services.description + (f", data in {services.home}" if services.home else ""))
            run(
                Site(f"http://127.0.0.1:{port}", port, state, environment(services, state), services.children)
            )
    except (LocalServicesError, SiteError) as error:
        say(str(error), file=sys.stderr)
        return 1
    except Interrupted:
        say("stopped")
    return 0


def run(site: Site) -> None:
    """Start the site, load its data, submit one card, and serve until a stop signal or the end of a process."""
    for folder in (site.state / "log", Path(site.env["STATIC_ROOT"])):
        folder.mkdir(parents=True, exist_ok=True)
    manage(site, "migrate", "--verbosity", "0")
    manage(site, "collectstatic", "--no-input", "--verbosity", "0")
    manage(site, "publish_client")
    try:
        load_starter(site)
        start(site, "worker", celery(site))
        show_one_card(site)
        run = f"python3 cardbench.pyz run ~ --submit --server {site.url}"
        say(f"test a card: curl -fsSLO {site.url}/cardbench.pyz && {run}")
        say(f"serving {site.url}/ until Ctrl-C")
        while True:
            check_alive(site)
            time.sleep(0.5)
    finally:
        with ignoring_signals():
            for child in reversed(site.children):
                stop(child)


def read_port(text: str) -> int:
    """Return the port as a number. Raise SiteError if it is no port number, or is in use."""
    if not (text.isdigit() and 0 < int(text) < 65536):
        raise SiteError(f"PORT is “{text}”, but must be a number from 1 to 65535")
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", int(text)))
        except OSError as error:
            raise SiteError(
                f"port {text} cannot be used ({error.strerror}): set PORT to a free port, as in `make run"
                " PORT=8001`. A second copy of the site also needs its own FLASHDB_STATE"
            ) from error
    return int(text)


def environment(services: Services, state: Path) -> dict[str, str]:
    """Return the environment variables of the site; those that the caller has set take precedence over the defaults."""
    local = {
        "STATIC_ROOT": str(state / "static"),
        "FILES_DIR": str(state / "files"),
        "PYTHONUNBUFFERED": "1",
        **SMALL_HEAPS,
        "FLASHDB_STATE": str(state),
    }
    client = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "client")])}
    return own_settings(state) | local | os.environ | services.environment | client


def gunicorn(site: Site) -> list[str]:
    where = ["--config", "python:flashdb.web_server", "--bind", f"127.0.0.1:{site.port}"]
    return [sys.executable, "-m", "gunicorn", "flashdb.wsgi", *where]


def celery(site: Site) -> list[str]:
    options = ["--concurrency", "2", "--beat", "--loglevel", "INFO", "--without-gossip", "--without-mingle"]
    return [sys.executable, "-m", "celery", "-A", "flashdb", "worker", *options]


def start(site: Site, name: str, argv: Sequence[str]) -> None:
    """Start a process that must stay alive; its output goes to log/`name`.log."""
    site.children.append(spawn(argv, env=site.env, log=site.state / "log" / f"{name}.log"))


def manage(site: Site, *arguments: str) -> str:
    return run_step(site, arguments[0], [sys.executable, str(ROOT / "manage.py"), *arguments])


def cardbench(site: Site, *arguments: str) -> str:
    return run_step(site, f"cardbench-{arguments[0]}", [sys.executable, "-m", "cardbench", *arguments])


def run_step(site: Site, name: str, argv: Sequence[str]) -> str:
    """Run a command to its end and return its output. Raise SiteError if it fails, or the site ended meanwhile."""
    log = site.state / "log" / f"{name}.log"
    child = run_to_end(argv, env=site.env, log=log)
    check_alive(site)
    if child.returncode != 0:
        raise SiteError(child.describe_end())
    return log.read_text()


def check_alive(site: Site) -> None:
    """Raise SiteError if a process of the site has ended."""
    for child in (*site.servers, *site.children):
        if child.poll() is not None:
            raise SiteError(child.describe_end())


def load_starter(site: Site) -> None:
    """Start the web server and load the published cards, unless they are loaded already.

    The worker starts later, because it would rank the first cards before the others are loaded.
    """
    reports, tables = sorted(STARTER.glob("*.jsonl")), sorted((STARTER / "published").glob("*.csv*"))
    if reports:
        manage(site, "load_reports", *map(str, reports))
    start(site, "web", gunicorn(site))
    await_answer(site)
    say(f"{site.url}/ is up; loading the starter data (its cards are ranked at the end) ...")
    if tables:
        manage(site, "import_table", "--here", *map(str, tables))
    manage(site, "import_offers", str(STARTER / "offers_dated.csv"))
    say(f"loaded the starter data from {len(reports) + len(tables)} files, and the offers")


def show_one_card(site: Site) -> None:
    """Submit a simulated card with the real client, and print the URLs of its pages; measure it only once."""
    report = site.state / "demo.json"
    if not report.exists():
        say("measuring a simulated card ...")
        cardbench(site, "demo", "-o", str(report))
    receipt = json.loads(cardbench(site, "submit", "--json", "--server", site.url, str(report)))
    status = await_processed(site, receipt)
    say(f"simulated card: {absolute(site, status['links']['page'])}")
    say(f"its model:      {absolute(site, status['links']['model'])}")


def await_processed(site: Site, receipt: dict[str, Any]) -> dict[str, Any]:
    """Wait until a submission is processed, and return its status. Raise SiteError if it is rejected or late."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        check_alive(site)
        status: dict[str, Any] = fetch_json(site, receipt["links"]["self"])
        if status["state"] == "processed":
            return status
        if status["state"] == "rejected":
            raise SiteError(f"the simulated card was rejected: {status}")
        time.sleep(0.1)
    raise SiteError(
        f"the worker did not process the submission within {PATIENCE_S} s: see {site.state}/log/worker.log"
    )


def await_answer(site: Site) -> None:
    """Wait until the site answers. Raise SiteError after an error page, or after PATIENCE_S seconds."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        check_alive(site)
        try:
            with urllib.request.urlopen(site.url + "/", timeout=30):
                return
        except urllib.error.HTTPError as error:
            log = site.state / "log" / "web.log"
            raise SiteError(
                f"{site.url}/ returned status {error.code}; {log} ends with:\n{tail(log)}"
            ) from error
        except OSError:
            time.sleep(0.1)
    raise SiteError(f"{site.url}/ did not respond within {PATIENCE_S} s: see {site.state}/log/web.log")


def fetch_json(site: Site, link: str) -> dict[str, Any]:
    """Return the JSON that the API sends for `link`. Raise SiteError if it sends none."""
    try:
        with urllib.request.urlopen(absolute(site, link), timeout=30) as response:
            body: dict[str, Any] = json.load(response)
    except OSError as error:
        raise SiteError(f"{absolute(site, link)}: {error}; see {site.state}/log/web.log") from error
    return body


def absolute(site: Site, link: str) -> str:
    return link if link.startswith("http") else site.url + link


def say(line: str, *, file: Any = None) -> None:
    print(f"flashdb: {line}", file=file or sys.stdout, flush=True)


if __name__ == "__main__":
    sys.exit(main())
