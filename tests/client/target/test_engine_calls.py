"""The engine makes the right system calls, as recorded by calls.c; a write that waits for the card says so."""

import errno
import os
from pathlib import Path

import pytest
from cardbench.target.engine import Engine, EngineError

from tests.client.conftest import compile_preload
from tests.client.target.test_engine import MIB, talk

KIB = 1024
WAITS = pytest.mark.parametrize(
    ("wait", "flag"), [("", 0), ("dsync ", os.RWF_DSYNC), ("osync ", os.RWF_SYNC)]
)


@pytest.fixture(scope="session")
def recorder(tmp_path_factory) -> Path:
    return compile_preload("calls", tmp_path_factory.mktemp("calls"))


@pytest.fixture
def log(tmp_path) -> Path:
    return tmp_path / "calls"


@pytest.fixture
def recorded_engine(fast_engine_path, recorder, log) -> list[str]:
    """Return the command of an engine that writes its system calls into `log`."""
    return ["env", f"LD_PRELOAD={recorder}", f"CALLS={log}", fast_engine_path]


@pytest.fixture
def engine_arguments(engine_path, recorder, log) -> list[str]:
    """Return arguments of `env` that start either build of the engine with recorded system calls.

    A test adds the variables that make the kernel seem busy before them.
    """
    if queue_is_missing(engine_path):
        pytest.skip("no io_uring here")
    preloaded = [f"LD_PRELOAD={recorder}", f"CALLS={log}", "ASAN_OPTIONS=verify_asan_link_order=0"]
    return [*preloaded, engine_path]


def queue_is_missing(engine_path: str) -> bool:
    return talk(engine_path, "hello")[0].endswith("max_queue_depth=1")


@WAITS
def test_a_write_waits_for_the_card_as_asked(recorded_engine, log, image, wait, flag):
    talk(recorded_engine, f"open write direct {image}", f"write {wait}4096 7 {MIB}")
    assert log.read_text().splitlines()[1:] == [f"pwritev2 length=4096 offset={MIB} flags={flag}"]


@WAITS
def test_a_queued_write_waits_for_the_card_as_asked(
    recorded_engine, fast_engine_path, log, image, wait, flag
):
    if queue_is_missing(fast_engine_path):
        pytest.skip("no io_uring here")
    talk(recorded_engine, f"open write direct {image}", f"queue 2 write {wait}4096 7 {MIB} 0")
    assert [line for line in log.read_text().splitlines() if line.startswith("queued")] == [
        f"queued write length=4096 offset={MIB} flags={flag}",
        f"queued write length=4096 offset=0 flags={flag}",
    ]


def test_a_sync_flushes_the_device(recorded_engine, log, image):
    talk(recorded_engine, f"open write direct {image}", "sync")
    assert log.read_text().splitlines()[1:] == ["fdatasync"]


@pytest.mark.parametrize(
    ("mode", "asked"),
    [
        ("read direct", "direct=1 excl=0 write=0"),
        ("read buffered excl", "direct=0 excl=1 write=0"),
        ("write direct", "direct=1 excl=1 write=1"),
    ],
)
def test_a_device_is_opened_as_asked(recorded_engine, log, image, mode, asked):
    talk(recorded_engine, f"open {mode} {image}")
    assert log.read_text() == f"open {asked}\n"


def test_where_direct_is_refused_the_reply_says_buffered(recorded_engine, log, image):
    (reply,) = talk(["env", "REFUSE_DIRECT=1", *recorded_engine], f"open read direct {image}")
    assert reply.endswith(" io=buffered")
    assert log.read_text().splitlines()[1:] == ["open direct=0 excl=0 write=0"]


def test_one_read_is_one_call_into_an_aligned_buffer(recorded_engine, log, image):
    talk(recorded_engine, f"open read direct {image}", "read 4096 8192")
    assert log.read_text().splitlines()[1:] == ["pread length=4096 offset=8192 aligned=1"]


def test_after_an_error_nothing_more_is_submitted(recorded_engine, fast_engine_path, log, image):
    if queue_is_missing(fast_engine_path):
        pytest.skip("no io_uring here")
    with Engine(recorded_engine) as engine:
        engine.open(str(image))
        os.truncate(image, MIB)
        with pytest.raises(EngineError):
            engine.run_queue("read", 4 * KIB, [0, 2 * MIB, 4 * KIB, 8 * KIB], depth=1, seed=0)
    submitted = [line.split()[3] for line in log.read_text().splitlines() if line.startswith("queued")]
    assert submitted == ["offset=0", f"offset={2 * MIB}"]


def test_what_is_under_way_is_waited_for_when_the_kernel_refuses_the_next(
    recorded_engine, fast_engine_path, log, image
):
    if queue_is_missing(fast_engine_path):
        pytest.skip("no io_uring here")
    places = [number * 64 * KIB for number in range(8)]
    with Engine(["env", "REFUSE_ENTER=1", *recorded_engine[1:]]) as engine:
        engine.open(str(image), write=True)
        with pytest.raises(EngineError) as failed:
            engine.run_queue("write", 64 * KIB, places, depth=4, seed=7)
        assert failed.value.code == "EBADF"
        assert f"byte {4 * 64 * KIB}" in str(failed.value)
        assert engine.check(64 * KIB, places[:4], seed=7) == places[:4]
        assert engine.check(64 * KIB, places[4:], seed=7) == [None] * 4
    assert "refused" in log.read_text()


@pytest.mark.parametrize("error", [errno.EAGAIN, errno.EBUSY])
def test_a_kernel_that_is_busy_is_asked_again(engine_arguments, log, image, error):
    places = [number * 64 * KIB for number in range(8)]
    refusing = ["env", "REFUSE_ENTER=1", "REFUSALS=20", f"REFUSE_WITH={error}", *engine_arguments]
    with Engine(refusing) as engine:
        engine.open(str(image), write=True)
        elapsed_ns, times_ns = engine.run_queue("write", 64 * KIB, places, depth=4, seed=7)
        assert engine.check(64 * KIB, places, seed=7) == places
    assert log.read_text().count("refused") == 20
    assert elapsed_ns > 20e6
    assert len(times_ns) == 8


def test_a_transfer_that_was_put_off_is_done_later(engine_arguments, log, image):
    places = [number * 64 * KIB for number in range(8)]
    with Engine(["env", "BUSY_TRANSFERS=3", *engine_arguments]) as engine:
        engine.open(str(image), write=True)
        _, times_ns = engine.run_queue("write", 64 * KIB, places, depth=1, seed=7)
        assert engine.check(64 * KIB, places, seed=7) == places
    assert len(times_ns) == 8
    assert log.read_text().count("queued write") == 8 + 3


def test_a_kernel_that_stays_busy_is_given_up_in_the_end(engine_arguments, image):
    refusing = ["env", "REFUSE_ENTER=1", "REFUSALS=1000000", f"REFUSE_WITH={errno.EAGAIN}", *engine_arguments]
    with Engine(refusing) as engine:
        engine.open(str(image))
        with pytest.raises(EngineError) as failed:
            engine.run_queue("read", 4 * KIB, [0, 4 * KIB, 8 * KIB], depth=1, seed=0)
        assert failed.value.code == "EAGAIN"
        assert f"byte {4 * KIB}" in str(failed.value)
