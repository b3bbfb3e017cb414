"""Report, API and page contain the same: every parameter of every measurement, and all facts about the host."""

import html
import re
from typing import Any

import pytest
from cardbench.measuring.suites import Choice
from django.test import Client

from submissions.domain.measuring import units
from submissions.domain.measuring.metrics import METRICS, WORKLOADS, Workload
from submissions.writing import ingest
from tests.client.cli.test_pages_read_back import measure
from tests.client.measuring.test_fileset import measure_files
from tests.factories import body, specimen

pytestmark = pytest.mark.django_db
MIB = 1024**2
SIZE = 3_904_897_024
# Parameter -> a value that no other parameter has, and its words on the page.
TOLD: dict[str, tuple[Any, str]] = {
    "block_size_bytes": (48 * 1024, "48 KiB"),
    "queue_depth": (7, "queue depth 7"),
    "io": ("buffered", "buffered"),
    "sync": ("remount_each", "remounted after each"),
    "span_bytes": (67 * MIB, "within 67 MiB"),
    "file_size_bytes": (59 * MIB, "59 MiB"),
    "open_au": (5, "5 open"),
    "erase_size_bytes": (3 * MIB, "AUs of 3 MiB"),
    "align_bytes": (11 * MIB, "11 MiB"),
    "offset_bytes": (13 * MIB, "13 MiB"),
    "erase_block_index": (17, "Block 17"),
    "data": ("constant", "one pattern"),
    "command_queue": (True, "command queue on"),
    "file_count": (4321, "4,321"),
    "threads": (9, "9 threads"),
    "weights": ("create:4 read:2", "create:4 read:2"),
    "variant": ("SECURE ERASE", "SECURE ERASE"),
}
# Parameters that are words and part of the name of a measurement.
NAMED: dict[str, Any] = {
    "direction": "write",
    "order": "random",
    "action": "create",
    "capacity_kind": "limbo",
}
HOST: dict[str, Any] = {
    "filesystem": "ext2",
    "filesystem_block_bytes": 1024,
    "mount_options": "rw,relatime,sync",
    "scheduler": "mq-deadline",
    "memory_bytes": 4_022_886_400,
    "bus_mode": {"name": "DDR50", "signal_voltage_mv": 1800},
}
BEFORE: dict[str, Any] = {
    "load_average": 0.25,
    "processors": 4,
    "governor": "ondemand",
    "cpu_clock_hz": 1_500_000_000,
    "temperature_celsius": 55.5,
}


def send(client: Client, **changes: Any) -> tuple[dict[str, Any], str]:
    """Send and process a report; return its run from the API, and the text of its page."""
    receipt = ingest.receive(body(**{"card": specimen(1)} | changes), channel="api", submitter="anybody")
    ingest.process(receipt.submission.pk)
    receipt.submission.refresh_from_db()
    assert receipt.submission.not_understood == []
    name = receipt.submission.public_id
    page = client.get(f"/runs/{name}/").content.decode()
    words = html.unescape(re.sub(r"<[^>]+>", " ", page))
    return client.get(f"/api/v1/runs/{name}/").json(), re.sub(r"\s+", " ", words)


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=lambda workload: workload.name)
def test_it_works(client: Client, workload: Workload) -> None:
    parameters = NAMED | {name: value for name, (value, _) in TOLD.items()}
    metric = METRICS[workload.metrics[0]]
    sent = {"workload": workload.name, "metric": metric.name, "unit": metric.base_unit, "values": [5.0]}
    run, page = send(client, measurements=[sent | {"parameters": parameters}])
    assert run["measurements"][0]["parameters"] == parameters
    if workload.name == "geometry":
        return  # the page has a table of inferred values
    implied = {"span_bytes"} if parameters["file_size_bytes"] == parameters["span_bytes"] else set()
    for name in TOLD.keys() - implied:
        assert TOLD[name][1] in page, name


def test_where_it_was_measured(client: Client) -> None:
    ran = {"suite": "quick", "tool": "cardbench", "before": BEFORE, "after": BEFORE | {"throttled": True}}
    card = specimen(1, size_bytes=SIZE, preferred_erase_size_bytes=4 * MIB)
    run, page = send(client, card=card, host=HOST, run=ran | {"doubts": ["the host was busy"]})
    assert "3.90 GB (3,904,897,024 bytes) = 2^22 × 7^2 × 19" in page
    assert "DDR50, 1.8 V" in page
    told = {name: value for name, value in HOST.items() if name not in ("filesystem", "bus_mode")}
    told |= {"size_bytes": SIZE, "preferred_erase_size_bytes": 4 * MIB, "signal_voltage_mv": 1800}
    assert run["filesystem"] == "ext2"
    assert run["circumstances"] == told | {"before": ran["before"], "after": ran["after"]}
    assert run["doubts"] == ["the host was busy"]
    for words in (
        "ext2, blocks of 1 KiB, mounted with rw,relatime,sync",
        "mq-deadline",
        "4,022,886,400 bytes",
    ):
        assert words in page
    assert "load 0.25, 4 processors, governor ondemand, 1,500 MHz, 55.5 °C" in page
    assert "55.5 °C, throttled" in page
    assert "the host was busy" in page


def test_what_is_not_told_is_not_there(client: Client) -> None:
    run, page = send(client)
    assert run["circumstances"] == {"size_bytes": SIZE}
    assert "blocks of" not in page
    assert "State of the host before the run" not in page


def test_a_host_that_was_not_throttled_is_not_worth_a_word(client: Client) -> None:
    run, page = send(client, run={"suite": "quick", "tool": "cardbench", "before": {"throttled": False}})
    assert run["circumstances"]["before"] == {"throttled": False}
    assert "State of the host before the run" not in page


@pytest.mark.parametrize("suite", ["full", "flashbench"])
def test_a_report_of_the_client(client: Client, suite: str, tmp_path: Any) -> None:
    document = measure(Choice(suite))
    document["measurements"] += measure_files(tmp_path)
    run, page = send(
        client, **{name: document[name] for name in ("measurements", "run", "host", "simulated")}
    )
    sent = [(row, row["unit"]) for row in document["measurements"]]
    for (row, unit), served in zip(sent, run["measurements"], strict=True):
        assert served["parameters"] == row["parameters"]
        assert served["repeats"] == pytest.approx([value * units.UNITS[unit][1] for value in row["values"]])
        assert served["operations"] == row.get("operations")
    assert ("Reads of the first blocks, 16 KiB each" in page) == (suite == "flashbench")
