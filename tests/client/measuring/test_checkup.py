"""`cardbench check`: eight kinds of bad card are recognised, and no good one is accused."""

import json
import os

import pytest
from cardbench import ftl
from cardbench.cli import check as command
from cardbench.measuring import checkup
from cardbench.target.simulated import SimulatedEngine
from cardbench.target.surface import Surface
from cardbench.target.sysfs import Sysfs

from tests.bench.odd_cards import draw_field, noisier, stalling
from tests.client.bad_cards import KINDS
from tests.client.cards import MIB, PLAIN
from tests.client.odd_ftl import OddEngine
from tests.client.simulated_cards import SIMULATED, Fake, FakeEngine

GOOD = int(os.environ.get("CARDS", "24"))


def checked(engine: SimulatedEngine, *, write: bool = True, own: bool = False) -> checkup.Verdict:
    opened = engine.open("/simulated", write=write)
    surface = Surface(
        opened.size_bytes, opened.logical_block_bytes, write, shows_boundaries=True, is_own_file=own
    )
    return checkup.check(engine, surface, seed=3)


def test_it_works():
    verdict = checked(SimulatedEngine(1, model=PLAIN))
    assert verdict.kind == "well"
    assert verdict.sentence.startswith("Genuine and well: all of the 15.9 GB are there")
    assert "stamps all over it were found again" in " ".join(verdict.details)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("own", [False, True], ids=["device", "own file"])
def test_a_bad_card_is_recognised(kind, seed, own):
    make, verdicts = KINDS[kind]
    verdict = checked(make(seed), own=own)
    assert verdict.kind in verdicts
    assert verdict.is_bad


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
        assert checked(OddEngine(seed, model=model), own=own).kind == "well"


def test_a_fake_is_told_with_both_sizes():
    size = PLAIN.size_bytes
    verdict = checked(FakeEngine(1, model=PLAIN, fake=Fake(size // 4, size // 4)))
    assert "it holds 4.0 of 15.9 GB" in verdict.sentence


def test_without_writing_it_says_what_cannot_be_told():
    engine = SimulatedEngine(1, model=PLAIN)
    verdict = checked(engine, write=False)
    assert (verdict.kind, verdict.is_bad) == ("readable", False)
    assert "cannot be told without writing" in verdict.sentence
    assert engine._stamps == {}


def test_an_emmc_that_is_used_up_by_its_own_account(tmp_path):
    device = tmp_path / "block/mmcblk0/device"
    device.mkdir(parents=True)
    (device / "life_time").write_text("0x0b 0x02\n")
    well = checkup.Verdict("well", "Genuine and well.")
    worn = command.with_own_words(well, "mmcblk0", Sysfs(tmp_path))
    assert (worn.kind, worn.is_bad) == ("worn_out", True)
    (device / "life_time").write_text("0x03 0x01\n")
    assert command.with_own_words(well, "mmcblk0", Sysfs(tmp_path)).details == (
        "its wear: At most 30 % of its life is used, as it says itself, in steps of 10 %.",
    )


def test_errors_of_the_kernel_log_are_told(tmp_path):
    log = tmp_path / "kmsg"
    log.write_text(
        "6,1,2,-;usb 1-1: new device\n3,2,3,-;mmcblk0: error -110 transferring data\n"
        "3,3,4,-;I/O error, dev mmcblk0, sector 8\n3,4,5,-;I/O error, dev mmcblk01x, sector 8\n"
    )
    (words,) = command.kernel_log("mmcblk0", log)
    assert "2 times" in words and words.endswith("I/O error, dev mmcblk0, sector 8")


def test_a_directory_is_checked_through_a_file_of_its_own(cardbench, tmp_path):
    (tmp_path / "photo").write_bytes(b"mine")
    answer = cardbench("check", tmp_path, "--seconds", 3, "--json")
    said = json.loads(answer.stdout)
    assert (answer.returncode, said["verdict"], said["well"]) == (0, "well", True), answer.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["photo"]
    assert (tmp_path / "photo").read_bytes() == b"mine"


def test_a_file_is_only_read_unless_it_may_be_lost(cardbench, image):
    before = image.read_bytes()
    assert "As far as reading shows it is well" in cardbench("check", image).stdout
    assert image.read_bytes() == before
    refused = cardbench("check", image, "--destructive", "--yes", "--confirm-size", 1)
    assert refused.returncode == 3
    assert image.read_bytes() == before
    size = image.stat().st_size
    done = cardbench("check", image, "--destructive", "--yes", "--confirm-size", size)
    assert (done.returncode, "Genuine and well" in done.stdout) == (0, True), done.stderr


def test_a_bad_card_ends_with_7(cardbench, image):
    fake = f"{SIMULATED} --seed 1 --real {4 * 1024 * MIB} --wrap {4 * 1024 * MIB}"
    size = ftl.draw(1).size_bytes
    with image.open("r+b") as file:
        file.truncate(size)
    answer = cardbench("check", image, "--destructive", "--yes", "--confirm-size", size, "--engine", fake)
    assert answer.returncode == 7, answer.stderr
    assert answer.stdout.startswith("Smaller than it says: it holds 4.3 of")
