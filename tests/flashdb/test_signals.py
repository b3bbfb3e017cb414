"""Whatever ends the supervisor (Ctrl-C, kill, kill -9), no process stays behind."""

import os
import pty
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

from flashdb.local_services import children

from .supervision import (
    ROOT,
    SUPERVISOR,
    begin,
    descendants,
    end,
    eventually,
    living,
    postmaster_pid,
    query,
    start,
    supervise,
)

WITHOUT_SERVERS = {"DATABASE_URL": "postgresql://db/x", "REDIS_URL": "redis://r/1"}


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGHUP])
def test_it_works(ready_state, signum):
    """The signal is reset first, because under nohup the supervisor would ignore SIGHUP."""
    supervisor = start("--state", ready_state, preexec_fn=lambda: signal.signal(signum, signal.SIG_DFL))
    family = descendants(supervisor.pid)
    assert len(family) >= 8  # the command, Redis, PostgreSQL and its workers
    assert end(supervisor, signum) == 128 + signum
    assert eventually(lambda: not living(family))


def test_kill_9_leaves_nothing(ready_state):
    supervisor = start("--state", ready_state)
    family = descendants(supervisor.pid)
    end(supervisor, signal.SIGKILL)
    assert eventually(lambda: not living(family))
    assert not list(ready_state.glob("pg-*/postmaster.pid"))  # PostgreSQL shut down in order


def test_a_copy_started_right_after_kill_9_waits_for_the_old_server(ready_state):
    end(start("--state", ready_state), signal.SIGKILL)
    assert supervise("--state", ready_state, "--", *query("select 1")).returncode == 0


def test_kill_9_of_everything_is_recovered_from(ready_state):
    supervisor = start("--state", ready_state)
    servers = {postmaster_pid(ready_state), supervisor.pid}
    for pid in servers:
        os.kill(pid, signal.SIGKILL)
    supervisor.communicate()
    assert supervise("--state", ready_state, "--", *query("select 1")).returncode == 0


def test_a_signal_while_starting(state):
    supervisor = begin("--state", state, "--", *query("select 1"))
    time.sleep(0.5)
    family = descendants(supervisor.pid)
    assert end(supervisor, signal.SIGTERM) in (0, 143, -signal.SIGTERM)
    assert eventually(lambda: not living(family))
    assert supervise("--state", state, "--", *query("select 1")).returncode == 0


def test_impatience_does_not_disturb_the_stopping(ready_state):
    supervisor = start("--state", ready_state)
    family = descendants(supervisor.pid)
    for _ in range(5):
        supervisor.send_signal(signal.SIGINT)
        time.sleep(0.02)
    end(supervisor)
    assert eventually(lambda: not living(family))


def test_a_job_in_the_background_of_a_script_stops_too(ready_state):
    """A shell starts such a job with SIGINT ignored."""
    supervisor = start(
        "--state", ready_state, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
    )
    family = descendants(supervisor.pid)
    assert end(supervisor) == 130
    assert eventually(lambda: not living(family))


def test_what_the_command_left_running_is_stopped():
    finished = supervise("--", "sh", "-c", "sleep 600 & echo $!", env=os.environ | WITHOUT_SERVERS)
    assert eventually(lambda: not living({int(finished.stdout)}))


def test_on_a_terminal_ctrl_c_reaches_the_command_once():
    counting = (
        "import signal, time; seen = []\n"
        "signal.signal(signal.SIGINT, lambda *_: seen.append(1))\n"
        "print('ready', flush=True); time.sleep(1); print(len(seen), 'interrupt', flush=True)"
    )
    terminal, far_end = pty.openpty()
    supervisor = subprocess.Popen(
        ["setsid", "--ctty", *SUPERVISOR, "--", sys.executable, "-c", counting],
        cwd=ROOT,
        env=os.environ | WITHOUT_SERVERS,
        stdin=far_end,
        stdout=far_end,
    )
    shown = read_until(terminal, "ready")
    os.write(terminal, b"\x03")
    shown += read_until(terminal, "interrupt")
    supervisor.wait()
    assert "1 interrupt" in shown


def read_until(terminal: int, word: str) -> str:
    shown = ""
    while word not in shown:
        shown += os.read(terminal, 1000).decode()
    return shown


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
def test_killing_make_stops_what_it_started(folder):
    (folder / "Makefile").write_text(f"it:\n\t@{' '.join(SUPERVISOR)} --state {folder}/state -- sleep 600\n")
    make = subprocess.Popen(
        ["make", "-f", folder / "Makefile", "it"], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    assert make.stderr and make.stderr.readline()  # the servers run
    family = descendants(make.pid)
    make.kill()
    make.wait()
    assert eventually(lambda: not living(family))


# Tests of a signal while a child process is created --------------------------------------------------

AT_THE_FORK = """
import os, signal
from flashdb.local_services import children
tie_to = children._tie_to
def rude(parent_pid, death_signal):
    tie = tie_to(parent_pid, death_signal)
    return lambda: (os.kill({target}, signal.SIGINT), tie())
children._tie_to = rude
try:
    with children.stopping_on_signals():
        child = children.spawn(["sleep", "600"])
        print(child.wait())
except children.Interrupted as interrupted:
    print(interrupted, end=" ")
    try:
        os.wait()
    except ChildProcessError:
        print("and no child is left")
"""


@pytest.mark.parametrize(
    ("target", "shown"), [("parent_pid", "SIGINT and no child is left\n"), ("os.getpid()", "-2\n")]
)
def test_a_signal_at_the_fork(target, shown):
    command = [sys.executable, "-c", AT_THE_FORK.format(target=target)]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=180)
    assert (finished.stdout, finished.stderr) == (shown, "")


def test_a_signal_that_comes_just_before_the_wait_is_heeded():
    """The test sends the signal to another thread, which interrupts no system call of this one either."""
    child = children.spawn(["sleep", "30"])
    late = threading.Timer(0.3, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM))
    late.start()
    with children.stopping_on_signals(), pytest.raises(children.Interrupted):
        child.wait()
    assert child.poll() is None
    children.stop(child)
    late.join()


# Tests of stopping a child process -------------------------------------------------------------------


def test_a_child_that_ignores_the_signal_is_killed():
    child = children.spawn(["sh", "-c", "trap '' TERM QUIT; echo on; sleep 600 & wait; wait"])
    family = {child.pid} | descendants(child.pid)
    children.stop(child, grace_s=0.2)
    assert eventually(lambda: not living(family))


def test_an_ended_child_is_described_with_the_end_of_its_log(folder):
    child = children.spawn(["sh", "-c", "echo it broke; exit 3"], log=folder / "web.log")
    child.wait()
    assert child.describe_end() == f"web ended with status 3; {folder}/web.log ends with:\nit broke"
