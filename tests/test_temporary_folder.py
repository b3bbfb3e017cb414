"""Temporary files of tests are in memory if it has room and direct I/O, else on the disk, or where TMPDIR says."""

import errno
import os
import tempfile
from pathlib import Path

import pytest

from tests import temporary_folder

DISK = Path(tempfile.gettempdir())


@pytest.fixture(autouse=True)
def nobody_has_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(temporary_folder, "ROOM_BYTES", 1)


def test_it_works(tmp_path: Path) -> None:
    assert temporary_folder.choose(tmp_path) == tmp_path
    assert not list(tmp_path.iterdir())


def test_memory_without_room_or_none_at_all_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert temporary_folder.choose(tmp_path / "nowhere") == DISK
    monkeypatch.setattr(temporary_folder, "ROOM_BYTES", 1 << 60)
    assert temporary_folder.choose(tmp_path) == DISK


def test_who_sets_tmpdir_has_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", "/elsewhere")
    assert temporary_folder.choose(tmp_path) == DISK


def test_memory_that_takes_no_direct_io_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened = os.open

    def refuse(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_DIRECT:
            raise OSError(errno.EINVAL, "as Linux 6.1 does")
        return opened(path, flags, mode)

    with monkeypatch.context() as patched:  # and pytest opens folders with more arguments when it clears up
        patched.setattr(os, "open", refuse)
        assert temporary_folder.choose(tmp_path) == DISK
