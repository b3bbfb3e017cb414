"""The suite flashbench has the access patterns and output of flashbench, without its defects."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from cardbench.measuring.flashbench import (
    Line,
    Options,
    lfsr_order,
    run,
    scatter,
    spoken_bytes,
    spoken_ns,
    spoken_rate,
)
from cardbench.target.engine import Engine, EngineError
from cardbench.target.simulated import SimulatedEngine
from cardbench.target.surface import Surface

from submissions.domain.intake.paste import read
from submissions.domain.measuring.normalize import normalize
from submissions.domain.report import parse
from tests.client.cards import KIB, MIB, PLAIN, bench
from tests.client.simulated_cards import FakeEngine

SMALL = Options(block_bytes=256 * KIB, open_aus=(1, 2, 3, 4, 5, 6, 7, 8))


def lines(model=PLAIN, options: Options = SMALL, *, write: bool = True) -> list:
    engine, surface = bench(model, write=write)
    return [*run(engine, surface, options, seed=1, io="direct")]


def test_it_works():
    text = "\n".join(line.text for line in lines())
    assert "align 4194304\tpre " in text
    assert "$ flashbench -O --open-au-nr=6 --blocksize=262144 --erasesize=4194304\n4MiB    " in text
    assert "open-au-nr=7 --blocksize=262144 --erasesize=4194304\n" not in text  # it collapsed with six
    assert "--random" in text
    assert text.count("$ flashbench -f") == 1


def test_scatter_takes_the_quickest_of_eight_reads_of_each_of_512_blocks():
    engine, surface = Watched(PLAIN), Surface(PLAIN.size_bytes, 512, may_write=False, shows_boundaries=True)
    engine.open("/simulated")
    rows = [line.text.split("\t") for line in scatter(engine, surface, 16 * KIB, io="direct")]
    passes = [engine.places[at : at + 512] for at in range(0, len(engine.places), 512)]
    assert passes == [passes[0]] * 8
    assert [place // (16 * KIB) for place in passes[0][:6]] == [
        0,
        368,
        440,
        476,
        494,
        247,
    ]  # as flashbench does
    assert [float(place) for place, _ in rows] == [number / 64 for number in range(512)]
    assert all(0.1 < float(time_ms) < 2 for _, time_ms in rows)


def test_scatter_leaves_out_what_does_not_fit():
    text = [line.text for line in lines(replace(PLAIN, size_bytes=64 * MIB), write=False)]
    assert text[-1] == "# these blocks do not fit on the device; flashbench would wrap around"


def test_the_server_reads_the_text_as_what_was_measured():
    measured = lines()
    parsed = read("\n".join(line.text for line in measured) + "\n")
    read_back = [
        (figure.metric, {**figure.parameters}, figure.value, figure.unit) for figure in parsed.figures
    ]
    entries = [entry for line in measured for entry in line.entries]
    assert len(read_back) == len(entries) > 600
    units = {"us": 1e3, "ms": 1e6, "s": 1e9, "kB/s": 1e3, "MB/s": 1e6, "ns": 1, "B/s": 1}
    for (metric, parameters, value, unit), entry in zip(read_back, entries, strict=True):
        shared = set(parameters) & set(entry["parameters"]) - {"data"}
        assert metric == entry["metric"]
        assert {name: parameters[name] for name in shared} == {
            name: entry["parameters"][name] for name in shared
        }
        assert (value or 0) * units[unit] == pytest.approx(entry["values"][0], rel=0.006, abs=60)


@pytest.mark.parametrize(
    ("count", "order"),
    [
        (2, [1, 0]),
        (3, [2, 1, 0]),
        (5, [2, 1, 3, 4, 0]),
        (8, [6, 5, 2, 1, 7, 3, 4, 0]),
        (16, [8, 12, 6, 10, 15, 11, 5, 2, 1, 14, 7, 3, 9, 4, 13, 0]),
    ],
)
def test_the_order_is_the_one_of_flashbench(count, order):
    """The expected order was observed with strace on flashbench itself."""
    assert lfsr_order(count) == order


@pytest.mark.parametrize("count", [1, 255, 256, 1000, 8192, 65535])
def test_every_block_comes_once(count):
    assert sorted(lfsr_order(count)) == list(range(count))


class Watched(SimulatedEngine):
    """A simulated card that records the offsets of its reads."""

    def __init__(self, model) -> None:
        super().__init__(1, model=model)
        self.places: list[int] = []

    def read(self, length_bytes, offsets_bytes):
        offsets = list(offsets_bytes)
        self.places += offsets
        return super().read(length_bytes, offsets)


def test_nothing_wraps_and_what_does_not_fit_is_said():
    engine = Watched(replace(PLAIN, size_bytes=31_914_983_424))
    engine.open("/simulated")
    surface = Surface(engine.model.size_bytes, 512, may_write=False, shows_boundaries=True)
    measured = [*run(engine, surface, SMALL, seed=1, io="direct")]
    assert measured[1].text == (
        "# places beyond the end of the device are left out; flashbench would wrap around"
    )
    assert measured[2].entries[0]["operations"] == 8 * 3
    assert max(engine.places) + KIB <= engine.model.size_bytes


def test_units_beyond_the_end_are_left_out():
    text = [line.text for line in lines(replace(PLAIN, size_bytes=256 * MIB, fat_aus=0))]
    assert "# these units do not fit on the device; flashbench would wrap around" in text


def test_without_writing_there_are_only_tests_that_read():
    made = {entry["workload"] for line in lines(write=False) for entry in line.entries}
    assert made == {"align", "scatter"}


def test_an_error_is_no_number():
    engine = FakeEngine(1, model=PLAIN, bad_offset_bytes=16 * MIB)
    engine.open("/simulated", write=True)
    surface = Surface(PLAIN.size_bytes, 512, may_write=True, shows_boundaries=True)
    measured: list[Line] = []
    with pytest.raises(EngineError):
        measured.extend(run(engine, surface, SMALL, seed=1, io="direct"))
    assert all(value > 0 for line in measured for entry in line.entries[:3] for value in entry["values"])


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        (spoken_ns(412_331), "412µs"),
        (spoken_ns(-412_331), "-412µs"),
        (spoken_ns(-92), "-92ns"),
        (spoken_ns(1_000_000), "1ms"),
        (spoken_rate(20_000_000), "20M/s"),
        (spoken_rate(912_400), "912K/s"),
        (spoken_rate(2_084_000_000), "2.084G/s"),
        (spoken_bytes(1536 * KIB), "1.5MiB"),
        (spoken_bytes(512), "512B"),
    ],
)
def test_numbers_as_flashbench_prints_them(text, spoken):
    assert text == spoken


def test_on_the_command_line(cardbench, loop_device):
    words = ("--destructive", "--even-if-fixed", "--yes", "--confirm-size", 32 * MIB)
    sizes = ("--erase-size", "1M", "--block-size", "64K", "--open-au-nr", 1)
    answer = cardbench("run", loop_device, "--suite", "flashbench", *words, *sizes, "--json")
    assert answer.returncode == 0, answer.stderr
    document = json.loads(answer.stdout)
    assert {row["workload"] for row in document["measurements"]} == {
        *("align", "scatter", "open-au", "fat", "capacity")
    }
    understood, not_understood = normalize(parse(answer.stdout.encode()), bus="SD")
    assert (len(understood), not_understood) == (len(document["measurements"]), ())
    assert document["extra"]["flashbench"][0] == "$ flashbench -a --blocksize=1024"


def test_sizes_that_do_not_fit_are_refused(cardbench, image):
    answer = cardbench("run", image, "--suite", "flashbench", "--block-size", "48K")
    assert (answer.returncode, "do not work together" in answer.stderr) == (2, True)


@pytest.mark.skipif(shutil.which("flashbench") is None, reason="flashbench is not installed here")
def test_flashbench_itself_writes_the_same_places(loop_device, image, fast_engine_path):
    """flashbench writes the byte 0x5a, so after its run exactly the blocks that we write must contain it."""
    options = ("-O", "-e", str(MIB), "-b", str(64 * KIB), "--open-au-nr=1")
    done = subprocess.run(["flashbench", *options, loop_device], check=False, capture_output=True, text=True)
    if "Invalid argument" in done.stderr:
        pytest.skip("this flashbench refuses a loop device, as version 62-1 of Debian does")
    assert done.returncode == 0, done.stderr
    theirs = list_written(image)
    image.write_bytes(bytes(32 * MIB))
    with Engine([fast_engine_path]) as engine:
        engine.open(str(loop_device), write=True)
        surface = Surface(32 * MIB, 512, may_write=True, shows_boundaries=True)
        wanted = Options(64 * KIB, MIB, (1,))
        for line in run(engine, surface, wanted, seed=1, io="direct"):
            if line.text.startswith("$ flashbench -f"):
                break
        engine.sync()
    assert list_written(image) == theirs


def list_written(image: Path) -> list[int]:
    content = image.read_bytes()
    return [at for at in range(0, len(content), 64 * KIB) if any(content[at : at + 64 * KIB])]
