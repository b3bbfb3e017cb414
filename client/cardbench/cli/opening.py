"""Open the target of the command `run`: a device, a file, or a new file in a directory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from cardbench.cli import consent, label, subject
from cardbench.cli.disks import find_target
from cardbench.cli.request import MeasureRequest
from cardbench.cli.terminal import say
from cardbench.measuring import resume
from cardbench.measuring.session import Subject
from cardbench.measuring.suites import Choice
from cardbench.target import identity, mounts, safety, target
from cardbench.target.engine import find_engine
from cardbench.target.safety import Victim
from cardbench.target.sysfs import Block, find
from cardbench.target.target import Ready


@dataclass(frozen=True)
class Opener:
    """Opens the target of a run after all safety checks, and then calls `begin`."""

    request: MeasureRequest
    earlier: resume.Earlier | None
    begin: Callable[[Subject], None]

    @property
    def _choice(self) -> Choice:
        if not self.earlier:
            return self.request.choice
        first = self.earlier.choice
        return replace(self.request.choice, suite=first.suite, workloads=first.workloads)

    def open(self) -> AbstractContextManager[tuple[Subject, Ready]]:
        """Return a context manager that opens the target, and yields its description and the open device."""
        path = find_target(self.request)
        if path.is_dir():
            return self._directory(path)
        return self._device(path) if path.is_block_device() else self._file(path)

    @contextmanager
    def _device(self, path: Path) -> Iterator[tuple[Subject, Ready]]:
        request = self.request
        name = safety.kernel_name(path) or path.name
        command = find_engine(request.engine)
        block = find(request.sysfs, name) or Block(name)
        agreed = None
        if request.destructive:
            consent.check_device(name, request)
            agreed = self._ask(consent.read_victim(name), block.disk)
        whole = not block.parent
        with target.open_device(command, path, may_write=request.destructive, whole=whole) as ready:
            if agreed:
                safety.check_unchanged(agreed, consent.read_victim(name, ready.surface.size_bytes))
            described = self._describe("device", block.disk, size_bytes=ready.surface.size_bytes)
            self.begin(described)
            yield described, ready

    @contextmanager
    def _file(self, path: Path) -> Iterator[tuple[Subject, Ready]]:
        may_write = self.request.destructive
        command = find_engine(self.request.engine)
        agreed, holes = None, target.holes(path, may_write=may_write)
        disk = mounts.disk_below(path, self.request.sysfs)
        if may_write:
            safety.check_file(path)
            agreed = self._ask(Victim(path.name, path.stat().st_size), disk)
        with target.open_device(command, path, may_write=may_write, whole=True) as ready:
            if agreed:
                safety.check_unchanged(agreed, Victim(path.name, ready.surface.size_bytes))
            if agreed and holes:
                missing = sum(map(len, holes))
                say(f"{missing:,} bytes of {path.name} are holes, so cardbench writes them first.")
            described = self._describe("file", disk, path=path)
            self.begin(described)
            target.fill(ready.engine, holes)
            yield described, ready

    @contextmanager
    def _directory(self, path: Path) -> Iterator[tuple[Subject, Ready]]:
        consent.refuse_destructive(path, self.request)
        disk = mounts.disk_below(path, self.request.sysfs)
        described = self._describe("directory", disk, path=path)

        def begin() -> None:
            if not self.request.json:
                consent.say_what_a_file_takes(path, self._choice)
            self.begin(described)

        command, most_bytes = find_engine(self.request.engine), self._choice.file_bytes
        opened = target.open_directory(
            command, path, most_bytes=most_bytes, begin=begin, may_remount=self.request.own_mount
        )
        with opened as ready:
            yield described, ready

    def _ask(self, victim: Victim, disk: str) -> Victim:
        card = identity.card(self.request.sysfs, disk) if disk else {}
        options = subject.flashbench_options(self.request, card)
        consent.ask_for_suite(victim, self._choice, options, self.request)
        return victim

    def _describe(self, kind: str, disk: str, *, path: Path | None = None, size_bytes: int = 0) -> Subject:
        request = self.request
        card = ({"size_bytes": size_bytes} if size_bytes else {}) | subject.describe_card(request, disk)
        if self.earlier:
            resume.check_same(self.earlier, card, kind)
            card |= request.describe(self.earlier.claims)
        if request.submit:
            card = label.require_name(card)
        return Subject(
            card=card,
            host=subject.describe_host(request, disk) | (subject.describe_mount(path) if path else {}),
            target=kind,
            choice=self._choice,
            destructive=request.destructive,
            note=request.note,
            readings=identity.partition_starts(request.sysfs, disk) if disk else [],
            earlier=self.earlier,
            options=subject.flashbench_options(request, card),
        )
