"""Send reports to the live site while two workers process and rank them; measure rates and waiting times.

A report counts as ranked when its model was estimated from rows read after it was filed, or waits for no estimate,
because many models are estimated in the transaction that files the report.
"""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from threading import Event, Lock, Thread

import numpy as np
from psycopg import Connection

from tests.bench.live import ask, connect, say, web, worker
from tests.bench.server import SUBMIT

_LOOK_EVERY_S, _PATIENCE_S = 0.2, 120
_JUDGED = (
    "SELECT id, extract(epoch FROM judged_at)::float8 FROM submissions_cardmodel WHERE judged_at IS NOT NULL"
)
_MARKED = "SELECT DISTINCT card_model_id FROM submissions_touchedmodel WHERE NOT judged"
_FILED = """
    SELECT submission.id, card_model_id, extract(epoch FROM received_at)::float8,
        extract(epoch FROM statement_timestamp())::float8
    FROM submissions_submission submission
    JOIN submissions_run run ON run.submission_id = submission.id
    JOIN submissions_card card ON card.id = card_id JOIN submissions_variant variant ON variant.id = variant_id
    WHERE submission.id > %s AND submission.id != ALL(%s)
"""
_FIRST_WAITING = "SELECT min(id) FROM submissions_submission WHERE state = 'received'"
# Ids read again, because a row with a lower id may be committed later than a visible one.
_UNSEEN = 100


@dataclass(slots=True)
class Looks:
    """The observations of a client that repeatedly reads the database, by the clock of the database.

    `filed`: by id of a submission, its model, when it was received and when it was first seen filed. `ranked`: by id of
    a submission, seconds from its receipt to its rank.
    """

    last: int
    filed: dict[int, tuple[int, float, float]] = field(default_factory=dict)
    ranked: dict[int, float] = field(default_factory=dict)

    def look(self, connection: Connection) -> None:
        ((waiting,),) = connection.execute(_FIRST_WAITING).fetchall()
        known = [pk for pk in self.filed if pk > self.last]
        for pk, model, received, filed in connection.execute(_FILED, [self.last, known]).fetchall():
            self.filed[pk] = model, received, filed
        self.last = max(self.last, (waiting or max(self.filed, default=0)) - _UNSEEN)
        judged: dict[int, float] = dict(connection.execute(_JUDGED).fetchall())
        marked = {model for (model,) in connection.execute(_MARKED).fetchall()}
        for pk, (model, received, seen) in self.filed.items():
            if pk not in self.ranked and (judged.get(model, 0.0) > seen or model not in marked):
                self.ranked[pk] = max(judged.get(model, 0.0), seen) - received


def measure(reports: Iterator[tuple[bytes, str]], *, clients: int, seconds: float) -> None:
    """Send reports; print the rates of accepted and ranked reports, and the seconds that they waited.

    `reports`: an endless iterator. Before the clock starts, clients have sent for a third of `seconds`, so that as many
    reports wait at the beginning as at the end, and the ranked ones can be compared with those accepted in the same
    seconds.
    """
    # Made before the clock starts, so that making them takes no measured time.
    bodies = iter(list(islice(reports, max(int(800 * seconds), 100))))
    with web() as port, worker(), connect() as connection:
        _send(port, bodies, clients=clients, seconds=0.5)
        _await(connection, 0)
        looks = Looks(_last(connection))
        with _looking(looks):
            before = _send(port, bodies, clients=clients, seconds=seconds / 3)
            ranked_before = len(looks.ranked)
            accepted = _send(port, bodies, clients=clients, seconds=seconds)
            meanwhile = len(looks.ranked) - ranked_before
            sent = time.monotonic()
            _await_ranked(looks, before + accepted)
        drained = time.monotonic() - sent
        p50, p95, worst = np.quantile([*looks.ranked.values()], (0.5, 0.95, 1))
    say(
        f"live, {clients} clients for {seconds:g} s: accepted {accepted / seconds:.0f}/s, ranked meanwhile"
        f" {meanwhile / seconds:.0f}/s ({meanwhile / accepted:.2f} of them; goal 1), the rest within {drained:.1f} s;"
        f" receipt to ranked p50 {p50:.2f}, p95 {p95:.2f}, worst {worst:.2f} s (goal p95 5)"
    )


def _send(port: int, bodies: Iterator[tuple[bytes, str]], *, clients: int, seconds: float) -> int:
    # Returns the number of accepted reports.
    lock, until = Lock(), time.monotonic() + seconds

    def client(_: int) -> int:
        count = 0
        while time.monotonic() < until:
            with lock:
                body, person = next(bodies)
            ask(port, SUBMIT, body=body, expected=202, headers={"X-Forwarded-For": _address(person)})
            count += 1
        return count

    with ThreadPoolExecutor(clients) as pool:
        return sum(pool.map(client, range(clients)))


def _address(person: str) -> str:
    # Each person has a network of their own.
    number = int(person.rpartition(" ")[2])
    return f"{101 + number % 100}.{number // 100 % 250}.{number // 25_000}.7"


@contextmanager
def _looking(looks: Looks) -> Iterator[None]:
    done = Event()

    def look() -> None:
        with connect() as connection:
            while not done.wait(_LOOK_EVERY_S):
                looks.look(connection)

    thread = Thread(target=look)
    thread.start()
    yield
    done.set()
    thread.join()


def _await_ranked(looks: Looks, number: int) -> None:
    until = time.monotonic() + _PATIENCE_S
    while len(looks.ranked) < number and time.monotonic() < until:
        time.sleep(_LOOK_EVERY_S)


def _await(connection: Connection, waiting: int) -> None:
    until = time.monotonic() + _PATIENCE_S
    unfinished = "SELECT count(*) FROM submissions_submission WHERE state = 'received'"
    while connection.execute(unfinished).fetchone() != (waiting,) and time.monotonic() < until:
        time.sleep(_LOOK_EVERY_S)
    time.sleep(2)  # until the filed reports are judged


def _last(connection: Connection) -> int:
    ((last,),) = connection.execute("SELECT coalesce(max(id), 0) FROM submissions_submission").fetchall()
    return int(last)
