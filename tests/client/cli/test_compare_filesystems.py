"""A card that cannot be unmounted keeps its files: nothing is removed below a mount point."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cardbench.cli import compare
from cardbench.errors import DeviceError

EXT4 = compare.FileSystem("ext4")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a folder of programs that come before those of the system, with a `mount` that does nothing."""
    folder = tmp_path / "bin"
    folder.mkdir()
    write_program(folder / "mount", "exit 0")
    monkeypatch.setitem(compare._ENVIRONMENT, "PATH", str(folder))
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(compare.tempfile, "tempdir", str(tmp_path))
    yield folder


def write_program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_it_works(programs: Path) -> None:
    write_program(programs / "umount", "exit 0")
    with compare.mount_new(Path("/dev/sdx1"), EXT4) as directory:
        assert directory.is_dir()
    assert not directory.exists()


def test_what_cannot_be_unmounted_stays(programs: Path) -> None:
    write_program(programs / "umount", 'echo "umount: target is busy." >&2; exit 32')
    told = r"/dev/sdx1 is still mounted on .*: umount: target is busy"
    with pytest.raises(DeviceError, match=told), compare.mount_new(Path("/dev/sdx1"), EXT4) as directory:
        (directory / "photo.jpg").write_text("of the card")
    assert (directory / "photo.jpg").read_text() == "of the card"


def test_a_real_mount_that_is_in_use_stays(loop: Path, mkfs_ext4) -> None:
    mkfs_ext4(loop)
    try:
        with pytest.raises(DeviceError, match="busy"), compare.mount_new(Path(loop), EXT4) as directory:
            kept = (directory / "photo.jpg").open("w")
    except compare.NotHere as reason:
        pytest.skip(str(reason))
    kept.close()
    assert (directory / "photo.jpg").exists()
    subprocess.run(["umount", directory], check=True)
    directory.rmdir()
