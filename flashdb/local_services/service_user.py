"""Choose the account that runs the servers: PostgreSQL refuses to run as root."""

import os
import pwd
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from flashdb.local_services.errors import LocalServicesError

CANDIDATES = ("postgres", "nobody")


class ServiceUser(NamedTuple):
    """The account that runs the servers if this process is root."""

    name: str
    uid: int
    gid: int

    def popen_arguments(self) -> dict[str, Any]:
        """Return arguments of subprocess.Popen that start a process as this account, in /, which it can enter."""
        return {"user": self.uid, "group": self.gid, "extra_groups": [], "cwd": "/"}


def choose_user(*homes: Path) -> ServiceUser | None:
    """Return None if this process is not root, else the owner of a cluster in `homes`, or `postgres` or `nobody`.

    Raise LocalServicesError if root may not become that user, as in some containers.
    """
    if os.geteuid() != 0:
        return None
    user = _cluster_owner(homes) or _first_known()
    try:
        subprocess.run(["/bin/true"], check=True, **user.popen_arguments())
    except (OSError, subprocess.SubprocessError) as error:
        raise LocalServicesError(
            f"PostgreSQL does not run as root, and root cannot switch to the user {user.name} here"
            f" ({error}): run this as an ordinary user, or set DATABASE_URL and REDIS_URL"
        ) from error
    return user


def _cluster_owner(homes: tuple[Path, ...]) -> ServiceUser | None:
    # PostgreSQL refuses the directory of another account.
    for home in homes:
        for cluster in sorted(home.glob("pg-*")):
            status = cluster.stat()
            if status.st_uid != 0:
                return ServiceUser(name=f"uid {status.st_uid}", uid=status.st_uid, gid=status.st_gid)
    return None


def _first_known() -> ServiceUser:
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return ServiceUser(name=name, uid=entry.pw_uid, gid=entry.pw_gid)
    raise LocalServicesError(
        f"there is no user account to run PostgreSQL: create one of {', '.join(CANDIDATES)}"
    )


def can_enter(folder: Path, user: ServiceUser | None) -> bool:
    """Return whether `user` may enter `folder`; None is the account of this process."""
    if user is None:
        return os.access(folder, os.X_OK)
    return subprocess.run(["test", "-x", folder], check=False, **user.popen_arguments()).returncode == 0


def change_owner(path: Path, user: ServiceUser | None) -> None:
    """Make `user` the owner of `path`; do nothing for None, the account of this process."""
    if user is not None:
        os.chown(path, user.uid, user.gid)
