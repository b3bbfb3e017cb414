"""The output of `show` can be pasted into the site: every number is understood, and has the same meaning."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from cardbench.cli import show, verdict
from cardbench.cli.show import figure_lines
from cardbench.geometry import QUANTITIES
from cardbench.measuring import fileset
from cardbench.measuring.cells import FileWork
from cardbench.measuring.descriptions import SAID
from cardbench.measuring.session import Subject, measure_subject
from cardbench.measuring.suites import SUITES, WORKLOADS, Choice
from cardbench.sizes import KIB
from cardbench.target import simulated, target
from cardbench.target.surface import WorkDirectory
from cardbench.target.sysfs import Sysfs

from submissions.domain.errors import ReportError
from submissions.domain.intake import parameter_words
from submissions.domain.intake.compose import compose
from submissions.domain.intake.parsed import Parsed
from submissions.domain.intake.paste import read
from submissions.domain.intake.readers import cardbench
from submissions.domain.intake.text_parts import gather
from submissions.domain.intake.tools import TOOLS
from submissions.domain.measuring import units
from tests import corpus, truth

_TABLES = ("align", "open-au")  # their cells hold the middle value
_DIGITS = 1e-3  # four digits are printed, three by flashbench
_FLASHBENCH_DIGITS = 6e-3


def measure(choice: Choice) -> dict[str, Any]:
    """Return the report of these measurements of the simulated card."""
    described = Subject(simulated.identity(1), simulated.HOST, "simulated", choice)
    ready = target.open_simulated(simulated.SimulatedEngine(1))
    return measure_subject(described, ready, seed=1, quiet=True)[0]


def paste(document: dict[str, Any]) -> dict[str, Any]:
    """Return the report that the server makes from the page of a report; assert that every line is understood."""
    parsed = read(show.page(document))
    assert [line.text for line in parsed.not_understood] == []
    assert (parsed.questions, parsed.cases) == ((), ())
    return compose(parsed)


def values(document: dict[str, Any], *, without: tuple[str, ...] = ()) -> dict[Any, list[float]]:
    """Return all values of a report in base units, by workload, metric and parameters.

    For workloads that the page shows as a table, only the middle value is returned.
    """
    found: dict[Any, list[float]] = {}
    for row in document["measurements"]:
        if row["values"] and row["workload"] not in without:
            base = sorted(value * units.UNITS.get(row["unit"], ("", 1))[1] for value in row["values"])
            middle = [show.middle(row | {"values": base}).value] if row["workload"] in _TABLES else base
            name = row["workload"], row["metric"], json.dumps(row.get("parameters", {}), sort_keys=True)
            found.setdefault(name, []).extend(middle)
    return {name: sorted(numbers) for name, numbers in found.items()}


def approximate(expected: dict[Any, list[float]], digits: float) -> dict[Any, Any]:
    return {name: pytest.approx(numbers, rel=digits, abs=1) for name, numbers in expected.items()}


@pytest.mark.parametrize(
    ("device", "interface"), [("vda", "other"), ("sda", "other"), ("sda", "usb"), ("mmcblk0", "mmc")]
)
def test_what_was_measured_is_no_other_disk_when_pasted(device: str, interface: str) -> None:
    document = measure(Choice("quick"))
    document["host"] = document["host"] | {"device": device, "interface": interface}
    host = paste(document)["host"]
    assert (host["device"], host["interface"]) == (device, interface)


@pytest.mark.parametrize("suite", sorted(SUITES))
def test_it_works(suite: str) -> None:
    document = measure(Choice(suite))
    again = paste(document)
    digits = _FLASHBENCH_DIGITS if suite == "flashbench" else _DIGITS
    # The page omits the rows of scatter, which are meant for a plot, and says how many there are.
    assert values(again) == approximate(values(document, without=("scatter",)), digits)
    assert again["simulated"]
    assert again["card"]["size_bytes"] == document["card"]["size_bytes"]
    assert again["run"]["target"] == "simulated"


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_workload(workload: str, tmp_path: Any) -> None:
    document = measure(Choice(workloads=(workload,)))
    if workload in fileset.WORKLOADS:
        place = WorkDirectory(tmp_path, "sda", Sysfs(tmp_path / "none"))
        work = FileWork(workload, 5, 4 * KIB, threads=2, repeats=1)
        document["measurements"] += fileset.run(work, place, seed=1)
    assert values(paste(document)) == approximate(values(document), _DIGITS)


def texts() -> Iterator[tuple[str, Parsed]]:
    for path in corpus.files(corpus.LOGS):
        yield path.name, corpus.load(path)
    for sample in truth.samples(corpus.LOGS):
        yield sample.source, read(sample.text)


def reports() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, parsed in texts():
        for part in gather(parsed, {}):
            try:
                document = compose(part.parsed)
            except ReportError:
                continue
            if document["measurements"]:
                yield f"{name}:{part.line}", document


@pytest.mark.parametrize(
    ("name", "document"), reports(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_reports_of_other_tools(name: str, document: dict[str, Any]) -> None:
    again = paste(document)
    assert values(again) == approximate(values(document), _DIGITS), name
    assert Counter(row["workload"] for row in again["measurements"]).keys() >= {
        row["workload"] for row in document["measurements"] if row["values"]
    }


def test_where_it_was_measured_is_read_back() -> None:
    document = measure(Choice("quick"))
    document["host"] |= {
        "board": "Raspberry Pi 5 Model B Rev 1.0",
        "kernel": "6.12.47",
        "filesystem": "ext4",
        "filesystem_block_bytes": 1024,
        "mount_options": "rw,relatime,sync",
    }
    document["run"]["target"] = "directory"
    again = paste(document)
    assert again["host"] == {
        name: document["host"][name]
        for name in ("board", "kernel", "filesystem", "filesystem_block_bytes", "mount_options")
    }
    assert again["run"]["target"] == "directory"


def test_what_a_run_prints_in_short() -> None:
    document = measure(Choice("standard"))
    document["extra"]["not_run"] = ["random read, 1 MiB"]
    document["run"]["doubts"] = ["the host was busy before the run (load 1.82 on 2 processors)"]
    parsed = read(show.result(document, everything=False))
    assert [line.text for line in parsed.not_understood] == []
    again = values(compose(parsed))
    assert {workload for workload, *_ in again} == {"stream", "geometry"}
    for stick in verdict.YARDSTICKS:
        found = [
            numbers
            for (*_, what), numbers in again.items()
            if stick.order in what and stick.direction in what
        ]
        assert found == [[pytest.approx(stick.value(document), rel=_DIGITS)]]


def test_what_fails_is_read_back() -> None:
    failed = {"code": "EIO", "detail": "read at byte 4096 failed"}
    row = {"workload": "stream", "metric": "iops", "unit": "1/s", "values": [], "failure": failed}
    pattern = {"direction": "read", "order": "random", "block_size_bytes": 4096}
    assert read(show.page({"measurements": [row | {"parameters": pattern}]})).not_understood == ()


def test_the_whole_result_of_a_run() -> None:
    document = measure(Choice("standard"))
    parsed = read(show.result(document, everything=True))
    assert [line.text for line in parsed.not_understood] == []
    assert values(compose(parsed)) == approximate(values(document), _DIGITS)


def test_more_repeats_than_fit_into_a_line() -> None:
    row = {"workload": "stream", "metric": "iops", "unit": "1/s", "values": [float(n) for n in range(1, 51)]}
    pattern = {"direction": "read", "order": "random", "block_size_bytes": 4096}
    assert values(paste({"measurements": [row | {"parameters": pattern}]})) == values(
        {"measurements": [row | {"parameters": pattern}]}
    )


@pytest.mark.parametrize(
    "line", ["  sequential read, 7 elephants     42 MB/s", "  somehow                 42 MB/s"]
)
def test_a_row_that_says_something_else_is_left_over(line: str) -> None:
    parsed = read(f"How fast – median (and each repeat)\n────────\n{line}\n")
    assert parsed.figures == ()
    assert [rest.text for rest in parsed.not_understood] == [line]


def test_the_output_of_another_tool_below_a_page_is_its_own() -> None:
    page = show.page(measure(Choice("quick")))
    fio = next(tool.example for tool in TOOLS if tool.name == "fio").partition("\n")[2]  # without its command
    parsed = read(page + fio)
    assert {figure.tool for figure in parsed.figures} == {"cardbench", "fio"}
    noise = read(f"{page}Some words\n  holds 32 songs\n")
    assert [rest.text for rest in noise.not_understood] == ["  holds 32 songs"]


def test_a_title_alone_is_nobody_in_particular() -> None:
    parsed = read("The card\n  holds 32 songs\n")
    assert [rest.text for rest in parsed.not_understood] == ["  holds 32 songs"]


@pytest.mark.parametrize(
    ("title", "line", "rates"),
    [
        ("How fast", "sequential read, 1 MiB  12 MB/s  (5MiB, 6MiB; spread 3 %)", []),
        ("How fast", "sequential read, 1 MiB  12 MB/s  (twelve, 13; spread 3 %)", [12]),
        ("How fast", "sequential read, 1 MiB  12 MB/s\n  and 5, six", [12]),
        ("The card", "in blocks of whatever it is", []),
        ("The card", "in blocks of 5 XB", []),
        ("The cost of crossing a boundary", "5 iB  5 us  5 us  5 us  5 us", []),
    ],
)
def test_what_only_looks_like_a_number_is_left_aside(title: str, line: str, rates: list[float]) -> None:
    parsed = read(f"{title}\n{'─' * 20}\n  {line}\n")
    assert [figure.value for figure in parsed.figures] == rates
    assert not parsed.facts


def test_both_sides_have_the_same_words() -> None:
    assert parameter_words.SAID == SAID
    assert [stick.title for stick in verdict.YARDSTICKS] == [*cardbench.IN_SHORT]
    assert {words: metric for metric, words in figure_lines.DETAILS.items()} == cardbench.METRICS
    assert {quantity.title: quantity.metric for quantity in QUANTITIES} == cardbench.QUANTITIES


# Words of the page, and those of an older version of the client in their place.
_RENAMED = (
    ("A simulated card, for trying things out", "A simulated card: invented, to try things out"),
    ("What the card is made of", "What it is made of"),
    ("How much the card holds", "How much it holds"),
    ("How many units can be open at once", "How many places can be written in turn"),
    ("The cost of crossing a boundary", "What a boundary costs"),
    ("Incomplete or missing, and why", "Cut short or missing, and why"),
    ("Sequential reads", "Reading in order"),
    ("Sequential writes", "Writing in order"),
    ("Random reads", "Reading here and there"),
    ("Random writes", "Writing here and there"),
    (" median  ", " half within  "),
    (" most frequent  ", " most often  "),
    ("1 sequential  ", "1 in order  "),
    ("1 random  ", "1 at random  "),
    (
        "This card failed 2 times. The first error was: ",
        "This card fails with errors: 2 times, the first being: ",
    ),
    ("This card failed 2 times. The first error was: ", "This card gives errors: 2 times, first: "),
)


@cache
def write_page() -> str:
    document = measure(Choice("full"))
    failure = {"code": "EIO", "detail": "read at byte 4096 failed"}
    failed = {"workload": "stream", "metric": "iops", "unit": "1/s", "values": [], "parameters": {}}
    real = {"workload": "capacity", "metric": "real_capacity", "unit": "B", "values": [4e9], "parameters": {}}
    document["measurements"] += [failed | {"failure": failure}] * 2 + [real]
    return show.page(document)


def list_meanings(parsed: Parsed) -> list[tuple[object, ...]]:
    facts = [(fact.name, fact.value) for fact in parsed.facts]
    return [*facts, *((row.workload, row.metric, row.value, row.parameters) for row in parsed.figures)]


@pytest.mark.parametrize(("new", "old"), _RENAMED)
def test_pages_of_older_versions_are_read(new: str, old: str) -> None:
    page = write_page()
    assert new in page
    parsed = read(page.replace(new, old))
    assert [line.text for line in parsed.not_understood] == []
    assert list_meanings(parsed) == list_meanings(read(page))


@pytest.mark.parametrize(("new", "old"), _RENAMED[6:10])
def test_the_summary_of_an_older_version_is_read(new: str, old: str) -> None:
    _, _, summary = write_page().partition("In short\n")
    summary = f"In short\n{summary.partition(chr(10) * 2)[0]}\n"
    assert new in summary
    assert list_meanings(read(summary.replace(new, old))) == list_meanings(read(summary)) != []
