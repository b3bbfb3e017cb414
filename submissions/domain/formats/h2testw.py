"""H2testw: the real capacity of a card. KByte, MByte and GByte are powers of 1024, as its sector counts show."""

import re
from typing import Final

from submissions.domain.formats.lines import decimal
from submissions.domain.formats.scene import Reader, Scene

TOOL: Final = "h2testw"
_SECTOR: Final = 512
_SIZE: Final = re.compile(
    r"(?:Details: ?)?([0-9]{1,7}(?:\.[0-9]{1,2})?) ([KMGT])Byte"
    r" (OK|DATA LOST|overwritten|slightly changed|corrupted|aliased memory)"
    r" \((?:< [0-9] bit/sector, )?([0-9]{1,15}) sectors\)"
)
_SPEED: Final = re.compile(r"(Writing|Reading) speed: ([0-9]{1,7}(?:\.[0-9]{1,2})?) ([KMG])Byte/s")
_PARTLY: Final = re.compile(r"Warning: Only ([0-9]{1,9}) of ([0-9]{1,9}) MByte tested")
_KNOWN: Final = re.compile(
    r"(?:First error at offset|Expected|Found): 0x[0-9a-f]{1,16}\s*\Z|H2testw (?:version |v)[0-9]\.[0-9].{0,40}\Z"
)
_VERDICT: Final = re.compile(r"(Test finished without errors|The media is likely to be defective)")
_FACTORS: Final = {"K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
_NAMES: Final = {
    "OK": "ok_bytes",
    "DATA LOST": "lost_bytes",
    "overwritten": "overwritten_bytes",
    "slightly changed": "changed_bytes",
    "corrupted": "corrupted_bytes",
    "aliased memory": "aliased_bytes",
}


class H2testw(Reader):
    def size(self, match: re.Match[str], scene: Scene) -> bool | None:
        unit, size_bytes = _FACTORS[match[2]], int(match[4]) * _SECTOR
        if abs(size_bytes - decimal(match[1]) * unit) > unit:
            return False
        scene.told(TOOL, _NAMES[match[3]], size_bytes, span=scene.span(match))
        return None

    def speed(self, match: re.Match[str], scene: Scene) -> None:
        what = ("fill", "throughput", f"{match[3]}iB/s")
        direction = {"Writing": "write", "Reading": "read"}[match[1]]
        if value := decimal(match[2]):
            scene.measured(TOOL, what, value, span=scene.span(match), parameters={"direction": direction})

    def partly(self, match: re.Match[str], scene: Scene) -> None:
        scene.told(TOOL, "tested_bytes", int(match[1]) * _FACTORS["M"], span=scene.span(match, 1))
        scene.told(
            TOOL, "about_announced_size_bytes", int(match[2]) * _FACTORS["M"], span=scene.span(match, 2)
        )

    def verdict(self, match: re.Match[str], scene: Scene) -> None:
        good = match[1].startswith("Test finished")
        scene.told(TOOL, "capacity_verdict", "good" if good else "damaged", span=scene.span(match))

    def known(self, match: re.Match[str], scene: Scene) -> None:
        """Where the first error was, and the program's own name."""

    rows = ((_SIZE, size), (_SPEED, speed), (_PARTLY, partly), (_VERDICT, verdict), (_KNOWN, known))
