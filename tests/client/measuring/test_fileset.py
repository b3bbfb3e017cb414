"""Work on whole files is measured, and file systems are compared on a card that may be overwritten."""

import json
import os
import subprocess
import threading
from pathlib import Path

import pytest
from cardbench.measuring import fileset
from cardbench.measuring.cells import FileWork
from cardbench.measuring.suites import Choice
from cardbench.sizes import KIB, MIB
from cardbench.target.engine import EngineError
from cardbench.target.surface import WorkDirectory
from cardbench.target.sysfs import Sysfs

from submissions.domain.measuring.normalize import normalize
from submissions.domain.report import parse

SIZE = 32 * MIB
WAYS = fileset.WAYS_TO_SYNC


def run_work(
    tmp_path: Path, work: FileWork, sysfs: Sysfs | None = None
) -> dict[tuple[str, str], list[float]]:
    place = WorkDirectory(tmp_path, "sda", sysfs or Sysfs(tmp_path / "none"))
    rows = [*fileset.run(work, place, seed=1)]
    return {(row["parameters"].get("action", ""), row["metric"]): row["values"] for row in rows}


def measure_files(tmp_path: Path) -> list[dict]:
    """Return the measurements of every kind of work on files in a directory."""
    place = WorkDirectory(tmp_path, "sda", Sysfs(tmp_path / "none"))
    works = [FileWork(name, 5, 4 * KIB, threads=2, repeats=1) for name in ("files", "mixed", "copy")]
    works += [FileWork("sync", 3, KIB, sync=name, repeats=1) for name in WAYS if "remount" not in name]
    return [row for work in works for row in fileset.run(work, place, seed=1)]


def test_it_works(tmp_path):
    figures = run_work(tmp_path, FileWork("files", 50, KIB))
    assert {action for action, _ in figures} == {"create", "stat", "read", "rewrite", "delete"}
    assert all(len(values) == 3 and min(values) > 0 for values in figures.values())
    for created, duration in zip(figures["create", "iops"], figures["create", "duration"], strict=True):
        assert created == pytest.approx(50 / duration * 1e9, rel=1e-3)
    assert ("delete", "throughput") not in figures
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    "work",
    [
        FileWork("files", 20, 4 * KIB, is_direct=True, repeats=1),
        FileWork("copy", 20, 20 * KIB, repeats=2),
    ],
)
def test_every_kind_of_work(tmp_path, work):
    figures = run_work(tmp_path, work)
    assert {metric for _, metric in figures} >= {"iops", "throughput", "duration", "cpu_time"}
    assert all(len(values) == work.repeats for values in figures.values())
    assert not [*tmp_path.iterdir()]


def test_threads_with_mixed_work(tmp_path, monkeypatch):
    monkeypatch.setattr(fileset, "_MIXED_NS", 100_000_000)
    figures = run_work(tmp_path, FileWork("mixed", 10, 16 * KIB, threads=3, repeats=1))
    assert figures["", "duration"][0] > 1e8
    assert not [*tmp_path.iterdir()]


def test_what_the_device_wrote_is_counted(tmp_path):
    stat = tmp_path / "sys" / "block" / "sda" / "stat"
    stat.parent.mkdir(parents=True)
    stat.write_text("1 0 8 0 1 0 16 0 0 0 0\n")

    class Counting(WorkDirectory):
        def sync(self) -> None:
            """Count 4 KiB more as written by the device."""
            fields = stat.read_text().split()
            stat.write_text(" ".join([*fields[:6], str(int(fields[6]) + 8), *fields[7:]]))

    place = Counting(tmp_path, "sda", Sysfs(tmp_path / "sys"))
    rows = [*fileset.run(FileWork("copy", 2, KIB, repeats=1), place, seed=1)]
    assert [row["values"] for row in rows if row["metric"] == "device_write_size"] == [[4 * KIB]]
    assert not [row for row in rows if row["metric"] == "device_read_size"]


def test_a_full_file_system_is_an_error_and_leaves_nothing(tmp_path):
    with pytest.raises(EngineError) as failed:
        run_work(tmp_path / "missing", FileWork("copy", 2, KIB))
    assert "copy: 2 files" in str(failed.value)


@pytest.mark.parametrize(
    ("sync", "calls"),
    [
        ("fsync_at_end", ["sync"]),
        ("fsync_each", ["sync"] * 3),
        ("remount_each", ["remount"] * 3),
        ("remount_at_end", ["remount"]),
        ("remount_and_sync", ["remount", "sync"]),
        ("sync_mount", []),
    ],
)
def test_ways_to_sync(tmp_path, sync, calls):
    place, called = note(tmp_path)
    rows = [*fileset.run(FileWork("sync", 3, 4 * KIB, sync=sync, repeats=1), place, seed=1)]
    assert called[1:] == calls  # the first one settles earlier writes
    assert {row["parameters"]["sync"] for row in rows} == {sync}
    assert {row["metric"] for row in rows} >= {"iops", "throughput", "duration", "cpu_time"}


@pytest.mark.parametrize(("sync", "last"), [("background", "sync"), ("background_and_remount", "remount")])
def test_a_sync_in_the_background_is_begun_after_each_file(tmp_path, sync, last):
    place, called = note(tmp_path)
    [*fileset.run(FileWork("sync", 3, 4 * KIB, sync=sync, repeats=1), place, seed=1)]
    begun = called[1:]
    assert (len(begun), begun.count("remount"), last in begun) == (4, last == "remount", True)


def test_each_repeat_makes_its_files_anew(tmp_path, monkeypatch):
    write, were_there = fileset._write, []

    def look(path: Path, content: bytes, *, direct: bool) -> None:
        were_there.append(path.exists())
        write(path, content, direct=direct)

    monkeypatch.setattr(fileset, "_write", look)
    [*fileset.run(FileWork("sync", 3, 4 * KIB), note(tmp_path)[0], seed=1)]
    assert were_there == [False] * 9


def note(tmp_path: Path) -> tuple[WorkDirectory, list[str]]:
    """Return a directory that records its calls of sync and remount, and the list of these calls."""
    calls: list[str] = []

    class Noting(WorkDirectory):
        def sync(self) -> None:
            calls.append("sync")

        def remount(self) -> None:
            calls.append("remount")

    return Noting(tmp_path, "sda", Sysfs(tmp_path / "none"), may_remount=True), calls


def test_a_file_system_of_others_is_not_mounted_again(tmp_path):
    place = WorkDirectory(tmp_path, "sda")
    fits = {
        name: fileset.is_possible(FileWork("sync", 3, KIB, sync=name), place, is_sync_mount=False)
        for name in WAYS
    }
    assert [name for name, can in fits.items() if can] == ["fsync_at_end", "fsync_each", "background"]
    own = WorkDirectory(tmp_path, "sda", may_remount=True)
    assert all(
        fileset.is_possible(FileWork("sync", 3, KIB, sync=name), own, is_sync_mount=True) for name in WAYS
    )


def test_a_file_system_that_refuses_is_an_error(tmp_path):
    place = WorkDirectory(tmp_path, "sda", may_remount=True)  # nothing is mounted here
    with pytest.raises(EngineError, match="mount -o remount"):
        [*fileset.run(FileWork("sync", 1, KIB, sync="remount_each"), place, seed=1)]


def test_files_are_read_again_from_memory(tmp_path):
    place = WorkDirectory(tmp_path, "sda", Sysfs(tmp_path / "none"))
    rows = [*fileset.run(FileWork("files", 5, KIB, repeats=1), place, seed=1)]
    reads = {row["parameters"]["io"] for row in rows if row["parameters"]["action"] == "read"}
    assert reads == {"buffered", "cached"}
    direct = [*fileset.run(FileWork("files", 5, 4 * KIB, is_direct=True, repeats=1), place, seed=1)]
    assert {row["parameters"]["io"] for row in direct} == {"direct"}


def test_files_grow_and_several_sizes_can_be_told():
    grown = [work.file_size_bytes for work in Choice("full").file_work if work.workload == "files"]
    assert grown == [KIB << power for power in (0, 2, 4, 6, 8, 10)] + [4 * KIB, 64 * KIB, MIB]
    told = Choice(workloads=("files",), file_count=7, file_sizes_bytes=(KIB, 8 * KIB))
    assert [(work.file_count, work.file_size_bytes, work.is_direct) for work in told.file_work] == [
        (7, KIB, False),
        (7, 8 * KIB, False),
        (7, 8 * KIB, True),
    ]


def test_threads_and_weights_can_be_told(tmp_path, monkeypatch):
    monkeypatch.setattr(fileset, "_MIXED_NS", 100_000_000)
    (work,) = Choice(workloads=("mixed",), threads=3, weights="create:1 read:9").file_work
    place = WorkDirectory(tmp_path, "sda", Sysfs(tmp_path / "none"))
    rows = [*fileset.run(work, place, seed=1)]
    parameters = rows[0]["parameters"]
    assert (parameters["threads"], parameters["weights"]) == (3, "create:1 read:9")


def test_more_threads_than_a_host_has_are_an_error(tmp_path, monkeypatch):
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(EngineError, match="can't start new thread"):
        run_work(tmp_path, FileWork("mixed", 5, KIB, threads=2))
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("words", ["read:1", "create:x", "create:1,fly:2", "create", "create:-1", ""])
def test_weights_that_nobody_can_follow_are_refused(cardbench, tmp_path, words):
    answer = cardbench("run", tmp_path, "--workload", "mixed", f"--weights={words}")
    assert (answer.returncode, "create:N" in answer.stderr) == (2, True)


def test_a_file_that_cannot_be_made_at_once_is_refused(cardbench, tmp_path):
    answer = cardbench("run", tmp_path, "--workload", "copy", "--file-count", 1, "--file-size", "256M")
    assert (answer.returncode, "less than 256M" in answer.stderr) == (2, True)


def test_count_and_size_can_be_told():
    choice = Choice(workloads=("files",), file_count=200_000, file_sizes_bytes=(KIB,))
    (work,) = choice.file_work  # 1 KiB cannot be written past the page cache
    assert (work.file_count, work.file_size_bytes, work.is_direct) == (200_000, KIB, False)
    assert choice.file_bytes == 16 * MIB


def test_on_the_command_line(cardbench, tmp_path):
    place = tmp_path / "card"
    place.mkdir()
    words = ("--workload", "files", "--workload", "copy", "--file-count", 30, "--file-size", "4K")
    answer = cardbench("run", place, *words, "-o", tmp_path / "r.json")
    assert answer.returncode == 0, answer.stderr
    understood, not_understood = normalize(parse((tmp_path / "r.json").read_bytes()), bus="SD")
    assert {measured.workload for measured in understood} == {"files", "copy"}
    assert not_understood == ()
    assert "files: create, direct" in cardbench("show", tmp_path / "r.json").stdout
    assert not [*place.iterdir()]


COMPARE = ("--even-if-fixed", "--workload", "files", "--file-count", 20, "--yes", "--confirm-size")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.usefixtures("mkfs_ext4")
def test_file_systems_are_compared(cardbench, loop_device, image, tmp_path):
    os.truncate(image, 3 * SIZE)
    subprocess.run(["losetup", "--set-capacity", loop_device], check=True)
    answer = cardbench(
        "compare-filesystems", loop_device, *COMPARE, 3 * SIZE, "-o", tmp_path / "r.json", "--condition", "used",
        "--filesystem", "ext2", "--filesystem", "ext4", "--filesystem", "vfat",
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    documents = {path.stem: json.loads(path.read_text()) for path in tmp_path.glob("r-ext*.json")}
    assert {name: document["host"]["filesystem"] for name, document in documents.items()} == {
        "r-ext2": "ext2",
        "r-ext4": "ext4",
    }
    assert all(document["card"]["condition"] == "used" for document in documents.values())
    table = answer.stdout.rpartition("              ext2")[2]
    assert "files: create, 20 files, file of 1 KiB, buffered" in table
    assert "ext2: blocks of 1 KiB, mounted with rw,relatime" in table
    assert str(loop_device) not in Path("/proc/mounts").read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize(
    ("words", "reason"),
    [(("none",), "Name at least one file system"), (("none", "xfs"), "None of xfs can be made here")],
)
def test_the_bare_card_alone_is_no_comparison(cardbench, loop_device, words, reason):
    chosen = [word for name in words for word in ("--filesystem", name)]
    answer = cardbench("compare-filesystems", loop_device, *chosen, PATH="/nowhere")
    assert (answer.returncode, reason in answer.stderr) == (2, True)


@pytest.mark.usefixtures("mkfs_ext4")
@pytest.mark.parametrize("words", [(), ("--even-if-fixed",), ("--even-if-fixed", "--yes")])
def test_no_file_system_is_made_without_consent(cardbench, loop_device, image, words):
    answer = cardbench("compare-filesystems", loop_device, *words)
    assert answer.returncode == (3 if os.geteuid() == 0 else 2)
    assert image.read_bytes() == bytes(SIZE)
