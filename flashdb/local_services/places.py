"""Choose the folders for data, sockets and logs of the servers, and lock out a second copy.

The state directory is .state in the checkout, or FLASHDB_STATE. Servers cannot use it if the service user cannot enter
it (root's home is 0700), or if its path is too long for a socket. Then the servers use other folders.
"""

import fcntl
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from flashdb.local_services.errors import LocalServicesError
from flashdb.local_services.service_user import ServiceUser, can_enter, change_owner, choose_user

SMALL_SHM_BYTES = 16 * 2**20  # Docker's default of 64 MB is enough, 256 kB is not
SYSTEM_STATE = Path("/var/lib/flashdb")  # root's, world-enterable: for files that the service user must reach
SOCKET_PATH_BYTES = 107  # sun_path holds 108 bytes with the closing zero, unix(7)
LONGEST_SOCKET_NAME = "/.s.PGSQL.5432"
PLAIN_PATH = re.compile(r"[A-Za-z0-9_./-]+")  # needs no quoting, neither in a URL nor in a server's option
TEMPORARY_PREFIX = "flashdb-temporary-"


class Place(NamedTuple):
    """The directories of one running copy of the site, and the account of its servers."""

    home: Path  # holds one cluster per PostgreSQL major version, "pg-18"
    sockets: Path  # 0700, because everybody who can enter it can use the servers
    logs: Path
    user: ServiceUser | None  # the account that runs the servers; None is that of this process


@contextmanager
def claim(state: Path) -> Iterator[None]:
    """Create `state` and lock it during the block. Raise LocalServicesError if another copy has locked it."""
    lock = _open_lock(state)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        owner = os.pread(lock, 20, 0).decode() or "unknown"
        os.close(lock)
        raise LocalServicesError(
            f"another copy (pid {owner}) is using {state}: stop it, or set FLASHDB_STATE to another directory"
        ) from error
    os.ftruncate(lock, 0)
    os.pwrite(lock, str(os.getpid()).encode(), 0)
    try:
        yield
    finally:
        os.close(lock)


def _open_lock(state: Path) -> int:
    try:
        if not state.exists():
            state.mkdir(parents=True)
            state.chmod(0o755 if os.geteuid() == 0 else 0o700)  # root's service user passes through it
        return os.open(state / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise LocalServicesError(
            f"cannot use {state} ({error.strerror}): set FLASHDB_STATE to a directory that you can write to"
        ) from error


def choose_place(state: Path) -> Place:
    """Return directories that the account of the servers can use. The caller must have locked `state` by `claim`."""
    elsewhere = SYSTEM_STATE / f"state-{_fingerprint(state)}"
    user = choose_user(state, elsewhere)
    home = state if can_enter(state, user) else _make_in_system_folder(elsewhere)
    logs = state / "log"
    logs.mkdir(exist_ok=True)
    sockets = _socket_folder(home, user)
    _make_empty(sockets, user)
    return Place(home=home, sockets=sockets, logs=logs, user=user)


def _make_in_system_folder(folder: Path) -> Path:
    system_folder()
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)  # whatever the umask is
    return folder


def system_folder() -> Path:
    """Create SYSTEM_STATE if it is missing, and return it. Only root may call this."""
    SYSTEM_STATE.mkdir(parents=True, exist_ok=True)
    SYSTEM_STATE.chmod(0o755)
    return SYSTEM_STATE


def _socket_folder(home: Path, user: ServiceUser | None) -> Path:
    name = f"flashdb-{os.geteuid()}-{_fingerprint(home)}"
    for folder in (home / "run", Path(tempfile.gettempdir()) / name):
        if _fits_socket(folder) and can_enter(folder.parent, user):
            return folder
    return Path("/tmp") / name


def _fits_socket(folder: Path) -> bool:
    path = f"{folder}{LONGEST_SOCKET_NAME}"
    return len(os.fsencode(path)) <= SOCKET_PATH_BYTES and bool(PLAIN_PATH.fullmatch(path))


def _make_empty(folder: Path, user: ServiceUser | None) -> None:
    """Make an empty directory that only the service user can enter, without the sockets of an earlier run."""
    with suppress(FileNotFoundError):
        trusted = {os.geteuid(), user.uid if user else os.geteuid()}
        if folder.is_symlink() or folder.lstat().st_uid not in trusted:
            raise LocalServicesError(f"{folder} belongs to a different user: remove it")
        shutil.rmtree(folder)
    folder.mkdir(mode=0o700)
    change_owner(folder, user)


def _fingerprint(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]


@contextmanager
def temporary_state() -> Iterator[Path]:
    """Make a state directory for the block and remove it afterwards; first remove those that killed runs left."""
    _sweep()
    state = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX)).resolve()
    if os.geteuid() == 0:
        state.chmod(0o755)
    try:
        yield state
    finally:
        shutil.rmtree(state, ignore_errors=True)


def _sweep() -> None:
    """Remove temporary states of this account that no running copy has locked."""
    for state in Path(tempfile.gettempdir()).glob(TEMPORARY_PREFIX + "*"):
        with suppress(OSError):
            if state.lstat().st_uid == os.geteuid() and _is_free(state / "lock"):
                shutil.rmtree(state)


def _is_free(lock: Path) -> bool:
    """Return whether a lock file is free and was used before. Raise OSError if it is missing or locked."""
    with lock.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return bool(file.read())


def shm_is_small() -> bool:
    """Return whether /dev/shm is too small for dynamic shared memory (256 kB in some containers)."""
    try:
        shm = os.statvfs("/dev/shm")
    except FileNotFoundError:
        return True
    return shm.f_frsize * shm.f_blocks < SMALL_SHM_BYTES
