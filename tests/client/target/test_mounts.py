"""The disk that stores a mounted file system is found."""

import os
from pathlib import Path

from cardbench.target import mounts
from cardbench.target.mounts import Mount
from cardbench.target.sysfs import Sysfs

PI4 = Sysfs(Path(__file__).parents[1] / "sysfs" / "pi4")
ROOT_LINE = "27 1 179:2 / / rw,noatime shared:1 - ext4 /dev/root rw"


def test_it_works():
    assert mounts.parse(ROOT_LINE) == Mount("179:2", "/", "ext4", "/dev/root", ("rw", "noatime"))


def test_blanks_in_a_mount_point():
    line = r"90 27 179:1 / /media/my\040card rw - vfat /dev/mmcblk0p1 rw"
    assert mounts.parse(line).mount_point == "/media/my card"


def test_a_line_with_several_optional_fields():
    line = "91 27 0:40 /sub /data rw master:1 propagate_from:2 - btrfs /dev/mmcblk0p2 rw"
    assert mounts.parse(line) == Mount("0:40", "/data", "btrfs", "/dev/mmcblk0p2", ("rw",))


def test_the_disk_by_number_and_by_source():
    assert mounts.disks_of_mount(PI4, Mount("179:2", "/", "ext4", "/dev/root")) == {"mmcblk0"}
    assert mounts.disks_of_mount(PI4, Mount("0:40", "/", "btrfs", "/dev/mmcblk0p2")) == {"mmcblk0"}
    assert mounts.disks_of_mount(PI4, Mount("0:22", "/proc", "proc", "proc")) == set()


def test_the_disk_below_an_encrypted_volume(tmp_path):
    for path, text in (
        ("block/sda/dev", "8:0"),
        ("block/sda/sda1/partition", "1"),
        ("block/dm-0/dev", "253:0"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "block/dm-0/slaves/sda1").mkdir(parents=True)
    assert mounts.disks_below(Sysfs(tmp_path), "253:0") == {"dm-0", "sda"}


def test_the_innermost_mount_holds_a_path(tmp_path):
    outer, inner = Mount("1:1", "/", "ext4", ""), Mount("2:2", str(tmp_path.resolve()), "tmpfs", "")
    assert mounts.select_mount(tmp_path / "file", [outer, inner]) == inner
    assert mounts.select_mount(Path("/"), [outer, inner]) == outer


def test_a_later_mount_hides_an_earlier_one():
    below, above = Mount("1:1", "/", "ext4", ""), Mount("2:2", "/", "overlay", "")
    assert mounts.select_mount(Path("/"), [below, above]) == above


def test_where_no_mount_is_listed_the_number_of_the_device_tells(tmp_path):
    """No mount is listed in a changed root, for example in a rescue system."""
    elsewhere = mounts.Mount("0:22", "/proc", "proc", "proc")
    device = tmp_path.stat().st_dev
    unlisted = mounts.select_mount(tmp_path, [elsewhere])
    assert unlisted is not None
    assert (unlisted.number, unlisted.filesystem) == (f"{os.major(device)}:{os.minor(device)}", "")
    assert mounts.select_mount(tmp_path / "missing", [elsewhere]) == Mount("0:0", "/", "", "")


def test_swap_partitions(tmp_path):
    (tmp_path / "swaps").write_text(
        "Filename Type Size Used Priority\n/dev/mmcblk0p2 partition 1 0 -2\n/swap file 1 0 -3\n"
    )
    assert list(mounts.swaps(PI4, tmp_path)) == [("/dev/mmcblk0p2", {"mmcblk0"}), ("/swap", set())]


def test_what_the_kernel_tells_is_understood():
    """In a chroot the kernel lists only mounts below it, so `/` may be missing, but not /proc."""
    assert any(mount.mount_point in ("/", "/proc") for mount in mounts.read())
