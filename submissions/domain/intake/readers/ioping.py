"""Parse the output of ioping: the sums below "--- NAME ioping statistics ---".

Requests are sent one at a time, to random places unless -L is given. IOPS and rate are those of the time inside the
requests; the mb of version 0.6 are 2^20 bytes. Blocks are 4 KiB unless -s, or the rate divided by the IOPS, shows
another size. Only the command or a request line states whether ioping reads or writes; without -D the page cache is
emptied, not bypassed.
"""

import re
from math import log2
from typing import Any

from submissions.domain.intake.choices import DIRECTIONS
from submissions.domain.intake.commands import disk, size
from submissions.domain.intake.directions import find_direction
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.slots import TYPES, Found, Table, noise, row
from submissions.domain.measuring.units import RATE, factor

_ASK = "Did ioping read or write (-W)? Please paste its command line, too."
_NUMBER = "[0-9]{1,6}(?:[.,][0-9]{1,3})?"
_TYPES = TYPES | {
    "amount": (_NUMBER, str),
    "many": ("[kM]?", {"": 1, "k": 1000, "M": 1000**2}.__getitem__),
    "unit": ("(?:(?:[KMG]i|m)?[Bb])/s", lambda text: f"{text[:-3].replace('m', 'Mi')}B/s"),
    "direction": ("read|written|<<<|>>>|from|to", lambda text: "write" if text[0] in "w>t" else "read"),
}
_DEVICE = re.compile(r"/dev/(\w{2,20})")
_DIGITS_ENOUGH, _NEAR = 3, 0.03  # of the rate, to tell the size of a request


class Ioping(Table):
    types = _TYPES
    tool = "ioping"

    def begin(self) -> None:
        command, self.direction = self.scene.command, ""
        self.parameters: dict[str, Any] = {}
        if command.program == self.tool:
            self.direction = "write" if command.has("-W") else "read"
            self.parameters = {
                "order": "sequential" if command.has("-L") else "random",
                "block_size_bytes": size((command.option("-s") or "").lower()) or 4096,
                "io": "direct" if command.has("-D") else "buffered",
            }

    @row(
        r"[0-9.]{1,7} (?:[KMG]?i?B|bytes) {direction:direction} \S{1,80} .{0,80}"
        "request=[0-9]{1,9} time=.{1,40}"
    )
    def request(self, found: Found) -> None:
        self.direction = found["direction"]

    @row(r"--- \S{1,80} \((?:\w{1,12} )?.{0,60}\) ioping statistics ---")
    def target(self, found: Found) -> None:
        if device := _DEVICE.search(found.text()):
            self.scene.device = disk(device[1])

    @row(
        r"[0-9.]{1,9} ?[kM]? requests completed in {:amount} (?:ns|us|ms|s|min|hours?)"
        r"(?:, [0-9.]{1,9} [KMGT]?i?B {direction:direction})?, {iops:number} ?{many:many} iops,"
        " {rate:amount} {unit:unit}"
    )
    def sums(self, found: Found) -> None:
        iops = found["iops"] * found["many"]
        self.direction = found["direction"] or self.direction
        if not found["direction"] and find_direction(self.scene.label) not in ("", self.direction):
            self.direction = ""
        self.direction = self.direction or self.ask("direction", _ASK, found, DIRECTIONS)
        if self.direction:
            unit = found["unit"]
            self.parameters = _block(found["rate"], unit, iops) | self.parameters
            self._add(("iops", "1/s"), iops, found)
            self._add(("throughput", unit), decimal(found["rate"]), found)

    @row(
        r"min/avg/max/mdev = {:number} ?(?:[nmu]?s)? ?/ ?{mean:number} ?{unit:[nmu]?s}? ?/ ?{max:number}"
        r" ?{max_unit:[nmu]?s}? ?/ ?{:number} ?{last_unit:[nmu]?s}"
    )
    def times(self, found: Found) -> bool:
        if self.direction:
            last = found["last_unit"]
            self._add(("latency_mean", found["unit"] or last), found["mean"], found)
            self._add(("latency_max", found["max_unit"] or last), found["max"], found)
        return bool(self.direction)

    def _add(self, what: tuple[str, str], value: float, found: Found) -> None:
        usual = {"order": "random", "block_size_bytes": 4096, "io": "buffered", "queue_depth": 1}
        parameters = usual | self.parameters | {"direction": self.direction}
        self.add_number(("stream", *what), value, found, **parameters)

    # Requests in the whole time, including the pauses.
    lines = noise("generated [0-9.]{1,9} ?[kM]? requests in .{1,120}")


def _block(rate: str, unit: str, iops: float) -> dict[str, Any]:
    """Return the block size by rate over IOPS; {} unless it is near a power of two and the rate has enough digits."""
    each = decimal(rate) * factor(unit, base=RATE) / iops if iops else 0.0
    digits = re.sub(r"[.,]", "", rate).lstrip("0")
    if not each or len(digits) < _DIGITS_ENOUGH:
        return {}
    nearest = 2 ** round(log2(each))
    return {"block_size_bytes": nearest} if abs(each / nearest - 1) < _NEAR else {}
