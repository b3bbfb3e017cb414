"""Send reports as `cardbench submit` does, repeated until there is a receipt.

Clients also send texts and batches, and correct and delete reports.
"""

import json
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from random import Random
from string import ascii_lowercase
from types import TracebackType
from typing import Any

from cardbench.errors import CardbenchError, ServerNotReached
from cardbench.server.http import ask
from cardbench.server.request import Request
from cardbench.server.submit import PATH, Server, submit

from tests.factories import body, rand_read, rand_write, specimen, uuid

CLIENTS = int(os.environ.get("CLIENTS") or 2)
PAUSE_S = 0.03
REPLAYED = 0.1  # share of the reports that are sent a second time
CHANGED, OF_OTHER_KINDS = 0.3, 0.1  # shares corrected or deleted, and followed by a text and a batch
BATCHES = 10**7  # number of the first report in a batch
MEASUREMENTS = 2
BRANDS = ("Aster", "Begonia", "Crocus")


def report(number: int) -> bytes:
    """Return one of many reports on few models and cards, so that workers process the same ones at once."""
    random = Random(number)
    card = specimen(number % 30, label={"brand": BRANDS[number % len(BRANDS)], "capacity_gb": 4})
    figures = [rand_read(random.lognormvariate(7, 0.2)), rand_write(random.lognormvariate(6, 0.2))]
    return body(uuid=uuid(number), card=card, measurements=figures)


def report_of_own_model(model: int, number: int) -> bytes:
    """Return one of few reports on a model, so that no later estimate hides one that was skipped."""
    brand = "".join(Random(model).choices(ascii_lowercase, k=9)).capitalize()
    values = [rand_read(1000 + number % 100), rand_write(500 + number % 100)]  # plausible, so that they count
    card = specimen(number, label={"brand": brand, "capacity_gb": 4})
    return body(uuid=uuid(number), card=card, measurements=values)


# The notes in reports for which planted.py looks.
RAISES, KILLS = "poison that raises", "poison that kills"
POISON = {
    number: body(uuid=uuid(number), note=note) for number, note in ((10**6, RAISES), (10**6 + 1, KILLS))
}


class Load:
    """Clients that keep sending while a `with` block runs.

    `receipts`: every id that was given to a report, by its number.
    """

    def __init__(self, url: str, *, seed: int) -> None:
        self.receipts: dict[int, set[str]] = defaultdict(set)
        self.texts: set[str] = set()
        self.refusals: list[str] = []
        self.turned_away = 0  # requests refused for now, with or without a message
        self._server = Server(url, attempts=2, first_pause_s=0.05)
        self._over = threading.Event()
        self._seed = seed
        self._clients = [
            threading.Thread(target=self._hand_in_many, args=[first], daemon=True) for first in range(CLIENTS)
        ]

    def __enter__(self) -> "Load":
        for client in self._clients:
            client.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        for client in self._clients:
            client.join()

    def hand_in(self, number: int, content: bytes) -> None:
        """Send a report until there is a receipt, like a patient user. A refusal is recorded."""
        receipt = self._retry(lambda: submit(content, self._server, secret=str(number)))
        if receipt:
            self.receipts[number].add(receipt["id"])

    def _retry(self, attempt: Callable[[], Any]) -> Any:
        # Returns None after a refusal.
        while True:
            try:
                return attempt()
            except ServerNotReached:
                self.turned_away += 1
                time.sleep(0.05)
            except CardbenchError as error:
                self.refusals.append(str(error))
                return None

    def _ask(
        self, path: str, method: str, body: bytes | None, kind: str = "application/json", key: str = ""
    ) -> Any:
        request = Request(path, method, body, kind, headers=(("Delete-Key", key),) if key else ())
        answer = self._retry(lambda: ask(request, self._server))
        return json.loads(answer) if answer else answer

    def _hand_in_text(self, number: int) -> None:
        # Sends one measurement of a card that no report is about.
        text = f" Timing O_DIRECT disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec\n# {number}\n".encode()
        if receipt := self._ask(f"{PATH}?brand=Dahlia&capacity_gb=4", "POST", text, "text/plain"):
            self.texts.add(receipt["id"])

    def _hand_in_batch(self, numbers: range) -> None:
        lines = b"\n".join(report(number) for number in numbers)
        if batch := self._ask(f"{PATH}batch/", "POST", lines, "application/x-ndjson"):
            for number, line in zip(numbers, batch["results"], strict=True):
                self.receipts[number].add(line["receipt"]["id"])

    def _hand_in_and_change(self, number: int, what: str) -> None:
        # Changes a report by the key of its receipt, which its sender gets again if the first receipt was lost.
        receipt = self._retry(lambda: submit(report(number), self._server, secret=str(number)))
        if not receipt or not receipt["delete_key"]:
            return
        place, key = f"{PATH}{receipt['id']}/", receipt["delete_key"]
        self.receipts[number].add(receipt["id"])
        if what == "correct":
            self._ask(place, "PATCH", json.dumps({"note": f"corrected {number}"}).encode(), key=key)
        else:
            self._delete(place, key)
            del self.receipts[number]

    def _delete(self, place: str, key: str) -> None:
        # After a lost response the next attempt gets a 404, which means success, too.
        refused = len(self.refusals)
        self._ask(place, "DELETE", None, key=key)
        self.refusals[refused:] = [words for words in self.refusals[refused:] if "404" not in words]

    def _hand_in_many(self, first: int) -> None:
        random = Random(self._seed * CLIENTS + first)
        number = first
        while not self._over.is_set():
            if random.random() < CHANGED:
                self._hand_in_and_change(number, random.choice(("correct", "delete")))
            else:
                self.hand_in(number, report(number))
            if random.random() < REPLAYED:
                earlier = random.randrange(first, number + 1, CLIENTS)
                if earlier in self.receipts:  # a deleted report would be stored as a new one
                    self.hand_in(earlier, report(earlier))
            number += CLIENTS
            if random.random() < OF_OTHER_KINDS:
                self._hand_in_text(number)
                self._hand_in_batch(range(BATCHES + 3 * number, BATCHES + 3 * number + 3))
            time.sleep(PAUSE_S)
