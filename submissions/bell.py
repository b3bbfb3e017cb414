"""Tells somebody, from a thread of its own, what has happened: whoever makes it happen need not wait for that."""

import time
from collections import Counter
from collections.abc import Callable
from threading import Lock, Thread, current_thread

# What comes within so long is told together.
TOGETHER_S = 0.03


class Bell:
    """`hear` is called with what was rung, and how often; never twice at a time. A process that ends lets it finish."""

    def __init__(self, hear: Callable[[Counter[str]], None]) -> None:
        self._hear = hear
        self._lock = Lock()
        self._rung: Counter[str] = Counter()
        self._teller: Thread | None = None

    def ring(self, what: str) -> None:
        with self._lock:
            self._rung[what] += 1
            if self._teller is None:
                self._teller = Thread(target=self._tell)
                self._teller.start()

    def wait(self) -> None:
        """Until all was told."""
        while teller := self._teller:
            teller.join()

    def _tell(self) -> None:
        try:
            while rung := self._gathered():
                self._hear(rung)
        finally:
            with self._lock:
                if self._teller is current_thread():  # something broke: the next ring begins anew
                    self._teller = None

    def _gathered(self) -> Counter[str]:
        """What was rung since; when nothing was, nobody listens any more."""
        time.sleep(TOGETHER_S)
        with self._lock:
            rung, self._rung = self._rung, Counter()
            if not rung:
                self._teller = None
        return rung
