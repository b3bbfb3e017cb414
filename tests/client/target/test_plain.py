"""Files are checked without the engine: written data is found again, and an error of the system ends no check."""

import errno
import io
from pathlib import Path

import pytest
from cardbench.errors import UsageError
from cardbench.measuring import checkup, diagnosis
from cardbench.target.engine import EngineError
from cardbench.target.plain import PlainDevice, open_plain

KIB, MIB = 1024, 1024**2


class Failing(io.FileIO):
    """A file that gives errors between 4 and 5 MiB."""

    def read(self, size: int | None = -1, /) -> bytes:
        if 4 * MIB <= self.tell() < 5 * MIB:
            raise OSError(errno.EIO, "Input/output error")
        return super().read(size) or b""


def test_it_works(image: Path) -> None:
    with image.open("r+b", buffering=0) as file:
        device = PlainDevice(file)
        assert len(device.write(8 * KIB, [0, MIB], seed=5)) == 2
        assert device.check(8 * KIB, [0, MIB, 2 * MIB], seed=5) == [0, MIB, None]
        assert device.check(8 * KIB, [0], seed=6) == [None]
        assert device.sums(4 * KIB, [0]) != device.sums(4 * KIB, [MIB])


def test_an_error_of_the_system_is_one_of_the_card(image: Path) -> None:
    device = PlainDevice(Failing(str(image)))
    with pytest.raises(EngineError) as failed:
        device.sums(4 * KIB, [4 * MIB])
    assert failed.value.code == "EIO"
    with open_plain(image, may_write=False) as ready:
        evidence = checkup.check(device, ready.surface, seed=1, budget_s=20)
    assert diagnosis.judge(evidence).kind == "errors"
    assert evidence.bad_areas == [[4 * MIB, MIB]]


def test_a_small_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small"
    path.write_bytes(bytes(MIB))
    with pytest.raises(UsageError, match="too small"), open_plain(path, may_write=False):
        pass
