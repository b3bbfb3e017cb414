"""Run tests in a forked process, which has already imported the slow packages."""

import hashlib
import importlib
import os
import signal
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import NoReturn

import coverage
import hypothesis
import msgspec
import pytest

# One failing example is enough: to search for the smallest one takes minutes.
_PHASES = (hypothesis.Phase.explicit, hypothesis.Phase.reuse, hypothesis.Phase.generate)
hypothesis.settings.register_profile("mutants", deadline=None, phases=_PHASES)
_OPTIONS = ("-q", "-p", "no:cacheprovider", "--no-header", "--reuse-db", "--hypothesis-profile=mutants")
# The key for code that runs without a test, on import.
_NO_TEST = ""
KILLED, SURVIVED, TIME_OUT = "killed", "survived", "too long"


@dataclass
class Map:
    """The lines that each test reaches, by file; the seconds of each test; and a digest of each file at that time."""

    seals: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[str, dict[str, set[int]]] = field(default_factory=dict)
    packages: set[str] = field(default_factory=set)

    def find_tests(
        self, path: str, line: int, function: range, folders: Sequence[str], *, once: bool = False
    ) -> list[str]:
        """Return the tests in these folders that run a line, those most likely to detect a change of it first.

        First come those that run lines of its function which few others run, then quick ones and those of the first
        folder. A line may run on import, or `once` for all tests, or be a part of a table without lines of its own.
        Then all tests that run any line of the file count, and those that run no line at all but read imported values,
        the quickest first. If no test runs any line of the file, all tests count.
        """
        tests = {number: self._find_running(path, number) for number in {line, *function}}
        on = tests[line]
        if once or not on or _NO_TEST in on:
            on = {test for test, files in self.lines.items() if path in files and test}
            on = on or set(self.seconds)  # all of it runs on import, so any test may use it
            on |= self.seconds.keys() - self.lines.keys()
            tests.clear()

        def price(test: str) -> tuple[int, float]:
            rarest = min((len(others) for others in tests.values() if test in others), default=len(on))
            return rarest, self.seconds[test] * (1 if test.startswith(folders[0]) else 2)

        return sorted(
            (test for test in on & self.seconds.keys() if test.startswith(tuple(folders))), key=price
        )

    def _find_running(self, path: str, line: int) -> set[str]:
        return {test for test, files in self.lines.items() if line in files.get(path, ())}

    def limit_tests(self, tests: Iterable[str], budget_s: float) -> list[str]:
        """Return the first of these tests that together take no longer than `budget_s` seconds; at least one."""
        spent = accumulate((self.seconds[test] for test in tests), initial=0.0)
        return [test for test, before in zip(tests, spent, strict=False) if before < budget_s]

    def seconds_of(self, tests: Iterable[str]) -> float:
        return sum(self.seconds[test] for test in tests)

    def forget(self, files: Iterable[str]) -> None:
        """Remove all data about the tests in these files."""
        gone = {test for test in self.lines if test.partition("::")[0] in files}
        for answers in (self.seconds, self.lines):
            for test in gone & answers.keys():
                del answers[test]

    def add(self, other: "Map") -> None:
        self.seals |= other.seals
        self.seconds |= other.seconds
        self.lines |= other.lines
        self.packages |= other.packages


class _Watch:
    """A pytest plugin that names each test to the coverage measurement, and times it."""

    def __init__(self, reach: coverage.Coverage) -> None:
        self._reach, self.seconds = reach, dict[str, float]()
        self.failed: set[str] = set()
        self._context = _NO_TEST

    def pytest_collection_finish(self) -> None:
        importlib.import_module(
            "flashdb.urls"
        )  # all views, which else the first test that asks for a page would reach

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._switch(item.nodeid)
        started = time.monotonic()
        answer = yield
        self.seconds[item.nodeid] = time.monotonic() - started
        return answer

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
    ) -> Iterator[None]:
        """Count the lines that a fixture of a whole file runs for the file, not for its first test."""
        before = self._context
        if fixturedef.scope == "module":
            self._switch(request.node.nodeid)
        answer = yield
        self._switch(before)  # one fixture may ask for another
        return answer

    def _switch(self, context: str) -> None:
        self._context = context
        self._reach.switch_context(context)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)


@dataclass(frozen=True)
class _InOrder:
    """A pytest plugin that runs the tests in the given order, instead of the slow tests first."""

    tests: list[str]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        places = {test: place for place, test in enumerate(self.tests)}
        items.sort(key=lambda item: places[item.nodeid])


def survey(folder: Path, code: list[str], tests: Iterable[str], kept: Path) -> Map:
    """Return the lines that each test in these folders reaches.

    Files unchanged since the results were `kept` are not run. A test that fails before any change cannot detect one: it
    is named and left out.
    """
    reach = msgspec.json.decode(kept.read_bytes(), type=Map) if kept.exists() else Map()
    seals = _make_seals(folder, tests)
    changed = {file for file, seal in seals.items() if reach.seals.get(file) != seal}
    if _NO_TEST in changed:
        reach = Map()
    reach.forget(changed)
    if files := sorted(changed - {_NO_TEST}):
        part = folder / "reached.json"
        if _run_in_fork(folder, lambda: _survey(part, code, files), limit_s=2 * 3600) != 0:
            raise RuntimeError((folder / "log.txt").read_text())
        seen = msgspec.json.decode(part.read_bytes(), type=Map)
        for test in sorted(seen.lines.keys() - seen.seconds.keys() - {_NO_TEST}):
            print(f"left out, it fails unchanged: {test}", file=sys.stderr)
        reach.add(seen)
        reach.add(Map(seals=seals))
        kept.write_bytes(msgspec.json.encode(reach))
    _import_for_all(reach.packages)
    return reach


def _make_seals(folder: Path, tests: Iterable[str]) -> dict[str, str]:
    # Test file -> a digest that changes with the file or any code; under "" the digest of all code.
    rooms = ("submissions", "api", "flashdb", "client", "templates")
    every = [
        path for room in rooms for path in (folder / room).rglob("*.*") if path.suffix in (".py", ".html")
    ]
    code = _digest(*sorted(every), *sorted((folder / "tests").glob("*.py")))
    files = {file for name in tests for file in [folder / name, *(folder / name).rglob("*.py")]}
    of_tests = {file for file in files if file.name.startswith("test_")}
    return {_NO_TEST: code} | {str(file.relative_to(folder)): code + _digest(file) for file in of_tests}


def _digest(*paths: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _survey(part: Path, code: list[str], tests: list[str]) -> int:
    reach = coverage.Coverage(data_file=None, source=code, messages=False)
    watch = _Watch(reach)
    reach.start()
    status = pytest.main([*_OPTIONS, "--create-db", *tests], [watch])
    reach.stop()
    installed = sysconfig.get_path("purelib")
    packages = {
        name
        for name, module in sys.modules.items()
        if (getattr(module, "__file__", "") or "").startswith(installed)
    }
    seconds = {test: taken for test, taken in watch.seconds.items() if test not in watch.failed}
    lines = _spread_files(_lines(reach.get_data()), watch.seconds)
    part.write_bytes(msgspec.json.encode(Map({}, seconds, lines, packages)))
    return 0 if status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) else int(status)


def _lines(data: coverage.CoverageData) -> dict[str, dict[str, set[int]]]:
    here, lines = Path.cwd(), dict[str, dict[str, set[int]]]()
    for path in data.measured_files():
        for line, tests in data.contexts_by_lineno(path).items():
            for test in tests:
                lines.setdefault(test, {}).setdefault(os.path.relpath(path, here), set()).add(line)
    return lines


def _spread_files(
    lines: dict[str, dict[str, set[int]]], tests: Iterable[str]
) -> dict[str, dict[str, set[int]]]:
    # Adds the lines that were counted for a whole file to each of its tests.
    of_files = {name: lines.pop(name) for name in list(lines) if name and "::" not in name}
    for test in tests:
        for path, numbers in of_files.get(test.partition("::")[0], {}).items():
            lines.setdefault(test, {}).setdefault(path, set()).update(numbers)
    return lines


def _import_for_all(packages: Iterable[str]) -> None:
    # Some packages need a configured Django, so each fork imports them itself.
    os.environ["DJANGO_SETTINGS_MODULE"] = "flashdb.settings"
    for name in packages:
        with suppress(Exception):
            importlib.import_module(name)


def outcome(folder: Path, tests: list[str], *, limit_s: float, fresh: bool) -> str:
    """Run tests in a fork; return KILLED as soon as one fails, else SURVIVED or TIME_OUT.

    `fresh` makes a new database.
    """
    options = [*_OPTIONS, "-x", *(["--create-db"] if fresh else [])]
    status = _run_in_fork(
        folder, lambda: int(pytest.main([*options, *tests], [_InOrder(tests)])), limit_s=limit_s
    )
    return SURVIVED if status == 0 else TIME_OUT if status is None else KILLED


def _run_in_fork(folder: Path, run: Callable[[], int], *, limit_s: float) -> int | None:
    # Returns the exit status of `run` in a child that works in `folder`; None if it took too long and was ended.
    child = os.fork()
    if child == 0:
        _run_child(folder, run)
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _run_child(folder: Path, run: Callable[[], int]) -> NoReturn:
    os.setsid()
    with (folder / "log.txt").open("w") as log:
        os.dup2(log.fileno(), 1), os.dup2(log.fileno(), 2)
    os.chdir(folder)
    sys.path[0] = str(folder)
    for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "flashdb")]:
        del sys.modules[name]  # those of the checkout: the copy has its own
    status = 70
    try:
        status = run()
    finally:  # a mutant may raise anything, and the stack below belongs to the parent
        os._exit(status)


@contextmanager
def replace_file(path: Path, text: str) -> Iterator[None]:
    """Replace the text of a file in a `with` block. Afterwards the file and its bytecode have their old times."""
    original, stat = path.read_text(), path.stat()
    path.write_text(text)
    try:
        yield
    finally:
        path.write_text(original)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
