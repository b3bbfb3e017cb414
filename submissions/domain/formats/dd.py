"""dd of GNU coreutils in any language, of BusyBox and of macOS.

The rate is bytes over seconds, both of which dd prints in full; its own rounded rate only has to agree. GNU rates are
powers of 1000, BusyBox counts in powers of 1024 (coreutils human.c, busybox make_human_readable_str.c).
"""

import re
from dataclasses import dataclass
from typing import Any, Final

from submissions.domain.formats.choices import DIRECTIONS, SIZES
from submissions.domain.formats.commands import Command, size
from submissions.domain.formats.commands import parse as parse_command
from submissions.domain.formats.lines import decimal
from submissions.domain.formats.scene import Reader, Scene

TOOL: Final = "dd"
_BYTES: Final = r"(?:[Bb]ytes?|байта?|байтов|octets?|bajt\w{0,4}|字节|バイト|oktet\w{0,3}|位元組)"
_SECONDS: Final = r"(?:seconds?|secs?|Sekunden|секунд\w?|秒|[sScс])"
_RATE: Final = r"([0-9.,]{1,12}) ?([kKMGT]?i?B|bytes)/(?:sec|[sScс秒])"
_COPIED: Final = re.compile(
    rf"(?:[0-9]{{1,6}}[kKM]\s{{1,12}})?[^\d]{{0,40}}([0-9]{{1,19}}) ?{_BYTES}[^\d(]{{0,12}} ?\([^()]{{1,40}}\)"
    r"[^\d]{0,40}"
    rf"([0-9]{{1,9}}(?:[.,][0-9]{{1,9}})?) ?{_SECONDS}(?:, ?{_RATE})?\s*\Z"
)
_TRANSFERRED: Final = re.compile(
    rf"([0-9]{{1,19}}) bytes transferred in ([0-9]{{1,9}}(?:\.[0-9]{{1,9}})?) secs \({_RATE}\)\s*\Z"
)
_RECORDS: Final = re.compile(
    r"([0-9]{1,12})\+([0-9]{1,12}) ?(?:records|записей|записи|Datensätze|enregistrements|registros|レコード|rekordów|"
    r"record|luettua|记录|記錄|の)[^\d]{0,24}\Z|(?:记录了|記錄了|読み込んだレコード数は)([0-9]{1,12})\+([0-9]{1,12})[^\d]{0,12}\Z"
)
_AGREES: Final = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
# What a known script runs below its own heading, after the script's source.
_SCRIPTS: Final = {
    # geerlingguy/raspberry-pi-dramble, microsd-benchmarks.sh
    "Running dd test...": "dd if=/dev/zero of=test bs=8k count=50k conv=fsync",
    # TheRemote/PiBenchmarks, Storage.sh
    "Running dd tests ...": "dd if=/dev/zero of=test bs=4k count=130k conv=fsync",
}


@dataclass(frozen=True, slots=True)
class Copied:
    """What one run of dd printed. `whole` tells that no block was cut short."""

    bytes: int
    seconds: float
    blocks: int
    whole: bool


class Dd(Reader):
    def __init__(self) -> None:
        self.command = Command()
        self.heading = ""
        self.blocks, self.whole = 0, False

    def begin(self, scene: Scene) -> None:
        script = parse_command(_SCRIPTS.get(scene.heading.strip(), ""))
        self.command = scene.command if scene.command.program == TOOL else script or Command()
        self.heading = scene.heading
        self.blocks = 0

    def records(self, match: re.Match[str], scene: Scene) -> None:
        """Blocks read, then blocks written: what counts is how many were written."""
        self.blocks, self.whole = int(match[1] or match[3]), int(match[2] or match[4]) == 0

    def copied(self, match: re.Match[str], scene: Scene) -> bool | None:
        copied = Copied(int(match[1]), decimal(match[2]), self.blocks, self.whole)
        self.blocks = 0
        if copied.bytes == 0 or copied.seconds == 0:
            scene.trouble = ""
            return None  # nothing was copied: no rate
        rate = copied.bytes / copied.seconds
        if match[3] and not _agrees(rate, decimal(match[3]), match[4]):
            return False
        self._found(copied, rate, match, scene)
        scene.trouble = ""
        return None

    def _found(self, copied: Copied, rate: float, match: re.Match[str], scene: Scene) -> None:
        parameters = _parameters(self.command, self.heading) | {
            name: value for name, value in (("block_size_bytes", self._block_size(copied)),) if value
        }
        scene.part += 1
        for name, question in _NEEDED.items():
            if name not in parameters:
                choices = _CHOICES[name]
                answer = scene.ask(TOOL, name, question, span=scene.span(match), choices=choices)
                if not answer:
                    return
                parameters[name] = int(answer) if answer.isdecimal() else answer
        what = ("stream", "throughput", "B/s")
        scene.measured(TOOL, what, rate, span=scene.span(match), parameters=parameters)
        if _writes_device(self.command):
            scene.told(TOOL, "wrote_device", True, span=scene.span(match))

    def _block_size(self, copied: Copied) -> int | None:
        if copied.blocks and copied.whole and copied.bytes % copied.blocks == 0:
            return copied.bytes // copied.blocks
        return size(self.command.option("bs")) or size(self.command.option("obs"))

    rows = ((_RECORDS, records), (_COPIED, copied), (_TRANSFERRED, copied))


_CHOICES: Final = {"direction": DIRECTIONS, "block_size_bytes": SIZES}
_NEEDED: Final = {
    "direction": "Did dd read the card or write to it? Paste its command line, too.",
    "block_size_bytes": "With which block size (bs=) did dd run? Paste its command line, too.",
}


def _writes_device(command: Command) -> bool:
    target = command.option("of") or ""
    return target.startswith("/dev/") and not target.startswith("/dev/null")


def _agrees(rate: float, printed: float, unit: str) -> bool:
    """Whether dd's own rate is this one, rounded, in powers of 1000 or of 1024."""
    if unit == "bytes":
        return abs(rate - printed) <= max(1.0, 0.01 * rate)
    factor = _AGREES[unit.removesuffix("B").removesuffix("i")]
    return 0.9 <= rate / (printed * factor) <= 1.13 if printed else rate < factor


def _parameters(command: Command, heading: str) -> dict[str, Any]:
    """What the command line tells, or else the heading. Without a command nobody knows about caches."""
    known: dict[str, Any] = {"order": "sequential", "queue_depth": 1}
    if command.program != TOOL:
        return known | _spoken(heading)
    source, target = command.option("if") or "", command.option("of") or ""
    if source.startswith(("/dev/zero", "/dev/urandom", "/dev/random")):
        data = {"data": "zeros" if source.startswith("/dev/zero") else "random"}
        return known | {"direction": "write", "sync": _sync(command)} | _io(command.option("oflag")) | data
    if target.startswith("/dev/null") or (not target and source.startswith("/dev/")):
        return known | {"direction": "read"} | _io(command.option("iflag"))
    return known


def _spoken(heading: str) -> dict[str, Any]:
    words = set(re.split(r"[^a-z]+", heading.lower()))
    found = words & {"read", "write"}
    return {"direction": found.pop()} if len(found) == 1 else {}


def _io(flags: str | None) -> dict[str, str]:
    return {"io": "direct" if "direct" in (flags or "").split(",") else "buffered"}


def _sync(command: Command) -> str:
    flags = (command.option("oflag") or "").split(",")
    if "dsync" in flags or "sync" in flags:
        return "dsync" if "dsync" in flags else "osync"
    at_end = {"fsync", "fdatasync"} & set((command.option("conv") or "").split(","))
    return "fsync_at_end" if at_end else "none"
