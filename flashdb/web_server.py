"""Serve the site: gunicorn starts and watches the processes, and in each of them waitress talks to the clients.

    gunicorn flashdb.wsgi --config python:flashdb.web_server --bind 127.0.0.1:8000

One thread of waitress receives the requests of all clients completely before it passes them to a working thread, and
sends answers as fast as each client reads them. So a client that sends a byte every two seconds occupies only a socket,
which is closed after DEADLINE_S. With gunicorn's own workers it would occupy a thread.
"""

import gc
import logging
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from gunicorn.workers.base import Worker
from waitress import create_server, wasyncore
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer

# Settings that gunicorn reads.
workers, threads = 2, 8
# Import the site once before the processes are forked: they share its memory, and a new one starts at once.
preload_app = True
worker_class = "flashdb.web_server.BufferingWorker"
control_socket_disable = True  # it would be one file in the home directory for every copy of the site
# A process is replaced before a small leak of memory becomes a large one.
max_requests, max_requests_jitter = 20_000, 2_000

# The time in which a request must arrive completely: 8 MB at one megabit per second.
DEADLINE_S = int(os.environ.get("REQUEST_DEADLINE_S") or 60)
MOST_SOCKETS = 4_000  # of each process
MOST_BYTES = 20_000_000  # of a body; views have smaller limits, and explain them
_HEADER_BYTES = 32_768
_LARGE_BYTES = 1_000_000
_WAKING_S = 1.0
_OTHER_FILES = 200
# After each answer of PostgreSQL a thread waits at most so long for the interpreter while another thread computes.
# Python's default is 5 ms, and a page makes about twenty queries.
_SWITCH_S = 0.0005


class Channel(HTTPChannel):
    """The connection of one client; `began` is the time of the first byte of its request, by the monotonic clock."""

    began = 0.0

    def receive_data(self, data: bytes) -> bool:
        """Receive bytes of a request, and store the time of its first byte."""
        if self.request is None:
            self.began = time.monotonic()
        return bool(super().received(data))

    received = receive_data  # the name that waitress calls

    def close_if_late(self, now: float) -> None:
        if self.request is not None and now - self.began > DEADLINE_S:
            self.will_close = True


class BufferingWorker(Worker):
    """A worker process of gunicorn in which waitress serves the clients."""

    alive: bool

    def run(self) -> None:
        """Serve until a signal, max_requests, or the end of gunicorn, and then finish open requests."""
        sys.setswitchinterval(_SWITCH_S)
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # it logs each request that waits
        self.open: dict[int, Any] = {}  # listeners and clients by their file
        server = create_server(
            self._count_and_answer,
            map=self.open,
            sockets=[listener.sock for listener in self.sockets],
            threads=self.cfg.threads,
            connection_limit=_raise_socket_limit(),
            channel_timeout=DEADLINE_S,
            cleanup_interval=5,
            max_request_body_size=MOST_BYTES,
            max_request_header_size=_HEADER_BYTES,
            clear_untrusted_proxy_headers=False,  # NUM_PROXIES decides which of them to trust
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

    def _count_and_answer(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        self.nr += 1
        self.alive = self.alive and self.nr < self.max_requests
        if int(environ.get("CONTENT_LENGTH") or 0) > _LARGE_BYTES:
            gc.collect()  # the last request and its answer refer to each other, and keep a large body alive
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
                    channel.close_if_late(now)

    def _stop_listening(self) -> None:
        for listener in self._all(BaseWSGIServer):
            listener.accepting = False
            listener.del_channel(self.open)
            listener.socket.close()

    def _all(self, kind: type[Any]) -> list[Any]:
        return [channel for channel in self.open.values() if isinstance(channel, kind)]


def _is_busy(channel: Channel) -> bool:
    return bool(channel.requests or channel.total_outbufs_len)


def _raise_socket_limit() -> int:
    # Leave some for files and database connections.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_SOCKETS + _OTHER_FILES
    allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    return max(allowed - _OTHER_FILES, 1)
