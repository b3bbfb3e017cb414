"""`cardbench check` recognizes eight kinds of bad card, and accuses no good one."""

import json
import math
import os
import re
from dataclasses import replace

import pytest
from cardbench import ftl
from cardbench.measuring import checkup
from cardbench.measuring.capacity import Capacity
from cardbench.measuring.checkup import Evidence
from cardbench.measuring.diagnosis import Verdict, judge
from cardbench.measuring.scan import Clock, Grid, Scan, read_all_over
from cardbench.target.simulated import SimulatedEngine
from cardbench.target.surface import Surface

from tests.bench.odd_cards import draw_field, noisier, stalling
from tests.client.bad_cards import KINDS, ErrorsPastItsEnd, OneBadArea, SlowArea, WithHoles
from tests.client.cards import MIB, PLAIN
from tests.client.odd_ftl import OddEngine
from tests.client.simulated_cards import SIMULATED, Fake, FakeEngine

SMALL = replace(PLAIN, size_bytes=8 * 1024**3)
READABLE = Surface(SMALL.size_bytes, 512, may_write=False, shows_boundaries=True)
GOOD = int(os.environ.get("CARDS", "24"))


def check(
    engine: SimulatedEngine,
    *,
    write: bool = True,
    own: bool = False,
    seconds: float = 300,
    whole: bool = False,
) -> Evidence:
    opened = engine.open("/simulated", write=write)
    surface = Surface(
        opened.size_bytes, opened.logical_block_bytes, write, shows_boundaries=True, is_own_file=own
    )
    return checkup.check(engine, surface, seed=3, budget_s=math.inf if whole else seconds)


def scan_card(engine: SimulatedEngine, *, seconds: float, whole: bool = False) -> Scan:
    scan = check(engine, write=False, seconds=seconds, whole=whole).scan
    assert scan
    return scan


def judge_card(engine: SimulatedEngine, *, write: bool = True, own: bool = False) -> Verdict:
    return judge(check(engine, write=write, own=own))


def test_it_works():
    verdict = judge_card(SimulatedEngine(1, model=PLAIN))
    assert verdict.kind == "well"
    assert verdict.sentence.startswith("Genuine and healthy: it really holds 15.9 GB")
    assert re.search("marker blocks were spread over it.*, and checked at the end", " ".join(verdict.details))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("own", [False, True], ids=["device", "own file"])
def test_a_bad_card_is_recognised(kind, seed, own):
    make, verdicts = KINDS[kind]
    verdict = judge_card(make(seed), own=own)
    assert verdict.kind in verdicts
    assert verdict.is_bad


@pytest.mark.parametrize("seed", range(5))
def test_one_bad_area_is_found_by_reading_alone(seed):
    verdict = judge_card(OneBadArea(seed, model=SMALL), write=False)
    assert (verdict.kind, "an area cannot be read (256 KiB at" in verdict.sentence) == ("errors", True)


def test_the_longer_it_takes_the_more_is_read():
    shares, gaps_bytes = [], []
    for seconds in (10, 100, 1000):
        scan = scan_card(SimulatedEngine(1, model=SMALL), seconds=seconds)
        shares.append(scan.share)
        gaps_bytes.append(scan.entry["largest_gap_bytes"])
    assert 0.01 < shares[0] < shares[1] < shares[2] == 1
    assert gaps_bytes[0] > gaps_bytes[1] > gaps_bytes[2] == 0


def test_with_time_enough_every_second_block_is_verified_in_a_queue():
    scan = scan_card(SimulatedEngine(1, model=SMALL), seconds=1000)
    assert scan.verified == pytest.approx(scan.done / 2, rel=0.01)
    assert scan.depth == 32


def test_all_of_it_is_read_however_long_that_takes():
    scan = scan_card(SimulatedEngine(1, model=SMALL), seconds=1, whole=True)
    assert scan.share == 1


def test_a_fake_that_gives_errors_past_its_end_is_told_with_both_sizes():
    verdict = judge_card(ErrorsPastItsEnd(1, model=PLAIN), write=False)
    assert verdict.kind == "too_small" and "it holds only 4.0 of 15.9 GB" in verdict.sentence


def test_a_slow_area_is_told():
    scan = scan_card(SlowArea(1, model=SMALL), seconds=1000)
    assert scan.entry["slow"] == [[SlowArea.area_bytes, 256 * 1024]]
    assert "areas that were slow" in " ".join(judge(Evidence(SMALL.size_bytes, scan=scan)).details)


@pytest.mark.parametrize("seed", range(GOOD))
def test_a_good_card_is_not_accused(seed):
    draws = (
        ftl.draw(seed),
        draw_field(seed),
        noisier(draw_field(seed), 2.0),
        stalling(draw_field(seed), 0.1, mean_ns=20_000_000),
    )
    model = draws[seed % len(draws)]
    for own in (False, True):
        assert judge_card(OddEngine(seed, model=model), own=own).kind == "well"


def test_a_fake_is_told_with_both_sizes():
    size = PLAIN.size_bytes
    verdict = judge_card(FakeEngine(1, model=PLAIN, fake=Fake(size // 4, size // 4)))
    assert "it holds only 4.0 of 15.9 GB" in verdict.sentence


def test_without_writing_it_says_what_cannot_be_told():
    engine = SimulatedEngine(1, model=PLAIN)
    verdict = judge_card(engine, write=False)
    assert (verdict.kind, verdict.is_bad) == ("readable", False)
    assert "Only a test that writes can show" in verdict.sentence
    assert engine._stamps == {}


@pytest.mark.parametrize(
    ("evidence", "kind", "is_bad"),
    [
        ({"is_used_up": True}, "worn_out", True),
        ({"complaints": ("mmc0: running CQE recovery",)}, "complained", False),
        ({"complaints": ("Buffer I/O error on dev mmcblk0, logical block 5",)}, "errors", True),
        ({"gone": "ETIMEDOUT"}, "gone", True),
        ({"write_errors": ["EROFS"]}, "read_only", True),
    ],
)
def test_what_card_and_kernel_say_is_weighed_too(evidence, kind, is_bad):
    verdict = judge(Evidence(16_000_000_000, stamps=64, **evidence))
    assert (verdict.kind, verdict.is_bad) == (kind, is_bad)
    assert not verdict.sentence.startswith("Genuine")


@pytest.mark.parametrize(("lost", "kind"), [(range(8), "read_only"), (range(3), "changes")])
def test_a_card_is_read_only_when_all_is_lost_and_not_when_some_is(lost, kind):
    held = Capacity("lost", 0)
    evidence = Evidence(16_000_000_000, written=[*range(8)], lost=[*lost], held=held)
    assert judge(evidence).kind == kind


def test_a_slow_card_is_bad_though_the_kernel_has_complained():
    complaints = ("mmc0: running CQE recovery",)
    evidence = Evidence(16_000_000_000, stamps=64, write_ns=[3_000_000_000] * 32, complaints=complaints)
    assert judge(evidence).kind == "slow"


def test_stamps_say_how_far_apart_they_are():
    evidence = check(SimulatedEngine(1, model=SMALL), own=True, seconds=1)
    assert 64 * MIB < evidence.widest_gap_bytes <= SMALL.size_bytes // 16
    assert "MiB apart" in " ".join(judge(evidence).details)


def test_a_batch_that_is_interrupted_counts_for_nothing():
    scan = Scan(Grid(SMALL.size_bytes))
    engine = Interrupted(1, model=SMALL)
    engine.open("/simulated")
    with pytest.raises(KeyboardInterrupt):
        read_all_over(engine, scan, Clock(300), share=1)
    assert scan.done == 0 and scan.bad == []


class Interrupted(ErrorsPastItsEnd):
    """A card during a check that the user ends by Ctrl-C in the first batch, after an error."""

    def operation(self, kind, offset_bytes):
        if self.operations > 20:
            raise KeyboardInterrupt
        super().operation(kind, offset_bytes)


def test_all_of_a_card_is_read_though_an_area_is_bad():
    engine = OneBadArea(1, model=SMALL)
    first = scan_card(engine, seconds=150)
    assert first.bad and first.share < 1
    again = checkup.check(engine, READABLE, seed=3, budget_s=math.inf, scan=first).scan
    assert again and again.share == 1


def test_a_card_of_many_bad_areas_is_read_to_its_end():
    found = scan_card(WithHoles(1, model=SMALL), seconds=1, whole=True)
    assert found.share == 1 and len(found.bad) > 64


def test_space_that_was_never_written_says_nothing_of_the_queue():
    engine = SimulatedEngine(1, model=PLAIN)
    evidence = check(engine, own=True)
    asked: list[int] = []

    def note(_verb: str, _length: int, offsets: list[int], **_more: int) -> tuple[int, list[int]]:
        asked.extend(offsets)
        return 1, []

    engine.run_queue = note  # type: ignore[method-assign,assignment]
    checkup._Checkup(engine, evidence, Clock(1), 3, print).compare_depths()
    assert asked and {place // MIB * MIB for place in asked} <= set(evidence.written)


@pytest.mark.parametrize(
    ("done", "said"),
    [(31, "0.09 %"), (327, "0.99 %"), (3071, "9 %"), (32000, "97 %"), (32767, "99 %"), (32768, "100 %")],
)
def test_a_share_is_never_rounded_up(done, said):
    details = judge(Evidence(SMALL.size_bytes, scan=Scan(Grid(SMALL.size_bytes), done))).details
    assert f"{said} of the card was read" in " ".join(details)


def test_a_fixed_disk_is_no_card():
    verdict = judge(Evidence(16_000_000_000, stamps=64, is_card=False))
    assert verdict.sentence.startswith("This is a fixed disk, not a card. Healthy:")


def test_a_directory_is_checked_through_a_file_of_its_own(cardbench, tmp_path):
    (tmp_path / "photo").write_bytes(b"mine")
    answer = cardbench("check", tmp_path, "--seconds", 3, "--json")
    said = json.loads(answer.stdout)
    assert (answer.returncode, said["verdict"], said["well"]) == (0, "well", True), answer.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["photo"]
    assert (tmp_path / "photo").read_bytes() == b"mine"


def test_a_file_is_only_read_unless_it_may_be_lost(cardbench, image):
    before = image.read_bytes()
    assert "As far as reading can show, it is healthy" in cardbench("check", image).stdout
    assert image.read_bytes() == before
    refused = cardbench("check", image, "--destructive", "--yes", "--confirm-size", 1)
    assert refused.returncode == 3
    assert image.read_bytes() == before
    size = image.stat().st_size
    done = cardbench("check", image, "--destructive", "--yes", "--confirm-size", size)
    assert (done.returncode, "Genuine and healthy" in done.stdout) == (0, True), done.stderr


def test_a_bad_card_ends_with_7(cardbench, image):
    fake = f"{SIMULATED} --seed 1 --real {4 * 1024 * MIB} --wrap {4 * 1024 * MIB}"
    size = ftl.draw(1).size_bytes
    with image.open("r+b") as file:
        file.truncate(size)
    answer = cardbench("check", image, "--destructive", "--yes", "--confirm-size", size, "--engine", fake)
    assert answer.returncode == 7, answer.stderr
    assert answer.stdout.startswith("Smaller than it claims: it holds only 4.3 of")
