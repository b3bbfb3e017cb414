"""The web server: gunicorn starts and watches its processes, and in each of them waitress talks to the clients.

    gunicorn flashdb.wsgi --config python:flashdb.web_server --bind 127.0.0.1:8000

Waitress takes every request in whole, all clients in one thread, before one of the threads that work sees it, and
hands answers out as fast as each client reads them. So somebody who sends a byte every two seconds holds a socket and
nothing else; after DEADLINE_S it is closed. gunicorn's own workers hold a thread for each.
"""

import gc
import logging
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from gunicorn.workers.base import Worker
from waitress import create_server, wasyncore
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer

# For gunicorn.
workers, threads = 2, 8
# Imported once, and its memory shared; a process that takes another's place begins at once.
preload_app = True
worker_class = "flashdb.web_server.BufferingWorker"
control_socket_disable = True  # it would be one file in the home directory for every copy of the site
# What leaks a little never leaks much.
max_requests, max_requests_jitter = 20_000, 2_000

# For a request to arrive in whole: 8 MB at a megabit a second.
DEADLINE_S: Final = int(os.environ.get("REQUEST_DEADLINE_S") or 60)
MOST_SOCKETS: Final = 4_000  # of each process
MOST_BYTES: Final = 20_000_000  # of a body; each address has a smaller limit of its own, and words for it
_HEADER_BYTES: Final = 32_768
_LARGE_BYTES: Final = 1_000_000
_WAKING_S: Final = 1.0
_OTHER_FILES: Final = 200
# A request that waits for PostgreSQL gets the interpreter back after each answer no later than this: a dear request in
# another thread would keep it for Python's 5 ms, twenty times a page.
_SWITCH_S: Final = 0.0005


class Channel(HTTPChannel):
    """One client. `began`: when the first byte of the request that is coming in was here."""

    began = 0.0

    def received(self, data: bytes) -> bool:
        if self.request is None:
            self.began = time.monotonic()
        return super().received(data)

    def cut_off_if_late(self, now: float) -> None:
        if self.request is not None and now - self.began > DEADLINE_S:
            self.will_close = True


class BufferingWorker(Worker):
    """A process of gunicorn whose clients are waitress's."""

    alive: bool

    def run(self) -> None:
        """Serve until a signal, the last request of this process, or the end of gunicorn; finish what was begun."""
        sys.setswitchinterval(_SWITCH_S)
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a word for each request that waits
        self.open: dict[int, Any] = {}  # listeners and clients by their file
        server = create_server(
            self._counted,
            map=self.open,
            sockets=[listener.sock for listener in self.sockets],
            threads=self.cfg.threads,
            connection_limit=_sockets_there_are(),
            channel_timeout=DEADLINE_S,
            cleanup_interval=5,
            max_request_body_size=MOST_BYTES,
            max_request_header_size=_HEADER_BYTES,
            clear_untrusted_proxy_headers=False,  # NUM_PROXIES says which of them count
            asyncore_use_poll=True,
            ident=None,
        )
        for listener in self._all(BaseWSGIServer):
            listener.channel_class = Channel
        self._serve(lambda: self.alive and os.getppid() == self.ppid)
        self._stop_listening()
        last = time.monotonic() + self.cfg.graceful_timeout
        self._serve(lambda: time.monotonic() < last and any(map(_is_busy, self._all(Channel))))
        server.task_dispatcher.shutdown(timeout=1)

    def _counted(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        self.nr += 1
        self.alive = self.alive and self.nr < self.max_requests
        if int(environ.get("CONTENT_LENGTH") or 0) > _LARGE_BYTES:
            gc.collect()  # the view and the answer before hold each other, and their body
        return self.wsgi(environ, start_response)

    def _serve(self, goes_on: Callable[[], bool]) -> None:
        looked_at = 0.0
        while goes_on():
            wasyncore.loop(timeout=_WAKING_S, use_poll=True, map=self.open, count=1)
            now = time.monotonic()
            if now - looked_at > _WAKING_S / 2:
                looked_at = now
                self.notify()
                for channel in self._all(Channel):
                    channel.cut_off_if_late(now)

    def _stop_listening(self) -> None:
        for listener in self._all(BaseWSGIServer):
            listener.accepting = False
            listener.del_channel(self.open)
            listener.socket.close()

    def _all(self, kind: type[Any]) -> list[Any]:
        return [channel for channel in self.open.values() if isinstance(channel, kind)]


def _is_busy(channel: Channel) -> bool:
    """Whether a request is being answered, or its answer is still on the way."""
    return bool(channel.requests or channel.total_outbufs_len)


def _sockets_there_are() -> int:
    """Raises the limit of the system as far as it may; what is left is for files and databases."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_SOCKETS + _OTHER_FILES
    allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    return max(allowed - _OTHER_FILES, 1)
