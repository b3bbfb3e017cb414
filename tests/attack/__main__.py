"""`make attack`: all that is dear to answer, sent at once to a live site on this machine, without any rate limit.

Prints what was tried and what got through. SECONDS=30 lasts as long. Nothing outside this machine is asked.
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
# The answers to an attack: taken, refused in words, or "come back later".
FAIR: Final = frozenset([200, 202, 400, 413, 429, 503])
STARTER = "submissions/starter"
_LASTING: Final = re.compile(
    r"gunicorn: |celery|/postgres |postgres: (?!.*(?:\[local\]|worker))|redis-server"
)


@dataclass(slots=True)
class Tally:
    """Answers by attack; `through`: those that no attack should get."""

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


def slow(name: str, begin: bytes) -> Attack:
    """A byte every two seconds from each of SLOW clients; a new one for each that is cut off."""

    def attack(site: Site, tally: Tally) -> None:
        with ExitStack() as stack:
            clients: list[socket.socket] = []
            while not site.over.wait(2):
                clients = [client for client in clients if _sent(client, b"x")]
                for _ in range(SLOW - len(clients)):
                    clients.append(
                        stack.enter_context(socket.create_connection(("127.0.0.1", site.port), 10))
                    )
                    tally.note(name, fair=_sent(clients[-1], begin))

    return attack


def asks(name: str, paths: Iterator[str]) -> Attack:
    """A page, again and again, from nobody who was there before."""

    def attack(site: Site, tally: Tally) -> None:
        while not site.over.is_set():
            tally.note(name, fair=_status(site.port, next(paths)) in FAIR)

    return attack


def sends(name: str, path: str, texts: Iterator[bytes]) -> Attack:
    def attack(site: Site, tally: Tally) -> None:
        while not site.over.is_set():
            headers = {"Content-Type": "text/plain"}
            tally.note(name, fair=_status(site.port, path, next(texts), headers) in FAIR)

    return attack


def attacks() -> tuple[Attack, ...]:
    body = b"POST /api/v1/parse/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n"
    return (
        slow("200 slow headers (#6)", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "),
        slow("200 slow bodies (#6)", body),
        asks("recent, far back (#3)", (f"/recent/?page=99999&n={n}" for n in count())),
        asks("statistics (#3)", (f"/statistics/?n={n}" for n in count())),
        sends("8 MB texts, looked at (#4)", "/api/v1/parse/", cycle(hostile.TEXTS.values())),
        sends(
            "8 MB texts, handed in (#4)", f"{SUBMIT}?brand=Attack", cycle(reversed(hostile.TEXTS.values()))
        ),
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an attack. `meanwhile_s`: what each answer of the finder took; `ended`: parts of the site."""

    tally: Tally
    meanwhile_s: list[float]
    most_bytes: int
    ended: list[str]

    def list_failures(self) -> list[str]:
        """Say what failed, each with its limit; nothing if the site held."""
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
    """Return the exit status: 1 when something failed, 2 when the machine is too busy to tell."""
    live.ENVIRONMENT["RATE_LIMITS"] = "off"
    live.manage("migrate", "-v0")
    live.manage("load_reports", *(str(path) for path in sorted((live.PROJECT / STARTER).glob("*.jsonl"))))
    with live.web() as port, live.worker():
        _watched(port, 5)  # every process reads in its templates once
        before_s = _watched(port, 5)[0]
        print(f"finder before: {_summary(before_s)}; load {os.getloadavg()[0]:.1f}")
        if _p95(before_s) > MOST_S:
            print(f"Not attacked: even so it takes more than {live.ms(MOST_S)} (p95). Let the machine rest.")
            return 2
        outcome = _attack(port)
    return _report(outcome)


def _attack(port: int) -> Outcome:
    tally = Tally()
    with _attacked(port, tally):
        lasting = _lasting()
        meanwhile_s, most_bytes = _watched(port, SECONDS)
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
def _attacked(port: int, tally: Tally) -> Iterator[None]:
    over = threading.Event()
    site = Site(port, over)
    threads = [threading.Thread(target=attack, args=[site, tally]) for attack in attacks()]
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


def _watched(port: int, seconds: float) -> tuple[list[float], int]:
    """Seconds that each answer of the finder took, and the most memory that all parts had at once."""
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
    """Everything that the services of this run have started, but for this process."""
    return descendants(os.getppid()) - {os.getpid()}


def _lasting() -> dict[int, str]:
    """Those that must not end: what runs apart comes and goes, and so do connections and the vacuum of PostgreSQL."""
    titles = {pid: processes.title(pid) for pid in _all_parts()}
    return {pid: title for pid, title in titles.items() if _LASTING.search(title)}


def _status(port: int, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> int:
    """Of the answer; 0 where there is none."""
    try:
        return live.fetch(port, path, body=body, headers=live.VISITOR | (headers or {})).status
    except OSError:
        return 0


def _sent(client: socket.socket, data: bytes) -> bool:
    try:
        client.sendall(data)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
