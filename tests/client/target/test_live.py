"""A card in use is measured through a temporary file, by address, without harm."""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cardbench import geometry
from cardbench.geometry import Probe
from cardbench.measuring.cells import Cell
from cardbench.measuring.plan import align_positions
from cardbench.sizes import MIB
from cardbench.target import extents as extents_of
from cardbench.target import live
from cardbench.target.engine import Engine, EngineError
from cardbench.target.extents import Extent, NoAddresses, extents, join_extents
from cardbench.target.live import ByAddress
from cardbench.target.simulated import SimulatedEngine
from cardbench.target.surface import Stretch, Surface
from cardbench.target.sysfs import Sysfs

from tests.client.cards import PLAIN, card
from tests.client.target.test_engine import expected_data

KIB = 1024


class Mounted:
    """A file system on a loop device: its directory, and the image file that stores it."""

    def __init__(self, image: Path, kind: str, directory: Path) -> None:
        self.image, self.kind, self.directory = image, kind, directory
        self.loop = ""

    def run(self, *words: object) -> str:
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode:
            self.close()
            pytest.skip(f"{words[0]} does not work here: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout.strip()

    def open(self) -> None:
        if os.geteuid():
            pytest.skip("needs root")
        if not shutil.which(f"mkfs.{self.kind}"):
            pytest.skip(f"no mkfs.{self.kind}")
        with self.image.open("wb") as file:
            file.truncate(400 * MIB)
        self.run(f"mkfs.{self.kind}", self.image)
        self.loop = self.run("losetup", "--find", "--show", "--direct-io=on", self.image)
        self.run("mount", self.loop, self.directory)

    def close(self) -> None:
        subprocess.run(["umount", self.directory], check=False, capture_output=True)
        if self.loop:
            subprocess.run(["losetup", "--detach", self.loop], check=False)


@pytest.fixture(params=["ext4", "xfs", "vfat"])
def mounted_card(request, tmp_path) -> Iterator[Mounted]:
    (tmp_path / "card").mkdir()
    place = Mounted(tmp_path / "card.img", request.param, tmp_path / "card")
    place.open()
    yield place
    place.close()


def test_it_works(cardbench, mounted_card):
    (mounted_card.directory / "mine").write_text("mine")
    free = os.statvfs(mounted_card.directory).f_bfree
    document = json.loads(cardbench("run", mounted_card.directory, "--json").stdout)
    aligns = [row for row in document["measurements"] if row["workload"] == "align"]
    assert {row["parameters"]["align_bytes"] for row in aligns} >= {4 * KIB, 64 * KIB, MIB}
    assert all(len(row["values"]) == 3 for row in aligns)
    assert document["extra"]["stretches_bytes"]
    assert [
        (entry.name, entry.read_text()) for entry in mounted_card.directory.iterdir() if entry.is_file()
    ] == [("mine", "mine")]
    assert os.statvfs(mounted_card.directory).f_bfree == free


@pytest.mark.parametrize("words", [("check",), ("run", "--suite", "quick", "--workload", "geometry")])
def test_what_others_have_stored_stays_byte_for_byte(cardbench, mounted_card, words):
    stored = {f"mine {number}": random.Random(number).randbytes(5 * MIB + number) for number in range(20)}
    for name, content in stored.items():
        (mounted_card.directory / name).write_bytes(content)
    for number in range(0, 20, 2):  # free space lies in pieces between them
        (mounted_card.directory / f"mine {number}").unlink()
        del stored[f"mine {number}"]
    os.sync()
    answer = cardbench(words[0], mounted_card.directory, *words[1:], "--json")
    assert answer.returncode == 0, answer.stderr
    assert {entry.name for entry in mounted_card.directory.iterdir() if entry.is_file()} == set(stored)
    mounted_card.run("umount", mounted_card.directory)
    mounted_card.run(f"fsck.{mounted_card.kind}", "-n", mounted_card.loop)
    mounted_card.run("mount", mounted_card.loop, mounted_card.directory)
    for name, content in stored.items():
        assert (mounted_card.directory / name).read_bytes() == content


def test_what_is_written_by_address_is_there_on_the_disk(mounted_card, fast_engine_path):
    path = mounted_card.directory / "ours"
    handle = os.open(path, os.O_RDWR | os.O_CREAT)
    if mounted_card.kind != "vfat":
        os.posix_fallocate(handle, 0, 32 * MIB)
    with Engine([fast_engine_path]) as engine:
        os.ftruncate(handle, 32 * MIB)
        opened = engine.open(str(path), write=True)
        engine.write(MIB, [number * MIB for number in range(32)], seed=0)
        engine.sync()
        surface = Surface(opened.size_bytes, opened.logical_block_bytes, True, shows_boundaries=False)
        below = live.find_card(
            engine, surface, handle=handle, directory=mounted_card.directory, sysfs=Sysfs()
        )
        middle = below.surface.reach[0].start_bytes // 4096 * 4096 + MIB
        below.device.write(4 * KIB, [middle], seed=5)
        engine.sync()
        offset = ByAddress(engine, extents(handle))._offset(middle, 4 * KIB)
    with mounted_card.image.open("rb") as image:
        image.seek(middle)
        assert image.read(4 * KIB) == expected_data(offset, 4 * KIB, 5)
    os.close(handle)


def test_both_ways_to_ask_give_the_same_places(mounted_card):
    path = mounted_card.directory / "ours"
    path.write_bytes(os.urandom(3 * MIB))
    with path.open("rb") as file:
        os.fsync(file.fileno())
        assert list(join_extents(extents_of._read_fibmap(file.fileno()))) == list(extents(file.fileno()))


def test_a_file_system_that_copies_on_write_says_what_it_cannot(cardbench, tmp_path):
    (tmp_path / "card").mkdir()
    place = Mounted(tmp_path / "card.img", "btrfs", tmp_path / "card")
    place.open()
    try:
        answer = cardbench("run", place.directory, "-o", tmp_path / "r.json")
    finally:
        place.close()
    document = json.loads((tmp_path / "r.json").read_text())
    assert answer.returncode == 0
    assert {row["workload"] for row in document["measurements"]} == {"stream"}
    assert "btrfs" in document["extra"]["boundaries_hidden"]
    assert "btrfs" in answer.stdout


def test_a_disk_made_of_others_has_no_address(tmp_path):
    with pytest.raises(NoAddresses):
        live.find_card(
            SimulatedEngine(1), Surface(64 * MIB, 512, True, False), handle=0, directory=tmp_path,
            sysfs=Sysfs(tmp_path),
        )  # fmt: skip


def test_pieces_that_follow_each_other_are_one():
    pieces = [Extent(0, 100, 10), Extent(10, 110, 5), Extent(15, 200, 5), Extent(25, 205, 5)]
    assert list(join_extents(pieces)) == [Extent(0, 100, 15), Extent(15, 200, 5), Extent(25, 205, 5)]


def test_nothing_outside_our_file_is_touched():
    engine = SimulatedEngine(1)
    engine.open("/simulated", write=True)
    device = ByAddress(engine, [Extent(0, 8 * MIB, 4 * MIB), Extent(4 * MIB, MIB, MIB)])
    device.write(4 * KIB, [8 * MIB, MIB], seed=3)
    assert engine.check(4 * KIB, [0, 4 * MIB, 8 * MIB], seed=3) == [0, 4 * MIB, None]
    for address in (0, MIB - 512, 2 * MIB - 512, 2 * MIB, 12 * MIB - 512, 13 * MIB):
        with pytest.raises(EngineError) as refused:
            device.read(KIB, [address])
        assert refused.value.code == "ERANGE"


def make_scattered_card(model, *, share: float, seed: int) -> tuple[SimulatedEngine, Surface]:
    """Return a simulated card where only scattered pieces may be accessed, like those of a file on a used card."""
    engine = SimulatedEngine(seed, model=model)
    opened = engine.open("/simulated", write=True)
    chance, piece = random.Random(seed), 128 * MIB
    places = range(opened.size_bytes // piece - 1)
    chosen = sorted(chance.sample(places, k=int(share * len(places))))
    stretches = tuple(
        Stretch(number * piece + chance.randrange(100) * 4 * KIB, piece - MIB) for number in chosen
    )
    surface = Surface(opened.size_bytes, 512, may_write=True, shows_boundaries=True, stretches=stretches)
    return engine, surface


@pytest.mark.parametrize("erase_block_mib", [1.5, 4, 6])
def test_the_geometry_is_found_inside_the_pieces(erase_block_mib):
    engine, surface = make_scattered_card(
        card(erase_block_bytes=int(erase_block_mib * MIB)), share=0.15, seed=3
    )
    pieces = [
        Extent(stretch.start_bytes, stretch.start_bytes, stretch.length_bytes)
        for stretch in surface.stretches
    ]
    probe = Probe(ByAddress(engine, pieces), surface, seed=4)
    values = {estimate.metric: estimate.value for estimate in geometry.survey(geometry.table(surface), probe)}
    assert "fat_area_size" not in values  # the file does not cover the beginning of the card
    assert values["erase_block_size"] == erase_block_mib * MIB
    assert values["page_size"] == PLAIN.page_bytes
    assert (values["open_au_linear"], values["open_au_random"]) == (5, 3)


def test_boundaries_lie_inside_the_pieces():
    _, surface = make_scattered_card(PLAIN, share=0.1, seed=5)
    cell = Cell("align", "read", KIB, 24, align_bytes=MIB)
    positions = align_positions(cell, surface, random.Random(1))
    assert len(positions) == 8
    for position in positions:
        assert any(
            stretch.start_bytes + 4 * KIB <= position <= stretch.end_bytes - 4 * KIB
            for stretch in surface.stretches
        )
