"""Measurements are arranged in tables, and no table mixes values that cannot be compared."""

from typing import Any

import pytest

from submissions.domain.measuring.metrics import WORKLOADS
from submissions.models import Measurement
from submissions.pages.content.figure_tables import ARRANGEMENTS, Table, describe_measurement, tables

KIB, MIB = 1024, 1024**2


def measurement(workload: str, metric: str, value: float = 1.0, **parameters: Any) -> Measurement:
    """Return a measurement that is not stored in the database."""
    return Measurement(
        workload=workload, metric=metric, parameters=parameters, value=value, repeats=[value], verdict="ok"
    )


def stream(
    metric: str = "throughput", block: int = MIB, value: float = 1.0, **parameters: Any
) -> Measurement:
    pattern: dict[str, Any] = {
        "direction": "read",
        "order": "sequential",
        "block_size_bytes": block,
        "io": "direct",
    }
    return measurement("stream", metric, value, **pattern | parameters)


def open_au(count: int, block: int, **parameters: Any) -> Measurement:
    pattern: dict[str, Any] = {
        "order": "sequential",
        "block_size_bytes": block,
        "open_au": count,
        "io": "direct",
        "sync": "osync",
    }
    return measurement("open-au", "throughput", **pattern | parameters)


def titles(*measurements: Measurement) -> list[str]:
    return [table.title for table in tables(measurements)]


def values(table: Table) -> list[tuple[str, list[list[float | None]]]]:
    return [(heading, [[one.value for one in cell] for cell in cells]) for heading, cells in table.rows]


def test_it_works() -> None:
    """The table of flashbench --open-au has block sizes as rows and numbers of open AUs as columns."""
    (table,) = tables([open_au(1, 4 * MIB), open_au(1, 2 * MIB), open_au(2, 4 * MIB), open_au(2, 2 * MIB)])

    assert table.title == "Writing into several AUs in turn, linear (O_SYNC)"
    assert (table.corner, table.columns) == ("Block size", ("1 open", "2 open"))
    assert values(table) == [("4 MiB", [[1.0], [1.0]]), ("2 MiB", [[1.0], [1.0]])]


def test_no_measurements_are_no_tables() -> None:
    assert tables([]) == []


def test_rows_run_from_large_to_small_however_they_come() -> None:
    (table,) = tables([stream(block=block) for block in (512, 4 * MIB, 16 * KIB, 1536)])
    assert [heading for heading, _ in table.rows] == ["4 MiB", "16 KiB", "1.5 KiB", "512 bytes"]


def test_columns_stand_as_they_come() -> None:
    (table,) = tables([stream("latency_p99"), stream("throughput"), stream("latency_p99", block=KIB)])
    assert table.columns == ("Latency, 99th percentile", "Throughput")


def test_what_was_not_measured_is_an_empty_cell() -> None:
    (table,) = tables([open_au(1, 2 * MIB), open_au(2, MIB)])
    assert values(table) == [("2 MiB", [[1.0], []]), ("1 MiB", [[], [1.0]])]


def test_the_same_measured_twice_shares_a_cell() -> None:
    (table,) = tables([stream(value=1.0), stream(value=2.0)])
    assert values(table) == [("1 MiB", [[1.0, 2.0]])]


def test_tables_stand_in_the_order_of_measuring() -> None:
    assert titles(stream(order="random"), stream(), stream(direction="write"), stream(order="random")) == [
        "Random read",
        "Sequential read",
        "Sequential write",
    ]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "Sequential read"),
        ({"queue_depth": 1, "sync": "none"}, "Sequential read"),
        ({"io": "buffered"}, "Sequential read (buffered)"),
        ({"queue_depth": 32}, "Sequential read (queue depth 32)"),
        ({"sync": "fsync_at_end"}, "Sequential read (final fsync)"),
        ({"sync": "fsync_each"}, "Sequential read (fsync after each write or file)"),
        ({"sync": "dsync"}, "Sequential read (O_DSYNC)"),
        ({"sync": "osync"}, "Sequential read (O_SYNC)"),
        ({"sync": "remount_each"}, "Sequential read (remounted after each file)"),
        ({"span_bytes": 256 * MIB, "data": "random"}, "Sequential read (within 256 MiB, random data)"),
        ({"file_size_bytes": 10 * MIB}, "Sequential read (file of 10 MiB)"),
        (
            {"io": "buffered", "queue_depth": 2, "sync": "osync"},
            "Sequential read (buffered, queue depth 2, O_SYNC)",
        ),
    ],
)
def test_the_title_says_what_forbids_comparing(parameters: dict[str, Any], words: str) -> None:
    assert titles(stream(**parameters)) == [words]


@pytest.mark.parametrize("change", [{"io": "buffered"}, {"queue_depth": 32}, {"sync": "fsync_each"}])
def test_what_must_not_be_compared_stands_in_tables_of_its_own(change: dict[str, Any]) -> None:
    fat: dict[str, Any] = {"block_size_bytes": KIB, "erase_block_index": 0, "sync": "none"}
    align: dict[str, Any] = {"block_size_bytes": KIB, "align_bytes": MIB}
    assert len(tables([stream(), stream(**change)])) == 2
    assert len(tables([open_au(1, MIB), open_au(1, MIB, **change)])) == 2
    assert len(tables([measurement("fat", "iops", **fat | also) for also in ({}, change)])) == 2
    assert len(tables([measurement("align", "align_on", **align | also) for also in ({}, change)])) == 2


def test_boundaries_are_arranged_as_flashbench_does() -> None:
    rows = [
        measurement("align", metric, value, block_size_bytes=1024, align_bytes=boundary)
        for boundary, times in ((8 * MIB, (219.0, 35.0)), (4 * MIB, (36.0, 34.0)))
        for metric, value in zip(("align_on", "align_diff"), times, strict=True)
    ]
    (table,) = tables(rows)

    assert (table.title, table.corner) == ("Reads of 1 KiB around boundaries", "Boundary")
    assert table.columns == ("Read across the boundary", "Cost of crossing the boundary")
    assert values(table) == [("8 MiB", [[219.0], [35.0]]), ("4 MiB", [[36.0], [34.0]])]


def test_open_aus_written_at_random_stand_apart() -> None:
    assert titles(open_au(1, MIB), open_au(1, MIB, order="random"))[1] == (
        "Writing into several AUs in turn, random (O_SYNC)"
    )


def test_the_first_erase_blocks_stand_side_by_side() -> None:
    fat = [
        measurement("fat", "throughput", block_size_bytes=MIB, erase_block_index=index) for index in (0, 5)
    ]
    (table,) = tables(fat)
    assert (table.title, table.columns) == ("Writing the first erase blocks", ("Block 0", "Block 5"))


def test_geometry_is_one_row_without_a_heading() -> None:
    (table,) = tables([measurement("geometry", name, 3.0) for name in ("erase_block_size", "open_au_linear")])
    assert (table.corner, table.columns) == ("", ("Erase block, estimated", "Open AUs, linear"))
    assert values(table) == [("", [[3.0], [3.0]])]


def test_every_workload_has_its_arrangement() -> None:
    assert list(ARRANGEMENTS) == list(WORKLOADS)


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=lambda workload: workload.name)
def test_what_a_workload_must_state_is_enough_for_its_table(workload: Any) -> None:
    words: dict[str, Any] = {"direction": "read", "order": "random"}
    stated: dict[str, Any] = {name: words.get(name, 1) for name in workload.required}
    (table,) = tables([measurement(workload.name, metric, **stated) for metric in workload.metrics])
    assert table.title
    assert sum(len(cell) for _, cells in table.rows for cell in cells) == len(workload.metrics)


def test_ways_to_sync_stand_below_each_other_in_one_table() -> None:
    ways = ("none", "fsync_each", "sync_mount")
    rows = [measurement("sync", "throughput", block_size_bytes=MIB, sync=sync) for sync in ways]
    (table,) = tables(rows)
    assert table.title == "Synchronous writing, 1 MiB"
    assert [words for words, _ in table.rows] == [
        "not synchronous",
        "fsync after each write or file",
        "mounted with sync",
    ]


def test_small_files_have_a_row_for_each_action() -> None:
    rows = [
        measurement("files", "iops", action=action, file_count=2000, file_size_bytes=1024)
        for action in ("create", "read", "delete")
    ]
    (table,) = tables(rows)
    assert table.title == "Many small files: 2,000 of 1 KiB"
    assert [words for words, _ in table.rows] == ["create", "read", "delete"]


def test_what_nobody_foresaw_stands_in_a_row_of_its_own() -> None:
    rows = [
        measurement("files", "iops", action=action, file_count=1, file_size_bytes=1024)
        for action in ("create", "defragment")
    ]
    (table,) = tables(rows)
    assert [words for words, _ in table.rows] == ["other", "create"]
    syncs = [
        measurement("sync", "throughput", block_size_bytes=MIB, sync=sync) for sync in ("osync", "sometimes")
    ]
    (table,) = tables(syncs)
    assert [words for words, _ in table.rows] == ["not synchronous", "O_SYNC"]


@pytest.mark.parametrize(
    ("workload", "metric", "stated", "words"),
    [
        ("fill", "throughput", {"direction": "write"}, "Writing the whole card: Throughput"),
        ("fill", "throughput", {"direction": "read"}, "Reading the whole card: Throughput"),
        ("rewrite", "throughput", {"block_size_bytes": MIB}, "Writing the same file again, 1 MiB: Throughput"),
        ("reread", "throughput", {"block_size_bytes": MIB}, "Reading the same file again, 1 MiB: Throughput"),
        ("transfer", "throughput", {"direction": "read"}, "Read, block size not stated: Throughput"),
        ("filesystem", "throughput", {"action": "copy"}, "Copy, by the file system: Throughput"),
        ("chore", "duration", {"action": "boot"}, "Boot: what a person waits for: Duration"),
        (
            "sustained",
            "throughput",
            {"direction": "write", "block_size_bytes": MIB},
            "Write without a pause, 1 MiB: Throughput",
        ),
        (
            "chunk",
            "throughput",
            {"direction": "write", "block_size_bytes": MIB},
            "Write chunks at random places, 1 MiB: Throughput",
        ),
        ("mixed", "iops", {"threads": 4}, "Creating, appending, reading and deleting in turn, 4 threads: "),
        ("mixed", "throughput", {"threads": 1, "direction": "read"},
         "Creating, appending, reading and deleting in turn (what was read), 1 thread: "),
        ("copy", "throughput", {"file_count": 7}, "Copying a directory, 7 files: Throughput"),
        ("capacity", "real_capacity", {"capacity_kind": "good"}, "Capacity, tested: good: "),
        ("capacity", "real_capacity", {}, "Capacity, tested: kind not known: "),
        ("open-au", "throughput", {"order": "random", "block_size_bytes": MIB, "open_au": 3},
         "Writing into several AUs in turn, random, 1 MiB: 3 open"),
        ("fat", "throughput", {"block_size_bytes": MIB, "erase_block_index": 2},
         "Writing the first erase blocks, 1 MiB: Block 2"),
    ],
)  # fmt: skip
def test_a_measurement_is_named_by_its_place(
    workload: str, metric: str, stated: dict[str, Any], words: str
) -> None:
    assert describe_measurement(measurement(workload, metric, **stated)).startswith(words)
