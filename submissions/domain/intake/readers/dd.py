"""Parse the output of dd: of GNU coreutils in any language, of BusyBox, NuttX and macOS.

The rate is bytes over seconds, because dd prints both in full; its own rounded rate only has to agree. GNU rates are
powers of 1000, BusyBox counts in powers of 1024 (coreutils human.c, busybox make_human_readable_str.c).
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from submissions.domain.intake.choices import DIRECTIONS, SIZES
from submissions.domain.intake.commands import Command, find_device, find_place, size
from submissions.domain.intake.commands import parse as parse_command
from submissions.domain.intake.directions import find_direction
from submissions.domain.intake.doubts import EMPTIES_CACHE, FROM_MEMORY_AGAIN, Access, PageCache
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.parsed import Span
from submissions.domain.intake.slots import TYPES, Found, Table, row

TOOL = "dd"
_BYTES = r"(?:[Bb]ytes?|байта?|байтов|octets?|bajt\w{0,4}|字节|バイト|oktet\w{0,3}|位元組)"
_TYPES = TYPES | {
    "bytes": ("[0-9]{1,19}", int),
    "seconds": ("[0-9]{1,9}(?:[.,][0-9]{1,9})?", str),
    "rate": ("[0-9.,]{1,12}", str),
    "unit": (r"(?:[kKMGT]?i?B?|bytes)/(?:sec|[sScсç秒])", lambda text: text.partition("/")[0]),
}
_GENERATED = ("/dev/zero", "/dev/urandom", "/dev/random")
_SINKS = ("/dev/null", "/dev/zero")  # writes to these are discarded
_BOARD_FLASH = re.compile(r"/dev/(?:mtd|ubi)[\w/]{0,20}")  # Linux, Documentation/driver-api/mtdnand.rst
_NOWHERE = (*_SINKS, "/dev/shm")
_AGREES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_NEEDED = {
    "direction": ("Did dd read the card or write to it? Please paste its command line, too.", DIRECTIONS),
    "block_size_bytes": ("Which block size (bs=) did dd use? Please paste its command line, too.", SIZES),
}
_RATE = ("stream", "throughput", "B/s")
# Heading of a known script -> the command that it runs there, by its source.
_SCRIPTS = {
    # geerlingguy/raspberry-pi-dramble, microsd-benchmarks.sh
    "Running dd test...": "dd if=/dev/zero of=test bs=8k count=50k conv=fsync",
    # TheRemote/PiBenchmarks, Storage.sh
    "Running dd tests ...": "dd if=/dev/zero of=test bs=4k count=130k conv=fsync",
    # aikoncwd/rpi-benchmark, rpi-benchmark.sh
    "Running DD WRITE test...": "dd if=/dev/zero of=test.tmp bs=1M count=512 conv=fsync",
    "Running DD READ test...": "dd if=test.tmp of=/dev/null bs=1M",
}


@dataclass(frozen=True, slots=True)
class Copied:
    """The output of one run of dd.

    `rate`: bytes per second; `blocks`: number of blocks, 0 if not printed; `whole`: no block was cut short; `trouble`:
    an error printed before the output; `direction`: read or write, by a label on the line or above; `title`: the title
    above.
    """

    span: Span
    bytes: int
    seconds: float
    rate: float
    blocks: int
    whole: bool
    trouble: str
    direction: str
    title: str

    def goes_on_in(self, later: "Copied") -> bool:
        """Return whether `later` continues this output of status=progress.

        Progress is printed in whole seconds, perhaps rounded up.
        """
        return self.bytes <= later.bytes and self.seconds < later.seconds + 1


class Dd(Table):
    """A parser for the output of dd.

    Results are held until the next command: only then the number of runs is known, and a series of status=progress ends
    in a line with records.
    """

    types = _TYPES
    tool = TOOL

    def set_up(self) -> None:
        self.held, self.cache = list[Copied](), PageCache()

    def begin(self) -> None:
        script = parse_command(_SCRIPTS.get(self.scene.heading.strip(), ""))
        self.commands = self.scene.commands_of(TOOL) or ((script,) if script else ())
        self.in_one_line = self.scene.commands == self.scene.chain
        self.heading, self.blocks, self.whole = self.scene.heading, 0, False
        number, text = self.scene.command_line
        if EMPTIES_CACHE.match(text):
            self.cache.empty(number)

    def end(self) -> None:
        for copied, command in zip(self.held, self._match_commands(), strict=True):
            words = " ".join(command.words)
            self.scene.device = find_device(words) or self.scene.device
            self.scene.place = find_place(words) or self.scene.place
            self._add_result(copied, command)
        if self.held:
            self.cache.since = self.held[-1].span.line
        self.held = []

    def empty_cache(self, found: Found) -> bool:
        """Note that a command without a prompt, or words of a person, emptied the page cache.

        Return False, so that other readers may read the line, too.
        """
        self.cache.empty(self.scene.line.number)
        return False

    @row(r"[^\d\s]{0,12} ?{full:[0-9]{1,12}}\+{cut:[0-9]{1,12}} ?[^\d\s+=][^\d]{0,40}")
    def records(self, found: Found) -> None:
        """Note the number of blocks; dd prints blocks read, then blocks written, and the latter count."""
        self.blocks, self.whole = int(found["full"]), int(found["cut"]) == 0

    # In every language: bytes, the same again in brackets, seconds, rate.
    @row(
        r"(?:[0-9]{1,6}[kKM] )?[^\d]{0,40}{bytes:bytes} ?[^\W\d_]{2,12} ?\([^()]{1,40}\)[^\d]{0,40}"
        r"{seconds:seconds} ?[^\W\d_]{1,12}\.?, ?{rate:rate} ?{unit:unit}"
    )
    @row(
        rf"[^\d]{{0,40}}{{bytes:bytes}} ?{_BYTES}[^\d(]{{0,12}} ?\([^()]{{1,40}}\)[^\d]{{0,40}}"
        r"{seconds:seconds} ?(?:seconds?|secs?|Sekunden|secondes?|секунд\w?|秒|[sScс])"
    )
    @row(r"{bytes:bytes} bytes transferred in {seconds:seconds} sec(?:ond)?s \({rate:rate} ?{unit:unit}\)")
    @row(r"{bytes:bytes} bytes copied, {microseconds:[0-9]{1,12}} usec, {rate:rate} ?{unit:unit}")
    def summary(self, found: Found) -> bool | None:
        slots = found.row.converts
        in_micro = "microseconds" in slots
        size_bytes, time = found["bytes"], found.text("microseconds" if in_micro else "seconds")
        seconds = decimal(time) / (1e6 if in_micro else 1)
        rate = size_bytes / seconds if seconds else 0.0
        text, unit = (found["rate"], found["unit"]) if "rate" in slots else ("", "")
        printed = decimal(text) if text and seconds else None
        if printed is not None and not _is_rounded(rate, printed, unit):
            return False
        if printed and time.isdecimal() and not in_micro:
            rate = _correct_progress(rate, text, unit)
        blocks, trouble, self.blocks, self.scene.trouble = self.blocks, self.scene.trouble, 0, ""
        if not rate:
            return None  # nothing was copied
        label = f"{self.scene.line.text[found.span()[0] : found.span('bytes')[0]]} {self.scene.label}"
        self.scene.label, direction = "", find_direction(label)
        title = self.scene.title_at(self.scene.line.number)
        copied = Copied(
            self.span(found), size_bytes, seconds, rate, blocks, self.whole, trouble, direction, title
        )
        if copied.blocks:
            self._end_progress(copied)
        self.held.append(copied)
        return None

    def _match_commands(self) -> Iterator[Command]:
        # A result without a matching command gets an empty one. One command may be repeated; as many results as
        # commands have their order. A label decides between commands; if it contradicts them all, none counts.
        results, commands = len(self.held), len(self.commands)
        titles = Counter(result.title for result in self.held)
        repeats = self.in_one_line or all(count == commands for count in titles.values())
        in_order = commands and (results == commands or (repeats and results % commands == 0))
        directions = {command: _parameters(command, "").get("direction", "") for command in self.commands}
        for at, result in enumerate(self.held):
            fitting = [command for command in self.commands if result.direction in ("", directions[command])]
            turn = self.commands[at % commands] if in_order else None
            alike = {directions[command] for command in fitting}
            guess = fitting[-1] if len(alike) == 1 else Command()
            yield turn if turn and turn in fitting else guess

    def _end_progress(self, last: Copied) -> None:
        later = last
        while self.held and not self.held[-1].blocks and self.held[-1].goes_on_in(later):
            later = self.held.pop()

    def _add_result(self, copied: Copied, command: Command) -> None:
        if (reason := _why_left_out(command)) is not None:
            self.scene.left_out += [reason] if reason else []
            return
        direction = copied.direction or find_direction(f"{self.heading} {copied.title}")
        parameters = _parameters(command, direction)
        if block_size := _block_size(copied, command):
            parameters["block_size_bytes"] = block_size
        self.scene.part += 1
        if not self._complete_by_answers(parameters, copied.span):
            return
        source = self._find_source(copied, command, parameters)
        if source == "memory":
            self.scene.add_failure(TOOL, _RATE, FROM_MEMORY_AGAIN, span=copied.span, parameters=parameters)
            return
        if not source:  # it is not compared with reads through an empty cache
            del parameters["io"]
        self.scene.trouble, since = copied.trouble, self.scene.trouble
        self.add_number(_RATE, copied.rate, copied.span, **parameters)
        self.scene.trouble = since
        if _writes_device(command):
            self.scene.add_fact(TOOL, "wrote_device", True, span=copied.span)

    def _complete_by_answers(self, parameters: dict[str, Any], span: Span) -> bool:
        for name, (question, choices) in _NEEDED.items():
            if name not in parameters:
                answer = self.ask(name, question, span, choices)
                if not answer:
                    return False
                parameters[name] = int(answer) if answer.isdecimal() else answer
        return True

    def _find_source(self, copied: Copied, command: Command, parameters: dict[str, Any]) -> str:
        writes, line = parameters["direction"] == "write", copied.span.line
        path = command.option("of" if writes else "if")
        if not path or parameters.get("io") != "buffered":
            return "card"
        first_block = command.option("seek" if writes else "skip")
        file = self.scene.title_at(line), path.removeprefix("./"), first_block
        return self.cache.find_source(file, Access(copied.bytes, copied.rate, writes), line=line)

    rows = ((EMPTIES_CACHE, empty_cache),)


def _block_size(copied: Copied, command: Command) -> int | None:
    if copied.blocks and copied.whole and copied.bytes % copied.blocks == 0:
        return copied.bytes // copied.blocks
    stated, count = size(command.option("bs")) or size(command.option("obs")), size(command.option("count"))
    return stated or (copied.bytes // count if count and copied.bytes % count == 0 else None)


def _files(command: Command) -> tuple[str, str]:
    return command.option("if") or "", command.option("of") or ""


# Each block of the file must reach the device before the next: else caches hide which of the two was slower.
def _copies_file_to_device(command: Command) -> bool:
    source, _ = _files(command)
    synced = _sync(command) != "none" or "direct" in _flags(command, "oflag")
    return bool(source) and not source.startswith("/dev/") and synced and _writes_device(command)


def _flags(command: Command, name: str) -> list[str]:
    return (command.option(name) or "").split(",")


def _writes_device(command: Command) -> bool:
    _, target = _files(command)
    return target.startswith("/dev/") and not target.startswith(_SINKS)


# Progress has whole seconds, but dd divides before it rounds them: the printed rate is more exact.
def _correct_progress(rate: float, printed: str, unit: str) -> float:
    factor = _AGREES.get(unit.rstrip("iB"), 1.0)
    decimals = len(printed.replace(",", ".").partition(".")[2])
    return rate if round(rate / factor, decimals) == decimal(printed) else decimal(printed) * factor


# dd rounds in powers of 1000 or of 1024.
def _is_rounded(rate: float, printed: float, unit: str) -> bool:
    if unit == "bytes":
        return abs(rate - printed) <= max(1.0, 0.01 * rate)
    factor = _AGREES[unit.rstrip("iB")]
    return 0.9 <= rate / (printed * factor) <= 1.13 if printed else rate < factor


def _parameters(command: Command, direction: str) -> dict[str, Any]:
    # A label or a heading, without a command line, says nothing of caches.
    parameters: dict[str, Any] = {"order": "sequential", "queue_depth": 1}
    if command.program != TOOL:
        return parameters | ({"direction": direction} if direction else {})
    source, target = _files(command)
    generated = source.startswith(_GENERATED)
    if generated or _copies_file_to_device(command):
        data = {"data": "zeros" if source.startswith("/dev/zero") else "random"} if generated else {}
        writes = {"direction": "write", "sync": _sync(command), "io": _io(command, "oflag", target)}
        return parameters | writes | data
    if not target or target.startswith(_SINKS):
        return parameters | {"direction": "read", "io": _io(command, "iflag", source)}
    return parameters


def _why_left_out(command: Command) -> str | None:
    """Return why a run of dd does not measure a card, but None if the run measures a card.

    The reason is "" if there is no need to mention it.
    """
    source, target = _files(command)
    if source.startswith(_GENERATED) and (target or "/dev/null").startswith(_NOWHERE):
        in_memory = target.startswith("/dev/shm")
        return f"dd wrote to {target}, which is in the host's memory." if in_memory else ""
    if part := _BOARD_FLASH.search(" ".join(command.words)):
        return f"{part[0]} is flash memory soldered to a board, not a card."
    # A shell may discard the output of dd.
    if bool(source) != bool(target) and not any(word.endswith("/dev/null") for word in command.words):
        return "dd used a pipe: the program at the other end may have been the slower one."
    return None


def _io(command: Command, flags: str, path: str) -> str:
    # The raw devices of macOS have no cache.
    direct = "direct" in _flags(command, flags) or path.startswith("/dev/rdisk")
    return "direct" if direct else "buffered"


def _sync(command: Command) -> str:
    flags = _flags(command, "oflag")
    if "dsync" in flags or "sync" in flags:
        return "dsync" if "dsync" in flags else "osync"
    at_end = {"fsync", "fdatasync"} & set(_flags(command, "conv"))
    return "fsync_at_end" if at_end else "none"
