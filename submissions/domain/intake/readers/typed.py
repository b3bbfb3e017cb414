"""Rates that people type over or a script prints: AS SSD, ATTO, CPDT, A1 SD Bench, winsat, rows of Markdown tables.

What was measured a line says itself; how many bytes its MB are, past which caches and how many requests at a time none
of them says. So the unit is asked, and the figures stay beside those that can be compared.
"""

import re
from typing import Any

from submissions.domain.intake.choices import MEGABYTES
from submissions.domain.intake.commands import size
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.scene import Reader, Scene

TOOL = "typed"
_RATE = r"([0-9]{1,6}[.,]?[0-9]{0,3}) ?(MB)/s"
_BANNER = re.compile(
    r"(AS SSD Benchmark|ATTO Disk Benchmark|CPDT|Cross Platform Disk Test|A1 SD Bench)\b.{0,60}\Z",
    re.IGNORECASE,
)
_ORDER = re.compile(r"(Seq|Sequential|Sequentiell|Séquentiel|4K|4K-64Thrd|4K-64Threads|512B):\s*\Z")
_UNDER_IT = re.compile(rf"(Read|Write|Lesen|Schreiben|Lecture|Ecriture):\s{{1,9}}{_RATE}\s*\Z")
_ROW = re.compile(
    r"[|>*-]?\s{0,4}((?:\w{2,8} )?(?:[0-9]{1,5} ?[KM]B? )?(?:sequential|random|seq\.?|rand\.?"
    r"|disk\s{1,4}(?:sequential|random) [0-9.]{1,6}"
    r"|sd card|random i/o) (?:read|write)s?(?: ?\[?[0-9]{1,4} ?[KM]i?B\]?)?)\s{0,30}(?:[:=|]\s{0,30}|\s{2,30})"
    rf"{_RATE}(?:\s{{0,20}}[|0-9.]{{0,12}}\s*)\Z",
    re.IGNORECASE,
)
_ATTO = re.compile(rf"([0-9]{{1,3}}) ([KM]?B)\s{{1,20}}{_RATE}\s{{1,20}}{_RATE}\s*\Z")
_ASK = "Is a MB here 1,000,000 or 1,048,576 bytes? The tool's own text would say."


class Typed(Reader):
    def __init__(self) -> None:
        self.named, self.pattern = "", dict[str, Any]()

    def banner(self, match: re.Match[str], scene: Scene) -> None:
        self.named, self.pattern = match[1], {}

    def order(self, match: re.Match[str], scene: Scene) -> bool | None:
        self.pattern = {"order": "sequential"} if match[1].startswith("S") else {"called": match[1]}
        return None if self.named else False

    def under_it(self, match: re.Match[str], scene: Scene) -> bool | None:
        reads = match[1] in ("Read", "Lesen", "Lecture")
        if not self.named or not self.pattern:
            return False
        self._measured(self.pattern | {"direction": "read" if reads else "write"}, match[2], match, scene)
        return None

    def row(self, match: re.Match[str], scene: Scene) -> None:
        name = match[1].casefold()
        direction = {"direction": "read" if "read" in name else "write"}
        self._measured(direction | {"called": " ".join(name.split())}, match[2], match, scene)

    def atto(self, match: re.Match[str], scene: Scene) -> bool | None:
        if not self.named:
            return False
        block = {"block_size_bytes": size(match[1] + match[2][:-1].lower()), "order": "sequential"}
        self._measured(block | {"direction": "write"}, match[3], match, scene)
        self._measured(block | {"direction": "read"}, match[5], match, scene)
        return None

    def _measured(self, parameters: dict[str, Any], value: str, match: re.Match[str], scene: Scene) -> None:
        megabyte = int(scene.ask(TOOL, "unit", _ASK, span=scene.span(match), choices=MEGABYTES) or 0)
        if megabyte and decimal(value):
            what, rate = ("typed", "throughput", "B/s"), decimal(value) * megabyte
            scene.measured(TOOL, what, rate, span=scene.span(match), parameters=parameters)

    rows = ((_BANNER, banner), (_ORDER, order), (_UNDER_IT, under_it), (_ROW, row), (_ATTO, atto))
