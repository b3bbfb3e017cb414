"""Tests in a forked process, which has what takes long to import already."""

import importlib
import json
import os
import signal
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import coverage
import hypothesis
import pytest

# A failing example is enough: to look for the smallest one takes minutes.
_PHASES = (hypothesis.Phase.explicit, hypothesis.Phase.reuse, hypothesis.Phase.generate)
hypothesis.settings.register_profile("mutants", deadline=None, phases=_PHASES)
_OPTIONS = ("-q", "-p", "no:cacheprovider", "--no-header", "--reuse-db", "--hypothesis-profile=mutants")
_NO_TEST = ""
KILLED, SURVIVED, TIME_OUT = "killed", "survived", "too long"


@dataclass(frozen=True)
class Map:
    """What the tests of a room reach: file, line -> tests; and seconds a test takes."""

    seconds: dict[str, float] = field(default_factory=dict)
    reached: dict[str, dict[int, list[str]]] = field(default_factory=dict)

    def reaching(self, path: str, line: int) -> list[str]:
        """The tests that run this line, the quickest first."""
        return sorted(self._on(path, line) & self.seconds.keys(), key=lambda test: self.seconds[test])

    def is_imported(self, path: str, line: int) -> bool:
        """Whether the line runs before the first test, or is no statement of its own: within a table."""
        return _NO_TEST in self._on(path, line) or not self._on(path, line)

    def _on(self, path: str, line: int) -> set[str]:
        return set(self.reached.get(path, {}).get(line, []))

    def seconds_of(self, tests: Iterable[str]) -> float:
        return sum(self.seconds.get(test, 0.0) for test in tests)


class _Watch:
    """Names each test to the coverage, and times it."""

    def __init__(self, reach: coverage.Coverage) -> None:
        self._reach, self.seconds = reach, {}  # type: ignore[var-annotated]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._reach.switch_context(item.nodeid)
        started = time.monotonic()
        answer = yield
        self.seconds[item.nodeid] = time.monotonic() - started
        return answer


def survey(folder: Path, room: str, tests: list[str]) -> Map:
    """Run all tests of a room once. Raises RuntimeError when they fail unchanged."""
    kept = folder / "reached.json"
    if _in_fork(folder, lambda: _survey(kept, room, tests), limit_s=3600) != 0:
        raise RuntimeError(f"the tests of {room} fail before anything is changed")
    seconds, reached, packages = json.loads(kept.read_text())
    _import_for_all(packages)
    return Map(
        seconds, {path: {int(line): on for line, on in lines.items()} for path, lines in reached.items()}
    )


def _survey(kept: Path, room: str, tests: list[str]) -> int:
    reach = coverage.Coverage(data_file=None, source=[room], messages=False)
    watch = _Watch(reach)
    reach.start()
    status = pytest.main([*_OPTIONS, "--create-db", *tests], [watch])
    reach.stop()
    data, here = reach.get_data(), Path.cwd()
    lines = {os.path.relpath(path, here): data.contexts_by_lineno(path) for path in data.measured_files()}
    installed = sysconfig.get_path("purelib")
    packages = [
        name
        for name, module in sys.modules.items()
        if (getattr(module, "__file__", "") or "").startswith(installed)
    ]
    kept.write_text(json.dumps([watch.seconds, lines, packages]))
    return int(status)


def _import_for_all(packages: list[str]) -> None:
    """What the tests import and no mutant changes; some wants a whole Django and is left to each fork."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "flashdb.settings"
    for name in packages:
        with suppress(Exception):
            importlib.import_module(name)


def outcome(folder: Path, tests: list[str], *, limit_s: float, fresh: bool) -> str:
    """KILLED as soon as one of the tests fails. `fresh` makes the database anew."""
    options = [*_OPTIONS, "-x", *(["--create-db"] if fresh else [])]
    status = _in_fork(folder, lambda: int(pytest.main([*options, *tests])), limit_s=limit_s)
    return SURVIVED if status == 0 else TIME_OUT if status is None else KILLED


def _in_fork(folder: Path, run: Callable[[], int], *, limit_s: float) -> int | None:
    """The exit status of `run` in a child that stands in `folder`; None when it took too long and was ended."""
    child = os.fork()
    if child == 0:
        _alone(folder, run)
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _alone(folder: Path, run: Callable[[], int]) -> NoReturn:
    os.setsid()
    with (folder / "log.txt").open("w") as log:
        os.dup2(log.fileno(), 1), os.dup2(log.fileno(), 2)
    os.chdir(folder)
    sys.dont_write_bytecode = True
    sys.path[0] = str(folder)
    for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "flashdb")]:
        del sys.modules[name]  # those of the checkout: the copy has its own
    status = 70
    try:
        status = run()
    finally:  # a mutant may raise anything, and the stack below belongs to the parent
        os._exit(status)


@contextmanager
def replaced(path: Path, text: str) -> Iterator[None]:
    original = path.read_text()
    path.write_text(text)
    try:
        yield
    finally:
        path.write_text(original)
