"""However a run ends, its measurements are in a report from which it can continue."""

import json
import os
import pty
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.client.conftest import CLIENT
from tests.client.simulated_cards import FIND

SLOW = (
    f"{FIND}\n"
    + """
import sys, time
import simulated_cards
class Slow(simulated_cards.Program):
    def answer(self, line):
        time.sleep(0.0006)
        return super().answer(line)
simulated_cards.serve(Slow(1), sys.stdin)
"""
)
ENGINE = f"{shlex.quote(sys.executable)} -c {shlex.quote(SLOW)}"
KILLS = int(os.environ.get("KILLS", "4"))


def command(image: Path, *more: object) -> list[str]:
    words = ["run", image, "--suite", "standard", "--engine", ENGINE, *more]
    return [sys.executable, "-m", "cardbench", *map(str, words)]


def heed_hang_up() -> None:
    """Stop ignoring SIGHUP, because a process inherits an ignored signal, for example from nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def start(image: Path, *more: object, **how: object) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(CLIENT)}
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | how
    where = {"env": environment, "cwd": image.parent, "preexec_fn": heed_hang_up}
    return subprocess.Popen(command(image, *more), text=True, **where, **pipes)  # type: ignore[call-overload]


def figures(report: Path) -> list[str]:
    rows = json.loads(report.read_text())["measurements"]
    return [f"{row['workload']} {row['metric']} {json.dumps(row['parameters'])}" for row in rows]


@pytest.mark.parametrize("kill", range(KILLS))
def test_killed_at_any_moment_it_goes_on_and_has_no_figure_twice(image, kill):
    report = image.with_name("r.json")
    process = start(image, "-o", report)
    while not report.exists():
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(random.Random(kill).uniform(0, 6))
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = figures(report)
    done = start(image, "--resume", report)
    assert done.wait(timeout=120) == 0
    after = figures(report)
    assert set(before) <= set(after)
    assert len(set(after)) == len(after) > 30
    assert "not_run" not in json.loads(report.read_text())["extra"]
    assert [path.name for path in image.parent.iterdir() if path.name.startswith(".")] == []


def test_a_terminal_that_goes_away_ends_it_as_ctrl_c_does(image):
    report = image.with_name("r.json")
    ours, theirs = pty.openpty()
    process = start(image, "-o", report, stdout=theirs, stderr=theirs, stdin=theirs, start_new_session=True)
    os.close(theirs)
    while not report.exists() or len(figures(report)) < 8:
        time.sleep(0.05)
    os.close(ours)  # later writes to it are errors
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=30) == 130
    assert len(figures(report)) >= 8


def test_what_nohup_ignores_stays_ignored(image):
    script = f"trap '' HUP; exec {shlex.join(command(image, '-o', 'r.json'))}"
    environment = os.environ | {"PYTHONPATH": str(CLIENT)}
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        ["sh", "-c", script], env=environment, cwd=image.parent, stdout=quiet, stderr=quiet
    )
    report = image.with_name("r.json")
    while not report.exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=120) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_first_moments_is_no_traceback(image, number):
    for pause_s in (0.06, 0.12, 0.25):
        process = start(image, "-o", "r.json", stderr=subprocess.PIPE)
        time.sleep(pause_s)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        assert "Traceback" not in said
        # Python itself may end by SIGINT, which a shell reports as 130; `number` ends a process before Python runs.
        assert process.returncode in (130, -signal.SIGINT, -number)


_ENDED_WHILE_A_CLASS_IS_MADE = """
import os, signal
from cardbench.stopping import leave_at_once
leave_at_once()
class Named:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGTERM)
class Owner:
    named = Named()
"""


def test_nor_is_one_while_a_class_is_made():
    command = [sys.executable, "-c", _ENDED_WHILE_A_CLASS_IS_MADE]
    ended = subprocess.run(command, check=False, cwd=CLIENT, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (130, "")
