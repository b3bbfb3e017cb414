"""Each part of `make bench` has its own empty database, so that no part sees the rows of another."""

import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import psycopg
import pytest

from tests.bench import live
from tests.bench.__main__ import empty_database


def databases() -> set[str]:
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        return {name for (name,) in connection.execute("SELECT datname FROM pg_database")}


def test_every_part_begins_with_an_empty_database() -> None:
    for _ in range(2):
        with empty_database("bench_test") as environment:
            with psycopg.connect(environment["DATABASE_URL"]) as connection:
                connection.execute("CREATE TABLE row ()")
            assert "bench_test" in databases()
    assert "bench_test" not in databases()


def test_a_part_without_a_database_is_left_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL")
    with empty_database("bench_test") as environment:
        assert environment == dict(os.environ)


class WithTag(BaseHTTPRequestHandler):
    """An HTTP response with a header in the spelling of waitress."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Etag", '"1"')
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Override the log of requests, so that nothing is printed."""


def test_headers_are_found_in_any_case() -> None:
    with HTTPServer(("127.0.0.1", 0), WithTag) as server:
        Thread(target=server.handle_request).start()
        assert live.fetch(server.server_port, "/", headers={}).headers.get("ETag") == '"1"'
