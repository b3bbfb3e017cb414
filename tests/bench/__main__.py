"""Run all benchmarks and print their figures and ratios: `make bench`. Nothing here passes or fails.

Run it through `make bench`, which starts a PostgreSQL and a Redis of its own. Every part runs in a process of its own
with an empty database of its own; if one part fails, the others are measured anyway.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

PARTS = ("engine_cost", "engine_peers", "flashbench_tables", "decode_cost", "server", "site_pages")


def main() -> None:
    names = sys.argv[1:] or PARTS
    if len(names) == 1:
        return measure(names[0])
    print(
        f"{os.cpu_count()} processors, Python {sys.version.split()[0]}; load before: {os.getloadavg()[0]:.2f}"
    )
    broken = [name for name in names if not run_part(name)]
    if broken:
        sys.exit(f"broken: {', '.join(broken)}")


def measure(name: str) -> None:
    print(f"\n== {name.replace('_', ' ')}", flush=True)
    import_module(f"tests.bench.{name}").main()


def run_part(name: str) -> bool:
    """Run a part of the benchmarks in a process and a database of its own; return whether it ended without an error."""
    with empty_database(f"bench_{name}") as environment:
        command = [sys.executable, "-m", "tests.bench", name]
        return subprocess.run(command, env=environment, check=False).returncode == 0


@contextmanager
def empty_database(name: str) -> Iterator[dict[str, str]]:
    """Create an empty database beside that of DATABASE_URL, and yield the environment that names it.

    Without DATABASE_URL the environment is unchanged.
    """
    url = os.environ.get("DATABASE_URL")
    if not url:
        yield dict(os.environ)
        return
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(drop)
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield os.environ | {"DATABASE_URL": urlsplit(url)._replace(path=f"/{name}").geturl()}
        connection.execute(drop)


if __name__ == "__main__":
    main()
