"""Run a PostgreSQL and a Redis (or Valkey) server for the site, for tests and development.

    with local_services(Path(".state")) as services:
        subprocess.run(command, env=os.environ | services.environment)

If DATABASE_URL or REDIS_URL names a server of your own, that one is used instead.
From a shell: `python -m flashdb.local_services --temporary -- pytest`.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from flashdb.local_services.binaries import find_postgres, find_redis
from flashdb.local_services.children import Child
from flashdb.local_services.errors import LocalServicesError
from flashdb.local_services.places import Place, choose_place, claim
from flashdb.local_services.postgres import postgres
from flashdb.local_services.redis import redis


class Services(NamedTuple):
    """The running PostgreSQL and Redis: their URLs, and one line for people that names their versions."""

    database_url: str
    redis_url: str
    description: str
    children: tuple[Child, ...] = ()  # the servers started here
    home: Path | None = None  # the folder of their data: the state, unless their account cannot enter that

    @property
    def environment(self) -> dict[str, str]:
        """Return environment variables by which settings.py finds the servers."""
        return {"DATABASE_URL": self.database_url, "REDIS_URL": self.redis_url}


@contextmanager
def local_services(state: Path, *, durable: bool = True) -> Iterator[Services]:
    """Run the servers that DATABASE_URL and REDIS_URL do not name during the block, with their data in `state`.

    durable=False is for tests: it turns off fsync, and deletes the data at the end. Call it only from the main thread.
    Raise LocalServicesError if a server cannot be started.
    """
    database_url, redis_url = os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", "")
    names = ["PostgreSQL from DATABASE_URL", "Redis from REDIS_URL"]
    children: list[Child] = []
    home = None
    with ExitStack() as running:
        if not (database_url and redis_url):
            place = running.enter_context(_lock_place(state.resolve(), durable=durable))
            home = place.home
        if not database_url:
            server = find_postgres(place.user, place.home)
            database_url, child = running.enter_context(postgres(place, server, durable=durable))
            names[0], children = str(server), [child]
        if not redis_url:
            server = find_redis(place.user)
            redis_url, child = running.enter_context(redis(place, server))
            names[1], children = str(server), [*children, child]
        yield Services(database_url, redis_url, ", ".join(names), tuple(children), home)


@contextmanager
def _lock_place(state: Path, *, durable: bool) -> Iterator[Place]:
    """Lock `state` for this copy of the site, and remove its sockets at the end, and its data unless `durable`."""
    with claim(state):
        place = choose_place(state)
        try:
            yield place
        finally:
            shutil.rmtree(place.sockets, ignore_errors=True)
            if not durable:
                shutil.rmtree(place.home, ignore_errors=True)
