"""Clients that hand in reports as `cardbench submit` does, again and again until they get a receipt."""

import threading
import time
from collections import defaultdict
from random import Random
from types import TracebackType

from cardbench.errors import CardbenchError, ServerNotReached
from cardbench.server.submit import Server, submit

from tests.factories import body, rand_read, rand_write, specimen, uuid

CLIENTS = 2
PAUSE_S = 0.03
REPLAYED = 0.1  # of the reports are handed in once more
MEASUREMENTS = 2
BRANDS = ("Aster", "Begonia", "Crocus")


def report(number: int) -> bytes:
    """One of many: few models and cards, so that workers meet at them."""
    random = Random(number)
    card = specimen(number % 30, label={"brand": BRANDS[number % len(BRANDS)], "capacity_gb": 4})
    figures = [rand_read(random.lognormvariate(7, 0.2)), rand_write(random.lognormvariate(6, 0.2))]
    return body(uuid=uuid(number), card=card, measurements=figures)


# What planted.py looks for.
RAISES, KILLS = "poison that raises", "poison that kills"
POISON = {
    number: body(uuid=uuid(number), note=note) for number, note in ((10**6, RAISES), (10**6 + 1, KILLS))
}


class Load:
    """While the block runs, clients keep handing in. `receipts`: number of the report -> every id it was given."""

    def __init__(self, url: str, *, seed: int) -> None:
        self.receipts: dict[int, set[str]] = defaultdict(set)
        self.refusals: list[str] = []
        self.turned_away = 0  # with a word to come back later, or with none
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
        """Until there is a receipt: a tester does not give up either. A refusal is noted."""
        while True:
            try:
                self.receipts[number].add(submit(content, self._server)["id"])
            except ServerNotReached:
                self.turned_away += 1
                time.sleep(0.05)
            except CardbenchError as error:
                self.refusals.append(str(error))
                return
            else:
                return

    def _hand_in_many(self, first: int) -> None:
        random = Random(self._seed * CLIENTS + first)
        number = first
        while not self._over.is_set():
            self.hand_in(number, report(number))
            if random.random() < REPLAYED:
                earlier = random.randrange(first, number + 1, CLIENTS)
                self.hand_in(earlier, report(earlier))
            number += CLIENTS
            time.sleep(PAUSE_S)
