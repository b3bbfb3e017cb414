"""`cardbench powercut` finds five kinds of lying card within 20 power cuts, and accuses no honest one."""

import json
import os
import random
import stat
import sys
from pathlib import Path

import pytest
from cardbench.errors import SafetyError
from cardbench.measuring import powercut
from cardbench.measuring.powercut import Cut
from cardbench.target.surface import Surface

from submissions.domain.report import parse
from tests.client.lying_cards import BLOCK, HONEST, LYING, PoweredCard

SEEDS = range(int(os.environ.get("CARDS", "1")))


def cuts_of(card: PoweredCard, count: int = 20) -> list[Cut]:
    surface = Surface(card.size_bytes, 512, may_write=True, shows_boundaries=True)
    chance, cuts = card.chance, []
    stamps = powercut.plant(card, surface, chance, 5)
    for number in range(1, count + 1):
        journal = powercut.prepare(card, surface, chance, number << 32)
        card.writes_left = chance.randrange(20, 2_000)
        assert powercut.write_on(card, journal, chance, lambda: True) == "ENODEV"
        card.restore_power()
        stamps = [place for place in stamps if place not in journal.places()]
        assert powercut.check_same(card, stamps, 5) == ()
        cuts.append(powercut.examine(card, journal))
    return cuts


def test_it_works():
    cuts = cuts_of(PoweredCard(1))
    assert not any(cut.is_bad for cut in cuts)
    assert powercut.sentence(cuts) == (
        "In 20 cuts, the card kept everything that it had acknowledged: fewer than 16 % of cuts lose data."
    )


@pytest.mark.parametrize("make", HONEST)
@pytest.mark.parametrize("seed", SEEDS)
def test_an_honest_card_is_not_accused(make, seed):
    assert not any(cut.is_bad for cut in cuts_of(make(seed)))


@pytest.mark.parametrize("kind", LYING)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_lying_card_is_found(kind, seed):
    make, words = LYING[kind]
    assert powercut.sentence(cuts_of(make(seed))).startswith(words)


def test_an_old_write_that_arrives_late_is_a_loss_and_no_damage():
    """A marker block from before the round may be stored late, over a newer write."""
    (cut,) = cuts_of(LYING["reorders"][0](22), 1)
    assert cut.lost
    assert not cut.damaged


def test_what_is_kept_between_two_losses_is_out_of_order():
    card = PoweredCard(1)
    surface = Surface(card.size_bytes, 512, may_write=True, shows_boundaries=True)
    journal = powercut.prepare(card, surface, card.chance, 1 << 32)
    before, places = dict(card.kept), journal.places()[:3]
    for seed, place in enumerate(places, journal.first_seed + 1):
        card.write(powercut.BLOCK_BYTES, [place], seed=seed)
        journal.acknowledged[place] = [seed]
    card.sync()
    lost = places[0], places[2]
    card.kept.update({place // BLOCK: before[place // BLOCK] for place in lost})
    cut = powercut.examine(card, journal)
    assert (cut.lost, cut.is_out_of_order) == (lost, True)


def test_another_card_is_not_written():
    card = PoweredCard(1)
    surface = Surface(card.size_bytes, 512, may_write=True, shows_boundaries=True)
    stamps = powercut.plant(card, surface, random.Random(1), 5)
    with pytest.raises(SafetyError, match="it is a different card"):
        powercut.check_same(PoweredCard(2), stamps, 5)


@pytest.mark.parametrize(
    ("bad", "cuts", "low", "high"),
    [(0, 20, 0.0, 0.161), (20, 20, 0.839, 1.0), (5, 20, 0.112, 0.469), (0, 0, 0, 1)],
)
def test_the_interval(bad, cuts, low, high):
    assert powercut.wilson(bad, cuts) == (pytest.approx(low, abs=1e-3), pytest.approx(high, abs=1e-3))


# A program between cardbench and the engine, which dies as soon as the file `off` exists.
_SWITCHED = """#!{python}
import os, subprocess, sys
engine = subprocess.Popen([{engine!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.stdin.buffer:
    if os.path.exists({off!r}):
        sys.exit(1)
    engine.stdin.write(line); engine.stdin.flush()
    sys.stdout.buffer.write(engine.stdout.readline()); sys.stdout.buffer.flush()
"""


@pytest.fixture
def switch_options(tmp_path, fast_engine_path) -> list[object]:
    """Return the options that make the power of a card switchable."""
    off, program = tmp_path / "off", tmp_path / "engine.py"
    program.write_text(_SWITCHED.format(python=sys.executable, engine=fast_engine_path, off=str(off)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    words = ("--engine", program, "--cut-command", f"touch {off}", "--back-command", f"rm {off}")
    return [*words, "--cuts", 3, "--seconds", 0.5]


def test_in_a_directory_only_a_file_of_its_own_is_written(cardbench, switch_options, tmp_path):
    place = tmp_path / "card"
    place.mkdir()
    (place / "mine").write_text("mine")
    answer = cardbench(
        "powercut", place, *switch_options, "-o", tmp_path / "r.json", "--check-command", "true"
    )
    assert (answer.returncode, answer.stdout.startswith("In 3 cuts, the card kept everything")) == (
        0,
        True,
    ), answer.stderr
    assert [(entry.name, entry.read_text()) for entry in place.iterdir()] == [("mine", "mine")]
    told = {reading.name: reading.value for reading in parse((tmp_path / "r.json").read_bytes()).readings}
    assert (told["power_cuts"], told["power_cuts_bad"], told["power_cuts_filesystem_broken"]) == (3, 0, 0)


def test_a_card_that_loses_is_told_with_7(cardbench, switch_options, image):
    spoil = f"dd if=/dev/zero of={image} bs=1M conv=notrunc count=2 seek=20 status=none; {switch_options[5]}"
    words = [
        *switch_options[:5],
        spoil,
        *switch_options[6:],
        "--destructive",
        "--yes",
        "--confirm-size",
        image.stat().st_size,
    ]
    answer = cardbench("powercut", image, *words, "--json")
    assert answer.returncode == 7, answer.stderr
    assert json.loads(answer.stdout)["sentence"].startswith(
        "The card damages data that was not being written"
    )


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--cut-command", "true"), 2, "Add --destructive"),
        (("--destructive", "--cut-command", "true"), 3, "There is no terminal to ask for confirmation"),
        (
            ("--destructive", "--yes", "--confirm-size", 5, "--cut-command", "true"),
            3,
            ("is not the one in --confirm-size"),
        ),
        (
            ("--destructive", "--yes", "--confirm-size", 32 * 1024**2),
            2,
            ("There is no terminal to ask you to cut the power"),
        ),
    ],
)
def test_nothing_is_written_without_consent(cardbench, image, words, status, said):
    answer = cardbench("powercut", image, *words)
    assert (answer.returncode, said in answer.stderr) == (status, True), answer.stderr
    assert image.read_bytes() == bytes(32 * 1024**2)


def test_a_cut_that_fails_is_said(cardbench, switch_options, tmp_path):
    words = [*switch_options]
    words[3] = "false"
    answer = cardbench("powercut", tmp_path, *words)
    assert answer.returncode == 2
    assert "“false” failed with status 1" in answer.stderr
    assert not (tmp_path / "cardbench-powercut.dat").exists()


def test_a_directory_is_never_given_up(cardbench, tmp_path):
    answer = cardbench("powercut", tmp_path, "--destructive", "--cut-command", "true")
    assert answer.returncode == 2
    assert [*Path(tmp_path).iterdir()] == []
