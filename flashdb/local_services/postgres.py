"""Make a PostgreSQL cluster, and start and stop its server on a unix socket."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
from psycopg import sql

from flashdb.local_services.binaries import ENV, Server
from flashdb.local_services.children import Child, await_ready, ignoring_signals, run_to_end, spawn, stop
from flashdb.local_services.errors import LocalServicesError
from flashdb.local_services.places import Place, shm_is_small
from flashdb.local_services.service_user import change_owner

ROLE = DATABASE = "flashdb"
READY_S = 60
PREDECESSOR_S = 15  # a fast shutdown after SIGKILL of the supervisor takes about one
NOT_DURABLE = ("fsync", "synchronous_commit", "full_page_writes")


@contextmanager
def postgres(place: Place, server: Server, *, durable: bool) -> Iterator[tuple[str, Child]]:
    """Run PostgreSQL during the block; yield the URL of an existing database, and the process of the server.

    durable=False makes PostgreSQL faster, but a crash may destroy the data.
    """
    cluster = place.home / f"pg-{server.major}"
    _make_cluster(cluster, server, place)
    stale_pid = await_predecessor(cluster / "postmaster.pid")
    child = _start(cluster, server, place, durable=durable, stale_pid=stale_pid)
    try:
        await_ready("PostgreSQL", child, lambda: _make_database(place.sockets), patience_s=READY_S)
        yield make_url(place.sockets, DATABASE), child
    finally:
        with ignoring_signals():
            stop(child, by=signal.SIGINT)  # because SIGTERM would wait until clients close their connections


def make_url(sockets: Path, database: str) -> str:
    """Return the URL of a database for Django and psycopg, with the port, which a variable PGPORT would change.

    The path of the sockets needs no quoting: see places.PLAIN_PATH.
    """
    return f"postgresql://{ROLE}@:5432/{database}?host={sockets}"


def _make_cluster(cluster: Path, server: Server, place: Place) -> None:
    """Make a cluster in another folder and rename the folder at the end, so that a cluster is never incomplete."""
    if cluster.exists():
        return
    partial = cluster.with_name(cluster.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700)
    change_owner(partial, place.user)
    _initdb(partial, server, place)
    partial.rename(cluster)


def _initdb(partial: Path, server: Server, place: Place) -> None:
    # Always in UTF-8: under an uninstalled locale initdb silently takes SQL_ASCII.
    initdb = server.program.executable.with_name("initdb")
    options = [
        "-E",
        "UTF8",
        "--locale=C.UTF-8",
        "-U",
        ROLE,
        "--auth-local=trust",
        "--auth-host=reject",
        "--no-sync",
    ]
    if shm_is_small():
        options += ["--set", "dynamic_shared_memory_type=mmap"]
    log = place.logs / "initdb.log"
    child = run_to_end([initdb, "-D", partial, *options], env=ENV, log=log, user=place.user)
    if child.returncode != 0:
        raise LocalServicesError(f"cannot make a cluster in {partial}: {child.describe_end()}")


def _start(cluster: Path, server: Server, place: Place, *, durable: bool, stale_pid: int | None) -> Child:
    settings = {"listen_addresses": "", "unix_socket_permissions": "0700", "log_min_messages": "warning"}
    settings["jit"] = "off"  # as in the wheel, so that both take as long
    settings["shared_buffers"] = f"{_shared_buffers_mib()}MB"
    if shm_is_small():
        settings["dynamic_shared_memory_type"] = "mmap"
    if not durable:
        settings |= dict.fromkeys(NOT_DURABLE, "off")
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return spawn(
        [server.program.executable, "-D", cluster, "-k", place.sockets, *options],
        env=_environment(stale_pid),
        log=place.logs / "postgres.log",
        user=place.user,
        death_signal=signal.SIGINT,
    )


def _shared_buffers_mib() -> int:
    """Return a quarter of the memory in MiB, as PostgreSQL's manual advises, but at most 1 GiB.

    PostgreSQL's default of 128 MB is enough for some 20,000 runs; with 200,000, reports took up to 1.6 times as long.
    """
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(memory_bytes // 4, 2**30) // 2**20


def await_predecessor(pid_file: Path, *, patience_s: float = PREDECESSOR_S) -> int | None:
    """Wait until the PostgreSQL of a killed copy of the site has ended.

    Return the pid in `pid_file` if it is stale, else None. A stale pid is that of a process that has ended, or of
    another program that got the same pid. If the server goes on, PostgreSQL itself refuses to start a second one.
    """
    deadline = time.monotonic() + patience_s
    while (pid := _read_pid(pid_file)) and time.monotonic() < deadline:
        if not _serves(pid, pid_file.parent):
            return pid
        time.sleep(0.1)
    return None


def _read_pid(pid_file: Path) -> int:
    try:
        first = pid_file.read_text().partition("\n")[0]
    except FileNotFoundError:
        return 0
    return int(first) if first.isdigit() else 0


def _serves(pid: int, cluster: Path) -> bool:
    # The command line of a zombie is empty.
    try:
        return os.fsencode(cluster) in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def _environment(stale_pid: int | None) -> dict[str, str]:
    """Return environment variables that make PostgreSQL accept a postmaster.pid with a stale pid.

    PG_GRANDPARENT_PID is for that: see CreateLockFile in src/backend/utils/init/miscinit.c. Do not delete
    postmaster.pid instead, because PostgreSQL finds processes of the old server by it.
    """
    return ENV | ({"PG_GRANDPARENT_PID": str(stale_pid)} if stale_pid else {})


def _make_database(sockets: Path) -> bool:
    url = make_url(sockets, "postgres")
    with suppress(psycopg.OperationalError), psycopg.connect(url, autocommit=True, connect_timeout=10) as own:
        if not own.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            own.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
        return True
    return False
