"""A card that is smaller than it claims is found by marker blocks (stamps), written before and read after a run."""

import json
import random

import pytest
from cardbench import ftl
from cardbench.measuring import capacity
from cardbench.measuring.capacity import judge, places, plant, try_to_plant, verify
from cardbench.target.engine import EngineError
from cardbench.target.simulated import SimulatedEngine
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.measuring.normalize import normalize
from submissions.domain.report import parse
from tests.client.bad_cards import ErrorsPastItsEnd, Wearing
from tests.client.cards import PLAIN
from tests.client.simulated_cards import SIMULATED, Fake, FakeEngine

KIB, MIB, GIB = 1024, 1024**2, 1024**3
SIZE = ftl.draw(1).size_bytes  # 8 GB


def try_card(fake: Fake, seed: int = 1) -> capacity.Capacity:
    engine = FakeEngine(1, fake=fake)
    engine.open("/simulated", write=True)
    stamps = places(SIZE, random.Random(seed))
    plant(engine, stamps, seed=7)
    return verify(engine, stamps, SIZE, seed=7)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("fake", "kind", "real_bytes"),
    [
        (Fake(SIZE, SIZE), "good", SIZE),
        (Fake(2 * GIB, SIZE), "limbo", 2 * GIB),
        (Fake(SIZE // 100 * 99, SIZE), "limbo", SIZE // 100 * 99),
        (Fake(2 * GIB, 2 * GIB), "wraparound", 2 * GIB),
        (Fake(1 * GIB, 4 * GIB), "chain", 1 * GIB),
        (Fake(0, SIZE), "damaged", 0),
    ],
)
def test_it_works(fake, kind, real_bytes, seed):
    capacity = try_card(fake, seed)
    assert capacity.kind == kind
    assert real_bytes - MIB <= capacity.real_bytes <= real_bytes


def test_what_was_found_by_hand():
    assert judge({0: 0, 8192: 8192}, 16384) == ("good", 16384, 16384)
    assert judge({0: 0, 8192: None}, 16384) == ("limbo", 4096, 8192)
    assert judge({0: None, 8192: 8192}, 16384)[0] == "damaged"
    assert judge({4096: 4096, 12288: 4096, 20480: 4096}, 32768) == ("wraparound", 8192, 8192)


@given(st.integers(32 * MIB // 512, 2**41 // 512), st.integers(0, 999))
def test_stamps_fit_and_the_one_others_alias_is_planted_last(sectors, seed):
    size_bytes = sectors * 512
    stamps = places(size_bytes, random.Random(seed))
    assert len(stamps) == len(set(stamps)) >= 16
    assert stamps == sorted(stamps, reverse=True)
    assert all(place % (4 * KIB) == 0 and place + 4 * KIB <= size_bytes for place in stamps)
    assert stamps[0] + MIB >= size_bytes - 4 * KIB


def test_a_block_that_cannot_be_read_is_lost():
    engine = SimulatedEngine(1)
    engine.open("/simulated", write=True)
    stamps = places(SIZE, random.Random(1))
    plant(engine, stamps, seed=7)
    bad = FakeEngine(1, bad_offset_bytes=stamps[30])
    bad._stamps, bad._mode = engine._stamps, "write"
    assert verify(bad, stamps, SIZE, seed=7).kind == "damaged"


class Gone(SimulatedEngine):
    def check(self, length_bytes, offsets_bytes, *, seed):
        raise EngineError("check failed", code="ENODEV")


def test_a_card_that_is_gone_has_no_capacity():
    engine = Gone(1)
    engine.open("/simulated", write=True)
    with pytest.raises(EngineError):
        verify(engine, [0], SIZE, seed=7)


def run(cardbench, image, *options: str) -> tuple[dict, str]:
    image.unlink()
    with image.open("wb") as file:
        file.truncate(SIZE)
    words = ("--destructive", "--yes", "--confirm-size", SIZE, "-o", image.with_suffix(".json"))
    answer = cardbench("run", image, *words, "--engine", f"{SIMULATED} {' '.join(options)}")
    assert answer.returncode == 0, answer.stderr
    return json.loads(image.with_suffix(".json").read_text()), answer.stdout


def test_a_destructive_run_finds_a_fake_and_says_so(cardbench, image):
    document, page = run(cardbench, image, "--real", str(2 * GIB))
    (row,) = [row for row in document["measurements"] if row["workload"] == "capacity"]
    assert row["parameters"]["capacity_kind"] == "limbo"
    assert "data written beyond that is lost" in page
    understood, not_understood = normalize(parse(json.dumps(document).encode()), bus="SD")
    assert (understood[-1].workload, understood[-1].verdict, not_understood) == ("capacity", "ok", ())


def test_a_run_over_the_stamps_leaves_a_good_card_good(cardbench, loop_device):
    words = ("--destructive", "--even-if-fixed", "--yes", "--confirm-size", 32 * MIB, "--json")
    document = json.loads(cardbench("run", loop_device, *words).stdout)
    (row,) = [row for row in document["measurements"] if row["workload"] == "capacity"]
    assert (row["parameters"]["capacity_kind"], row["values"]) == ("good", [32 * MIB])


def test_a_fake_that_refuses_what_is_past_its_end():
    engine = ErrorsPastItsEnd(1, model=PLAIN)
    engine.open("/simulated", write=True)
    planted = try_to_plant(engine, places(PLAIN.size_bytes, random.Random(1)), seed=7)
    assert planted.end and planted.end.kind == "limbo"
    assert planted.end.real_bytes == PLAIN.size_bytes // 4 // MIB * MIB


def test_a_card_that_refuses_here_and_there_has_no_end():
    engine = RefusesSome(1, model=PLAIN)
    engine.open("/simulated", write=True)
    planted = try_to_plant(engine, places(PLAIN.size_bytes, random.Random(1)), seed=7)
    assert planted.end is None and set(planted.errors) == {"EIO"}


class RefusesSome(Wearing):
    """A card that refuses every fifth write."""

    def operation(self, kind: str, offset_bytes: int) -> None:
        if kind == "write" and self.writes % 5 == 0:
            raise EngineError("refused", code="EIO")


def test_a_run_that_only_reads_plants_nothing(cardbench, image):
    document = json.loads(cardbench("run", image, "--json").stdout)
    assert not [row for row in document["measurements"] if row["workload"] == "capacity"]
