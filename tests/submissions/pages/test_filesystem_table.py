"""A table compares a card through several file systems, with a column for each way to make and mount one."""

from typing import Any

import pytest
from django.test import Client

from submissions.models import Card, Run
from submissions.pages.content.filesystem_table import compare_filesystems
from submissions.writing import ingest
from tests.factories import body, stream

pytestmark = pytest.mark.django_db
MIB = 1024**2
EXT2: dict[str, Any] = {"filesystem": "ext2", "filesystem_block_bytes": 1024, "mount_options": "rw,sync"}


def measure(target: str, rate: float, *, span: int = 256, **host: Any) -> None:
    """Store a run of the same card in a device or directory."""
    pattern = {"direction": "write", "order": "sequential", "block_size_bytes": MIB, "span_bytes": span * MIB}
    file = {"file_size_bytes": 256 * MIB} if target == "directory" else {}
    run = {"suite": "quick", "tool": "cardbench", "target": target}
    row = stream("throughput", "MB/s", [rate], **pattern, **file)
    receipt = ingest.receive(body(measurements=[row], host=host, run=run), channel="api", submitter="anybody")
    ingest.process(receipt.submission.pk)


def runs() -> list[Run]:
    return list(Run.objects.of_card(Card.objects.get()))


def test_it_works(client: Client) -> None:
    measure("device", 12)
    measure("directory", 10, **EXT2)
    measure("directory", 11, **EXT2 | {"filesystem_block_bytes": 4096})
    table = compare_filesystems(runs())
    assert table is not None
    columns = ("no file system", "ext2, blocks of 1 KiB, rw,sync", "ext2, blocks of 4 KiB, rw,sync")
    assert table.columns == columns
    ((words, cells),) = table.rows
    assert words == "Sequential write, 1 MiB: Throughput"
    assert [[one.value for one in cell] for cell in cells] == [[12e6], [10e6], [11e6]]
    page = client.get(Card.objects.get().get_absolute_url()).content.decode()
    assert "Results through each file system" in page
    assert all(column in page for column in columns)


def test_one_file_system_is_not_compared() -> None:
    measure("directory", 10, **EXT2)
    measure("directory", 11, **EXT2)
    assert compare_filesystems(runs()) is None


def test_two_ways_to_a_bare_card_are_not_compared() -> None:
    measure("device", 10)
    measure("file", 11)
    assert compare_filesystems(runs()) is None


def test_a_file_of_its_own_is_another_test() -> None:
    measure("device", 12)
    measure("directory", 10, span=1024, **EXT2)
    assert compare_filesystems(runs()) is None


def test_small_files_keep_the_size_that_names_their_test(client: Client) -> None:
    """A report may also state the range of the device that the files occupied."""
    size = {"file_size_bytes": MIB, "span_bytes": MIB}
    row: dict[str, Any] = {"workload": "files", "metric": "iops", "unit": "1/s", "values": [20]}
    row |= {"parameters": {"action": "create", "file_count": 100} | size}
    for host in (EXT2, EXT2 | {"filesystem": "ext4"}):
        receipt = ingest.receive(body(measurements=[row], host=host), channel="api", submitter="anybody")
        ingest.process(receipt.submission.pk)
    table = compare_filesystems(runs())
    assert table is not None
    assert [words for words, _ in table.rows] == [
        "Many small files: 100 of 1 MiB, create: Operations per second"
    ]
    assert client.get(Card.objects.get().get_absolute_url()).status_code == 200
