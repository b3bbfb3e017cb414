"""What to make of a postmaster.pid that an earlier server left behind."""

import subprocess
import time
from pathlib import Path

from flashdb.local_services.errors import LocalServicesError

WAIT_S = 15  # a fast shutdown after SIGKILL of the supervisor takes about one


def await_end(pid_file: Path) -> int | None:
    """Wait for the server named in `pid_file` to end. Returns its pid when the file stays behind, else None.

    The file is stale when its process is gone, is a zombie that nobody has reaped yet, or is another
    program that got the same pid. Raises LocalServicesError when the server is really alive.
    """
    deadline = time.monotonic() + WAIT_S
    while (pid := _pid_in(pid_file)) is not None and is_serving(pid, pid_file.parent):
        if time.monotonic() > deadline:
            raise LocalServicesError(
                f"PostgreSQL (pid {pid}) already serves {pid_file.parent}: stop it with `kill -INT {pid}`"
            )
        time.sleep(0.1)
    return pid


def _pid_in(pid_file: Path) -> int | None:
    try:
        first = pid_file.read_text().split("\n")[0]
    except FileNotFoundError:
        return None
    return abs(int(first)) if first.lstrip("-").isdigit() else None


def is_serving(pid: int, cluster: Path) -> bool:
    """True when `pid` is a live postgres started on `cluster`."""
    words = _command_line(pid)
    return bool(words) and "post" in Path(words[0]).name and str(cluster) in words


def _command_line(pid: int) -> list[str]:
    """The arguments of a process; empty when it is gone or a zombie."""
    if Path("/proc/self").exists():
        try:
            shown = Path(f"/proc/{pid}/cmdline").read_text(errors="replace")  # empty for a zombie
        except (FileNotFoundError, ProcessLookupError):
            return []
        return shown.rstrip("\0").split("\0") if shown else []
    listed = subprocess.run(
        ["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return listed.stdout.split()
