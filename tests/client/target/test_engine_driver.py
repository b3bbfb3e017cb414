"""The Python driver of the engine copes with programs that do not follow the protocol."""

import os
import pty
import signal
import sys
import threading
from pathlib import Path

import pytest
from cardbench.errors import UsageError
from cardbench.target.engine import Engine, EngineError, find_engine

GREETING = "print('ok other-engine 1', flush=True)"


def engine_of(tmp_path: Path, *lines: str, timeout_s: float = 30) -> Engine:
    """Return an engine that reads a request and then runs these lines of Python."""
    program = tmp_path / "engine.py"
    program.write_text("\n".join(["import sys, time", "input()", *lines]))
    return Engine([sys.executable, str(program)], timeout_s=timeout_s)


def test_it_works(tmp_path):
    answer = "print('ok size_bytes=512 logical_block_bytes=512 kind=block io=direct later=1', flush=True)"
    with engine_of(tmp_path, GREETING, "input()", answer) as engine:
        assert engine.open("/dev/x").size_bytes == 512


def test_silence_is_an_error_and_not_for_ever(tmp_path):
    with (
        engine_of(tmp_path, GREETING, "time.sleep(60)", timeout_s=3) as engine,
        pytest.raises(EngineError) as silent,
    ):
        engine.sync()
    assert silent.value.code == "ETIMEDOUT"


def test_a_person_is_told_that_the_card_is_silent(tmp_path, monkeypatch):
    screen, terminal = pty.openpty()
    monkeypatch.setattr("cardbench.target.engine.NOTICE_S", 0.2)
    with (
        os.fdopen(terminal, "w") as stderr,
        engine_of(tmp_path, GREETING, "input()", "time.sleep(60)") as engine,
    ):
        monkeypatch.setattr(sys, "stderr", stderr)
        engine._process.send_signal(signal.SIGSTOP)
        threading.Timer(0.7, engine._process.kill).start()
        with pytest.raises(EngineError, match="ended unexpectedly"):
            engine.sync()
        shown = os.read(screen, 4096).decode()
    os.close(screen)
    assert "Still waiting for the card, 0.2 s." in shown
    assert "Still waiting for the card, 0.4 s." in shown


def test_a_script_is_not_told(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr("cardbench.target.engine.NOTICE_S", 0.1)
    with engine_of(tmp_path, GREETING, "input()", "time.sleep(0.5)", "print('ok 7', flush=True)") as engine:
        assert engine.sync() == 7
    assert capfd.readouterr() == ("", "")


def test_an_early_end_is_an_error(tmp_path):
    with (
        engine_of(tmp_path, GREETING, "input()", "sys.exit(9)") as engine,
        pytest.raises(EngineError, match="status 9") as gone,
    ):
        engine.sync()
    assert gone.value.code == "engine_gone"


@pytest.mark.parametrize(
    "greeting", ["ok other-engine 2", "ok", "", "error EINVAL what", "Segmentation fault"]
)
def test_another_protocol_is_refused(tmp_path, greeting):
    with pytest.raises(UsageError):
        engine_of(tmp_path, f"print({greeting!r}, flush=True)")


@pytest.mark.parametrize("reply", ["", "ok", "ok 1 2", "ok soon", "error", "error EIO", "maybe"])
def test_a_broken_reply_is_an_error(tmp_path, reply):
    with (
        engine_of(tmp_path, GREETING, "input()", f"print({reply!r}, flush=True)") as engine,
        pytest.raises(EngineError),
    ):
        engine.sync()


@pytest.mark.parametrize("reply", ["ok", "ok 1", "ok 1 2 3", "ok 1 two", "ok 1 -2"])
def test_a_reply_with_the_wrong_times_is_an_error(tmp_path, reply):
    with (
        engine_of(tmp_path, GREETING, "input()", f"print({reply!r}, flush=True)") as engine,
        pytest.raises(EngineError) as broken,
    ):
        engine.read(512, [0, 512])
    assert broken.value.code == "EPROTO"


def test_a_path_with_a_line_break_is_not_sent(tmp_path):
    with engine_of(tmp_path, GREETING, "time.sleep(60)") as engine, pytest.raises(UsageError):
        engine.open("/dev/x\nwrite 512 1 0")


def test_the_engine_is_found_by_its_command(monkeypatch):
    assert find_engine("ssh 'my pi' engine") == ["ssh", "my pi", "engine"]
    monkeypatch.setenv("CARDBENCH_ENGINE", "/opt/engine --fast")
    assert find_engine() == ["/opt/engine", "--fast"]
