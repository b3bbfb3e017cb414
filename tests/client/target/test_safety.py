"""Attempts to overwrite data by mistake are stopped by the safety checks."""

import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cardbench.errors import SafetyError
from cardbench.target import identity, mounts, safety
from cardbench.target.safety import Consent, Facts, Victim, gather_facts, objections
from cardbench.target.sysfs import Sysfs

from tests.client.simulated_cards import SIMULATED

TREES = Path(__file__).parents[1] / "sysfs"
CARD = Facts("mmcblk0", bus="SD")
MIB = 1024**2
SIZE = 32 * MIB


def proc_with(tmp_path: Path, *mount_lines: str, swaps: str = "") -> Path:
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "mountinfo").write_text("\n".join(mount_lines))
    (tmp_path / "swaps").write_text("Filename Type Size Used Priority\n" + swaps)
    return tmp_path


def test_it_works():
    assert objections(CARD) == []
    assert objections(Facts("sdb", bus="USB", removable=True)) == []


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (replace(CARD, name="mmcblk0p1", parent="mmcblk0"), "partition"),
        (replace(CARD, mounted_at=("/media/card",)), "mounted at /media/card"),
        (replace(CARD, mounted_at=("/", "/boot")), "the system runs from it"),
        (replace(CARD, swaps=("/dev/mmcblk0p3",)), "swapoff"),
        (replace(CARD, holders=("dm-0",)), "part of dm-0"),
        (replace(CARD, loops=("loop3",)), "losetup -d"),
        (replace(CARD, read_only=True), "read-only"),
        (Facts("nvme0n1"), "neither removable"),
        (Facts("sdc", bus="USB"), "neither removable"),  # a USB hard disk
    ],
)
def test_every_objection_stops_it(facts, words):
    assert any(words in sentence for sentence in objections(facts))
    with pytest.raises(SafetyError):
        safety.check_device(facts, even_if_fixed=False, say=print)


def test_the_override_overrides_one_objection_and_says_so():
    notes: list[str] = []
    safety.check_device(Facts("nvme0n1"), even_if_fixed=True, say=notes.append)
    assert "--even-if-fixed" in notes[0]
    with pytest.raises(SafetyError, match="mounted"):
        safety.check_device(Facts("nvme0n1", mounted_at=("/home",)), even_if_fixed=True, say=notes.append)


def test_the_card_a_pi_runs_from(tmp_path):
    proc = proc_with(
        tmp_path, "27 1 179:2 / / rw - ext4 /dev/root rw", "28 27 179:1 / /boot rw - vfat /dev/mmcblk0p1 rw"
    )
    facts = gather_facts("mmcblk0", sysfs=Sysfs(TREES / "pi4"), proc=proc)
    assert (facts.bus, facts.mounted_at) == ("SD", ("/", "/boot"))
    assert "the system runs from it" in objections(facts, even_if_fixed=True)[0]


def test_a_partition_of_it(tmp_path):
    facts = gather_facts("mmcblk0p1", sysfs=Sysfs(TREES / "pi4"), proc=proc_with(tmp_path))
    assert facts.parent == "mmcblk0"
    assert objections(facts)


def test_the_swap_of_a_pi(tmp_path):
    proc = proc_with(tmp_path, swaps="/dev/mmcblk0p2 partition 1 0 -2\n")
    assert gather_facts("mmcblk0", sysfs=Sysfs(TREES / "pi4"), proc=proc).swaps == ("/dev/mmcblk0p2",)


def test_a_card_in_a_reader_is_free(tmp_path):
    assert objections(gather_facts("sdb", sysfs=Sysfs(TREES / "usb-reader"), proc=proc_with(tmp_path))) == []


def test_a_device_nobody_knows():
    with pytest.raises(SafetyError, match="not a block device that the kernel knows"):
        gather_facts("mmcblk77")


def system_disk() -> str:
    root = mounts.select_mount(Path("/"), mounts.read())
    disks = mounts.disks_of_mount(Sysfs(), root) if root else set()
    for disk in disks:
        if Path("/dev", disk).is_block_device():
            return disk
    pytest.skip("the system runs from no visible disk")


def test_the_disk_this_system_runs_from(cardbench):
    disk = system_disk()
    size = int(Path(f"/sys/block/{disk}/size").read_text()) * 512
    # If the check under test fails, the simulated card is written and not the disk.
    harmless = ("--engine", SIMULATED)
    words = ("--destructive", "--even-if-fixed", "--yes", "--confirm-size", size)
    answer = cardbench("run", disk, *words, *harmless)
    assert answer.returncode == 3
    assert "the system runs from it" in answer.stderr


def test_a_mounted_loop_device(cardbench, loop_device, mkfs_ext4, tmp_path):
    mkfs_ext4(loop_device)
    if subprocess.run(["mount", loop_device, tmp_path], check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        answer = cardbench(
            "run", loop_device, "--destructive", "--even-if-fixed", "--yes", "--confirm-size", SIZE
        )
    finally:
        subprocess.run(["umount", tmp_path], check=True)
    assert answer.returncode == 3
    assert f"mounted at {tmp_path}" in answer.stderr
    assert subprocess.run(["e2fsck", "-fn", loop_device], check=False, capture_output=True).returncode == 0


def test_a_fixed_device_without_the_override(cardbench, loop_device, image):
    answer = cardbench("run", loop_device, "--destructive", "--yes", "--confirm-size", SIZE)
    again = shlex.split(answer.stderr.partition("on it, run: ")[2])
    assert answer.returncode == 3
    assert image.read_bytes() == bytes(SIZE)
    assert cardbench(*again[again.index("run") :], "--workload", "align").returncode == 0, (
        "the command does it"
    )


def test_the_override_is_not_offered_where_it_does_not_help(cardbench, loop_device, mkfs_ext4, tmp_path):
    mkfs_ext4(loop_device)
    if subprocess.run(["mount", loop_device, tmp_path], check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    answer = cardbench("run", loop_device, "--destructive")
    subprocess.run(["umount", tmp_path], check=True)
    assert (answer.returncode, "--even-if-fixed" in answer.stderr) == (3, False)


@pytest.mark.parametrize("words", [(), ("--yes",), ("--yes", "--confirm-size", SIZE - 512)])
def test_nothing_is_written_without_confirmation(cardbench, loop_device, image, words):
    answer = cardbench("run", loop_device, "--destructive", "--even-if-fixed", *words)
    assert answer.returncode == 3
    assert "cardbench will write" in answer.stderr
    assert image.read_bytes() == bytes(SIZE)


def test_with_all_of_it_the_device_is_written(cardbench, loop_device, image, tmp_path):
    words = ("--destructive", "--even-if-fixed", "--yes", "--confirm-size", SIZE, "-o", tmp_path / "r.json")
    answer = cardbench("run", loop_device, *words)
    assert answer.returncode == 0, answer.stderr
    assert "cardbench writes to it anyway" in answer.stderr
    assert image.read_bytes() != bytes(SIZE)


def test_a_loop_device_over_a_file_protects_the_file(cardbench, loop_device, image):
    answer = cardbench("run", image, "--destructive", "--yes", "--confirm-size", SIZE)
    assert (answer.returncode, "losetup -d" in answer.stderr) == (3, True)


def test_a_file_is_only_read(cardbench, image):
    assert cardbench("run", image).returncode == 0
    assert image.read_bytes() == bytes(SIZE)


def test_a_file_in_use_elsewhere_as_device_is_not_found_by_another_name(
    cardbench, loop_device, image, tmp_path
):
    (tmp_path / "innocent").symlink_to(image)
    answer = cardbench("run", tmp_path / "innocent", "--destructive", "--yes", "--confirm-size", SIZE)
    assert answer.returncode == 3


def test_a_node_of_another_name_does_not_hide_what_is_mounted(cardbench, loop_device, mkfs_ext4, tmp_path):
    mkfs_ext4(loop_device)
    (tmp_path / "card").mkdir()
    node = tmp_path / "loop999"
    try:
        os.mknod(node, stat.S_IFBLK | 0o600, loop_device.stat().st_rdev)
        subprocess.run(["mount", loop_device, tmp_path / "card"], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no nodes or no mounting here")
    try:
        answer = cardbench("run", node, "--destructive", "--even-if-fixed", "--yes", "--confirm-size", SIZE)
    finally:
        subprocess.run(["umount", tmp_path / "card"], check=True)
    assert answer.returncode == 3
    assert f"Not writing to {loop_device.name}: it is mounted at {tmp_path}/card" in answer.stderr


def test_a_file_that_another_program_has_open(cardbench, image):
    with image.open("rb"):
        answer = cardbench("run", image, "--destructive", "--yes", "--confirm-size", SIZE)
    assert (answer.returncode, "has it open" in answer.stderr) == (3, True)
    assert image.read_bytes() == bytes(SIZE)


def test_a_file_that_is_swapped_to(image, tmp_path):
    (tmp_path / "swaps").write_text(f"Filename Type Size Used Priority\n{image} file 32764 0 -2\n")
    with pytest.raises(SafetyError, match="swapoff"):
        safety.check_file(image, proc=tmp_path)


def test_a_path_is_not_taken_for_the_device_of_the_same_name(cardbench, loop_device, tmp_path):
    (tmp_path / loop_device.name).touch()
    words = ("--yes", "--confirm-size", SIZE, "--even-if-fixed")
    answer = cardbench("compare-filesystems", tmp_path / loop_device.name, *words)
    assert (answer.returncode, "is not a block device" in answer.stderr) == (2, True)


def test_what_is_said_to_be_written_is_what_was_asked_for(cardbench, image):
    sizes = ("--erase-size", "2M", "--block-size", "1M", "--open-au-nr", 3)
    answer = cardbench("run", image, "--destructive", "--suite", "flashbench", *sizes)
    written = 2 * 2 * MIB * (2 * 3 + 6)  # two sizes of block; open units in two orders, and six first ones
    assert (answer.returncode, f"up to {written:,} bytes" in answer.stderr) == (3, True)


@pytest.fixture
def environment(fast_engine_path) -> dict[str, str]:
    client = str(Path(__file__).resolve().parents[3] / "client")
    return os.environ | {"PYTHONPATH": client, "CARDBENCH_ENGINE": fast_engine_path}


def test_a_card_exchanged_after_the_question(image, run_on_terminal):
    """The simulated engine represents a card that was exchanged after the user agreed."""
    words = ("--destructive", "--engine", SIMULATED)
    status, shown = run_on_terminal("run", image, *words, answers="card.img\n")
    assert status == 3
    assert "is now a different device" in shown


def test_a_wrong_name_typed(image, run_on_terminal):
    status, shown = run_on_terminal("run", image, "--destructive", answers="card.imG\n")
    assert status == 3
    assert "The names do not match" in shown
    assert image.read_bytes() == bytes(SIZE)


def test_the_right_name_typed(image, run_on_terminal):
    status, shown = run_on_terminal("run", image, "--destructive", answers="card.img\n")
    assert status == 0
    assert "100 %" in shown or "█" in shown
    assert image.read_bytes() != bytes(SIZE)


@pytest.mark.parametrize(
    ("consent", "words"),
    [
        (Consent(yes=True), "needs --confirm-size or --confirm-serial"),
        (Consent(yes=True, size_bytes=99), "is not the one in --confirm-size"),
        (Consent(yes=True, serial="0xdead"), "is not the one in --confirm-serial"),
        (Consent(yes=True, size_bytes=SIZE, serial="dead"), "is not the one in --confirm-serial"),
    ],
)
def test_yes_alone_is_not_enough(consent, words):
    with pytest.raises(SafetyError, match=words):
        safety.confirm(Victim("mmcblk0", SIZE, serial="c0ffee"), consent)


@pytest.mark.parametrize(
    "consent", [Consent(yes=True, size_bytes=SIZE), Consent(yes=True, serial="0x00C0FFEE")]
)
def test_yes_with_what_only_this_card_has(consent):
    safety.confirm(Victim("mmcblk0", SIZE, serial="c0ffee"), consent)


def test_another_card_of_the_same_size():
    with pytest.raises(SafetyError, match="a different device"):
        safety.check_unchanged(Victim("mmcblk0", SIZE, "c0ffee"), Victim("mmcblk0", SIZE, "decaf"))


def test_another_card_of_the_same_size_without_a_serial():
    with pytest.raises(SafetyError, match="a different device"):
        safety.check_unchanged(Victim("sda", SIZE, sequence="7"), Victim("sda", SIZE, sequence="8"))


def test_the_serial_of_a_card():
    assert identity.serial(Sysfs(TREES / "beaglebone"), "mmcblk1") == "35338909"


def test_a_card_without_a_serial_cannot_be_confirmed_by_none(cardbench, loop_device, image):
    words = ("--destructive", "--even-if-fixed", "--yes", "--confirm-serial", "0x0")
    assert cardbench("run", loop_device, *words).returncode == 3
    assert image.read_bytes() == bytes(SIZE)


@pytest.fixture
def partition(image) -> Iterator[Path]:
    """Yield a partition of a loop device that begins after the first MiB."""
    command = ["losetup", "--find", "--show", "--partscan", str(image)]
    attached = subprocess.run(command, capture_output=True, text=True, check=False)
    if attached.returncode != 0 or not shutil.which("addpart"):
        pytest.skip(f"no partitions on loop devices here: {attached.stderr.strip()}")
    loop = attached.stdout.strip()
    subprocess.run(["addpart", loop, "1", "2048", "32768"], check=True)
    yield Path(f"{loop}p1")
    subprocess.run(["delpart", loop, "1"], check=True)
    subprocess.run(["losetup", "--detach", loop], check=True)


def test_a_partition_is_not_written(cardbench, partition, image):
    words = ("--destructive", "--even-if-fixed", "--yes", "--confirm-size", 16 * MIB)
    answer = cardbench("run", partition, *words)
    assert (answer.returncode, "it is a partition" in answer.stderr) == (3, True)
    assert image.read_bytes() == bytes(SIZE)


def test_the_disk_of_a_mounted_partition_is_not_written(cardbench, partition, mkfs_ext4, tmp_path):
    mkfs_ext4(partition)
    (tmp_path / "mnt").mkdir()
    subprocess.run(["mount", partition, tmp_path / "mnt"], check=True)
    disk = str(partition).removesuffix("p1")
    try:
        answer = cardbench("run", disk, "--destructive", "--even-if-fixed", "--yes", "--confirm-size", SIZE)
    finally:
        subprocess.run(["umount", tmp_path / "mnt"], check=True)
    assert (answer.returncode, "mounted at" in answer.stderr) == (3, True)
    assert subprocess.run(["e2fsck", "-fn", partition], check=False, capture_output=True).returncode == 0


@pytest.mark.skipif(shutil.which("losetup") is None, reason="no losetup")
def test_a_card_with_its_lock_on(cardbench, image):
    command = ["losetup", "--find", "--show", "--read-only", str(image)]
    attached = subprocess.run(command, capture_output=True, text=True, check=False)
    if attached.returncode != 0:
        pytest.skip(f"no loop device here: {attached.stderr.strip()}")
    loop = attached.stdout.strip()
    try:
        words = ("--destructive", "--even-if-fixed", "--yes", "--confirm-size", SIZE)
        answer = cardbench("run", loop, *words)
        assert (answer.returncode, "read-only" in answer.stderr) == (3, True)
        assert cardbench("run", loop, "--json").returncode == 0  # it can be read all the same
    finally:
        subprocess.run(["losetup", "--detach", loop], check=True)


def test_a_device_that_shrinks_in_the_middle(environment, loop_device, image, tmp_path):
    """The device shrinks when data of the run arrives in the image file."""
    report = tmp_path / "r.json"
    for size in (0, SIZE):
        os.truncate(image, size)
    words = ["run", loop_device, "--destructive", "--even-if-fixed", "--yes", "--confirm-size", SIZE]
    command = [sys.executable, "-m", "cardbench", *map(str, words), "--suite", "full", "-o", str(report)]
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(
        command, env=environment, start_new_session=True, stdout=nowhere, stderr=nowhere
    )
    while image.stat().st_blocks < 4096 and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGSTOP)
    shrink(loop_device, image)
    os.killpg(process.pid, signal.SIGCONT)
    assert process.wait(timeout=180) == 4
    document = json.loads(report.read_text())
    codes = {row["failure"]["code"] for row in document["measurements"] if "failure" in row}
    assert "ENODEV" in codes
    assert document["extra"]["not_run"]


def shrink(loop_device, image):
    """Shrink the image until it stays short, because a write in progress may restore its length."""
    size = ""
    while size != str(2 * MIB):
        os.truncate(image, 2 * MIB)
        subprocess.run(["losetup", "--set-capacity", loop_device], check=True)
        size = subprocess.check_output(["blockdev", "--getsize64", loop_device], text=True).strip()


def test_stamps_are_said_to_go_anywhere_and_how_many_bytes_that_is(cardbench, image):
    words = ("--yes", "--confirm-size", image.stat().st_size, "--workload", "align")
    answer = cardbench("run", image, "--destructive", *words, "--json")
    assert answer.returncode == 0, answer.stderr
    assert f"cardbench will write about {64 * 4096:,} bytes" in answer.stderr
    assert "anywhere on card.img, which takes about" in answer.stderr
    assert " 0 s" not in answer.stderr
