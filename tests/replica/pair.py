"""Start a live site with a database and a replica that follows it, two web servers and two workers."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from random import Random

import psycopg

from flashdb.local_services.binaries import ENV, find_postgres
from flashdb.local_services.children import Child, run_to_end
from flashdb.local_services.places import Place, claim, temporary_state
from flashdb.local_services.postgres import DATABASE, ROLE, make_url, postgres
from flashdb.local_services.service_user import change_owner
from tests.chaos.stack import CLEAN, Stack, free_url

STANDBY, LAG_MS = "standby", 700
_FOLLOWS = f"""
recovery_min_apply_delay = '{LAG_MS}ms'
hot_standby_feedback = on
"""


class Pair(Stack):
    """A site with a primary database and a replica; reads from the replica lag by LAG_MS.

    Each process finds the database that accepts writes by itself, because both are in DATABASE_URL.
    """

    PARTS = ("database", "redis", STANDBY, "web", "web-replica", "worker", "worker-2", "beat")
    SERVERS = ("database", "redis", STANDBY)
    JUDGING = ("beat", "worker", "worker-2")
    clock_shifts_s = (0,)

    def __init__(self, state: Path, *, random: Random) -> None:
        super().__init__(state, random=random)
        self.server = find_postgres(self.place.user)
        self.replica_url = free_url()
        self.standby = self.place._replace(home=self._folder("second"), sockets=self._folder("second-run"))
        both = Path(f"{self.place.sockets},{self.standby.sockets}")
        self.database_url = f"{make_url(both, DATABASE)}&target_session_attrs=read-write"
        self.standby_url = make_url(self.standby.sockets, DATABASE)
        self.environment["FILES_DIR"] = str(state / "files")

    def confirm(self, *, by: str) -> None:
        """Make every commit wait until a standby of this name has it on disk; with "" no commit waits."""
        with self.connect() as connection:
            connection.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{by}'")
            connection.execute("SELECT pg_reload_conf()")

    def disconnect(self) -> None:
        """Disconnect the standby from the primary, like a broken network between two machines."""
        with psycopg.connect(self.standby_url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET primary_conninfo = ''")
            connection.execute("SELECT pg_reload_conf()")

    def promote(self) -> None:
        with psycopg.connect(self.standby_url, autocommit=True) as connection:
            connection.execute("SELECT pg_promote()")

    def _folder(self, name: str) -> Path:
        folder = self.place.sockets.parent / name
        folder.mkdir(mode=0o700)
        change_owner(folder, self.place.user)
        return folder

    def _part(self, part: str) -> AbstractContextManager[Child]:
        match part:
            case "standby":
                return self._standby()
            case "web-replica":
                return self._web(self.replica_url, DATABASE_URL=self.standby_url)
            case "worker-2":
                return self._worker(part)
            case _:
                return super()._part(part)

    @contextmanager
    def _database(self) -> Iterator[Child]:
        with postgres(self.place, self.server, durable=True) as (_, child):
            self.environment |= {"DATABASE_URL": self.database_url, "REPLICA_URL": self.standby_url}
            yield child

    @contextmanager
    def _standby(self) -> Iterator[Child]:
        copy_database(self.place, self.standby, self.server.program.executable, f"pg-{self.server.major}")
        with postgres(self.standby, self.server, durable=True) as (_, child):
            yield child


def copy_database(primary: Place, standby: Place, executable: Path, name: str) -> None:
    """Copy the primary's cluster with pg_basebackup, which also configures the primary that the copy follows."""
    cluster = standby.home / name
    follows = f"host={primary.sockets} port=5432 user={ROLE} application_name={STANDBY}"
    program = executable.with_name("pg_basebackup")
    copied = run_to_end(
        [program, "--pgdata", cluster, "--dbname", follows, "--write-recovery-conf", "--checkpoint", "fast"],
        env=ENV,
        log=primary.logs / "basebackup.log",
        user=primary.user,
    )
    assert copied.returncode == 0, copied.describe_end()
    with (cluster / "postgresql.auto.conf").open("a") as settings:
        settings.write(_FOLLOWS)


@contextmanager
def live_pair(*, random: Random) -> Iterator[Pair]:
    """Run a migrated site with a replica; stop and remove it afterwards."""
    with temporary_state() as state, claim(state):
        pair = Pair(state, random=random)
        try:
            pair.start("database", "redis")
            pair.manage("migrate", "--verbosity", "0")
            with pair.connect() as connection:
                connection.execute(f"CREATE DATABASE {CLEAN} TEMPLATE {DATABASE}")
            pair.start(*pair.PARTS[2:])
            pair.eventually(pair.is_healthy, "the site answers")
            yield pair
        finally:
            pair.close()
