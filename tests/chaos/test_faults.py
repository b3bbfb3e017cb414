"""A site survives faults without loss; this is a short run of `make chaos`."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from submissions.sql import locks
from tests.chaos import rounds
from tests.chaos.load import Load, report
from tests.chaos.rounds import run
from tests.chaos.stack import live_site

DISK_BYTES = 160 * 2**20


def test_nothing_is_lost_and_nothing_doubled() -> None:
    outcome = run(3, seed=1)
    assert outcome.inflicted.total() == 3
    assert outcome.accepted > 3


def test_a_build_that_skips_judgings_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKIP_JUDGINGS", "3")
    with pytest.raises(AssertionError, match="as the workers left them"):
        run(0, seed=1)


def test_the_lock_is_that_of_full_fits() -> None:
    assert rounds.REFIT_LOCK == locks.REFIT_LOCK


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """Mount a small file system for the database that the servers' account can write to; yield its folder."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    folder = Path(tempfile.mkdtemp(prefix="flashdb-disk-"))
    folder.chmod(0o755)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("this machine does not let root mount")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
    folder.rmdir()


def test_a_full_disk_refuses_for_a_while_and_loses_nothing(small_disk: Path) -> None:
    with live_site(random=Random(1), disk=small_disk) as stack:
        load = Load(stack.url, seed=1)
        load.hand_in(1, report(1))
        _fill(small_disk / "ballast")
        with load:
            stack.eventually(lambda: load.turned_away, "it is full")
            (small_disk / "ballast").unlink()
            accepted = len(load.receipts)
            stack.eventually(lambda: len(load.receipts) > accepted, "submissions are accepted again")
        stack.eventually(lambda: stack.count("state = 'received'") == 0, "everything is worked out")
        assert stack.count("state = 'processed'") == len(load.receipts) + len(load.texts)


def _fill(file: Path) -> None:
    with suppress(OSError), file.open("wb", buffering=0) as ballast:
        while True:
            ballast.write(b"\0" * 2**16)
