"""Send every request that is expensive to answer at once to a live site on this machine: `make attack`.

The site has no rate limits. The program prints the attempts and those that succeeded. SECONDS=30 sets the duration.
Requests go only to this machine.
"""

import os
import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count, cycle
from statistics import median, quantiles
from typing import Final

from tests.attack import hostile, processes
from tests.bench import live
from tests.flashdb.supervision import descendants

SECONDS = float(os.environ.get("SECONDS") or 30)
SLOW: Final = 200
MOST_S, MOST_BYTES = 0.2, 2**30
SUBMIT: Final = "/api/v1/submissions/"
# Fair responses to an attack: accepted, refused in words, or "come back later".
FAIR: Final = frozenset([200, 202, 400, 413, 429, 503])
STARTER = "submissions/starter"
_LASTING: Final = re.compile(
    r"gunicorn: |celery|/postgres |postgres: (?!.*(?:\[local\]|worker))|redis-server"
)


@dataclass(slots=True)
class Tally:
    """Numbers of responses by attack; `through`: responses that no attack should get."""

    tried: Counter[str] = field(default_factory=Counter)
    through: Counter[str] = field(default_factory=Counter)

    def note(self, attack: str, *, fair: bool) -> None:
        self.tried[attack] += 1
        self.through[attack] += not fair


@dataclass(frozen=True, slots=True)
class Site:
    port: int
    over: threading.Event


Attack = Callable[[Site, Tally], None]


def send_slowly(name: str, begin: bytes) -> Attack:
    """Return an attack by SLOW clients that each send a byte every two seconds, and connect again when cut off."""

    def attack(site: Site, tally: Tally) -> None:
        with ExitStack() as stack:
            clients: list[socket.socket] = []
            while not site.over.wait(2):
                clients = [client for client in clients if _try_send(client, b"x")]
                for _ in range(SLOW - len(clients)):
                    clients.append(
                        stack.enter_context(socket.create_connection(("127.0.0.1", site.port), 10))
                    )
                    tally.note(name, fair=_try_send(clients[-1], begin))

    return attack


def ask_pages(name: str, paths: Iterator[str]) -> Attack:
    """Return an attack that requests pages again and again, each with a new URL."""

    def attack(site: Site, tally: Tally) -> None:
        while not site.over.is_set():
            tally.note(name, fair=_status(site.port, next(paths)) in FAIR)

    return attack


def send_texts(name: str, path: str, texts: Iterator[bytes]) -> Attack:
    def attack(site: Site, tally: Tally) -> None:
        while not site.over.is_set():
            headers = {"Content-Type": "text/plain"}
            tally.note(name, fair=_status(site.port, path, next(texts), headers) in FAIR)

    return attack


def list_attacks() -> tuple[Attack, ...]:
    body = b"POST /api/v1/parse/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n"
    return (
        send_slowly("200 slow headers (#6)", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "),
        send_slowly("200 slow bodies (#6)", body),
        ask_pages("recent, far back (#3)", (f"/recent/?page=99999&n={n}" for n in count())),
        ask_pages("statistics (#3)", (f"/statistics/?n={n}" for n in count())),
        send_texts("8 MB texts, looked at (#4)", "/api/v1/parse/", cycle(hostile.TEXTS.values())),
        send_texts(
            "8 MB texts, handed in (#4)", f"{SUBMIT}?brand=Attack", cycle(reversed(hostile.TEXTS.values()))
        ),
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an attack.

    `meanwhile_s`: seconds per response of the finder; `ended`: parts of the site that ended.
    """

    tally: Tally
    meanwhile_s: list[float]
    most_bytes: int
    ended: list[str]

    def list_failures(self) -> list[str]:
        """Return a sentence for each failure, with its limit; none if the site withstood the attack."""
        through = [
            f"{attack}: {count:,} got through" for attack, count in self.tally.through.items() if count
        ]
        p95_s = _p95(self.meanwhile_s)
        slow = f"the finder took {live.ms(p95_s)} (p95, at most {live.ms(MOST_S)})"
        large = f"all parts took {self.most_bytes / 2**20:,.0f} MiB (at most {MOST_BYTES / 2**20:,.0f})"
        return [
            *through,
            *([slow] if p95_s > MOST_S else []),
            *([large] if self.most_bytes > MOST_BYTES else []),
            *(f"{part} ended" for part in self.ended),
        ]


def main() -> int:
    """Attack the site; return the exit status: 1 after a failure, 2 if the machine is too busy for a result."""
    live.ENVIRONMENT["RATE_LIMITS"] = "off"
    live.manage("migrate", "-v0")
    live.manage("load_reports", *(str(path) for path in sorted((live.PROJECT / STARTER).glob("*.jsonl"))))
    with live.web() as port, live.worker():
        _watch_finder(port, 5)  # every process reads in its templates once
        before_s = _watch_finder(port, 5)[0]
        print(f"finder before: {_summary(before_s)}; load {os.getloadavg()[0]:.1f}")
        if _p95(before_s) > MOST_S:
            print(f"Not attacked: even so it takes more than {live.ms(MOST_S)} (p95). Let the machine rest.")
            return 2
        outcome = _attack(port)
    return _report(outcome)


def _attack(port: int) -> Outcome:
    tally = Tally()
    with _run_attacks(port, tally):
        lasting = _list_lasting()
        meanwhile_s, most_bytes = _watch_finder(port, SECONDS)
    ended = [title for pid, title in lasting.items() if not processes.name(pid)]
    return Outcome(tally, meanwhile_s, most_bytes, ended)


def _report(outcome: Outcome) -> int:
    for attack, tried in outcome.tally.tried.items():
        print(f"{attack}: tried {tried:,}, got through {outcome.tally.through[attack]:,}")
    print(f"finder meanwhile: {_summary(outcome.meanwhile_s)}; load {os.getloadavg()[0]:.1f}")
    print(f"memory of all parts: {outcome.most_bytes / 2**20:,.0f} MiB at most")
    failures = outcome.list_failures()
    print(*(f"FAILED: {failure}" for failure in failures), sep="\n") if failures else print("It held.")
    return int(bool(failures))


@contextmanager
def _run_attacks(port: int, tally: Tally) -> Iterator[None]:
    over = threading.Event()
    site = Site(port, over)
    threads = [threading.Thread(target=attack, args=[site, tally]) for attack in list_attacks()]
    for thread in threads:
        thread.start()
    time.sleep(3)
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _p95(times: list[float]) -> float:
    return quantiles(times, n=20)[-1]


def _summary(times: list[float]) -> str:
    return f"p50 {live.ms(median(times))}, p95 {live.ms(_p95(times))} of {len(times)} answers"


def _watch_finder(port: int, seconds: float) -> tuple[list[float], int]:
    """Return the seconds of each response of the finder, and the most bytes of memory that all parts had at once."""
    times: list[float] = []
    most, until = 0, time.monotonic() + seconds
    for number in count():
        if time.monotonic() > until and number > 1:
            return times, most
        began = time.monotonic()
        status = _status(port, f"/?q=brand+{number}" if number % 2 else "/")
        times.append(time.monotonic() - began if status == 200 else 60.0)
        if number % 10 == 0:
            most = max(most, sum(map(processes.memory_bytes, _all_parts())))
        time.sleep(0.1)
    raise AssertionError


def _all_parts() -> set[int]:
    return descendants(os.getppid()) - {os.getpid()}


def _list_lasting() -> dict[int, str]:
    """Return the processes that must not end, unlike sandboxes, connections and PostgreSQL's vacuum."""
    titles = {pid: processes.title(pid) for pid in _all_parts()}
    return {pid: title for pid, title in titles.items() if _LASTING.search(title)}


def _status(port: int, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> int:
    # 0 if there is no response.
    try:
        return live.fetch(port, path, body=body, headers=live.VISITOR | (headers or {})).status
    except OSError:
        return 0


def _try_send(client: socket.socket, data: bytes) -> bool:
    try:
        client.sendall(data)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
