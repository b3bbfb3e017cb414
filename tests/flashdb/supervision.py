"""Start the supervisor of local services as people do, and find processes and files that it leaves behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from flashdb.local_services.binaries import find_postgres

# Name of the data folder for the PostgreSQL version that these tests find.
CLUSTER = f"pg-{find_postgres(None).major}"
ROOT = Path(__file__).resolve().parent.parent.parent
SUPERVISOR = [sys.executable, "-m", "flashdb.local_services"]
WAITING = ["sh", "-c", "echo ready; exec sleep 600"]
SHOW = """
import os, psycopg
connection = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
print(connection.execute({!r}).fetchone()[0])
"""


def query(sql: str) -> list[str]:
    """Return a command that prints the first value of an SQL query."""
    return [sys.executable, "-c", SHOW.format(sql)]


def supervise(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
    """Run the supervisor until it ends, and return its result."""
    command = [*SUPERVISOR, *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False, **options
    )


def start(*arguments: object, **options) -> subprocess.Popen[str]:
    """Start the supervisor with WAITING as its command, and wait until that command runs."""
    process = begin(*arguments, "--", *WAITING, **options)
    assert first_line(process) == "ready\n", process.communicate()[1]
    return process


def first_line(process: subprocess.Popen[str]) -> str:
    """Return the next line that a process prints."""
    assert process.stdout
    return process.stdout.readline()


def begin(*arguments: object, **options) -> subprocess.Popen[str]:
    """Start the supervisor without waiting."""
    command = [*SUPERVISOR, *map(str, arguments)]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=ROOT, **(pipes | options))


def end(process: subprocess.Popen[str], signum: int = signal.SIGINT) -> int:
    """Send a signal to the supervisor, and return its exit status."""
    process.send_signal(signum)
    process.communicate(timeout=180)
    return process.returncode


def descendants(pid: int) -> set[int]:
    """Return the ids of all present processes below a process."""
    parents = {int(entry.name): parent_of(entry) for entry in Path("/proc").iterdir() if entry.name.isdigit()}
    family, generation = set(), {pid}
    while generation:
        generation = {child for child, parent in parents.items() if parent in generation}
        family |= generation
    return family


def parent_of(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def living(pids: set[int]) -> set[int]:
    """Return the ids of processes that still run; a zombie does not count."""
    return {pid for pid in pids if state_of(pid) not in ("", "Z", "X")}


def state_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def eventually(condition: Callable[[], object], *, within_s: float = 120) -> bool:
    """Wait until a condition holds, and return whether it does. The limit only ends a run that has failed."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return bool(condition())


def postmaster_pid(home: Path) -> int:
    """Return the process id from the postmaster.pid of the only cluster in a folder."""
    (pid_file,) = home.glob("pg-*/postmaster.pid")
    return int(pid_file.read_text().split("\n")[0])


def is_root() -> bool:
    return os.geteuid() == 0
