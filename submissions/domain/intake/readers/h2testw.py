"""H2testw in English and German: the real capacity of a card.

KByte, MByte and GByte are powers of 1024, as its sector counts show. Where all of a card was tested and something was
lost, what is left is its capacity. Where more than a few sectors of a part were lost, the card loses data.
"""

import re

from submissions.domain.intake.lines import decimal
from submissions.domain.intake.parsed import Span
from submissions.domain.intake.scene import Reader, Scene, skip

TOOL = "h2testw"
_SECTOR = 512
_NUMBER = r"([0-9]{1,7}(?:[.,][0-9]{1,2})?)"
_SECTORS = r"([0-9]{1,15}) [Ss]e[ck]tor(?:s|en)"
_SIZE = re.compile(
    rf"(?:Details: ?)?{_NUMBER} ([KMGT])Byte ([^\d()]{{2,30}}?)"
    rf" \((?:< [0-9] [Bb]it/[Ss]e[ck]tor, )?{_SECTORS}\)"
)
_SPEED = re.compile(
    rf"(Writing speed|Reading speed|Schreibrate|Leserate): {_NUMBER} ([KMG])Bytes?(?:/s|\s*\Z)"
)
_PARTLY = re.compile(
    r"(?:Warning: Only|Achtung: Nur) ([0-9]{1,9}) (?:of|von) ([0-9]{1,9}) MByte (?:tested|getestet)"
)
# The place of the first error, and the program's name: not needed.
_KNOWN = re.compile(
    r"(?:First error at offset|Erster Fehler bei Offset|Expected|Soll|Found|Ist): 0x[0-9a-f]{1,16}\s*\Z"
    r"|H2testw (?:[Vv]ersion |v)[0-9]\.[0-9].{0,40}\Z"
)
_VERDICT = re.compile(
    r"(Test finished without errors|Test abgeschlossen, kein Fehler)|The media is likely to be defective"
    r"|Der Datenträger ist wahrscheinlich defekt"
)
_DIRECTIONS = {
    "Writing speed": "write",
    "Schreibrate": "write",
    "Reading speed": "read",
    "Leserate": "read",
}
_ALL = 0.98  # of a card, but for what its file system needs
FEW = 0.01  # of what was tested: worn sectors, and no end of the card
_FACTORS = {"K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
_NAMES = {
    "OK": "ok_bytes",
    "DATA LOST": "lost_bytes",
    "DATENVERLUST": "lost_bytes",
    "overwritten": "overwritten_bytes",
    "überschrieben": "overwritten_bytes",
    "slightly changed": "changed_bytes",
    "leicht verändert": "changed_bytes",
    "corrupted": "corrupted_bytes",
    "Datenmüll": "corrupted_bytes",
    "mehrfach genutzter Speicher": "aliased_bytes",
    "aliased memory": "aliased_bytes",
}


class H2testw(Reader):
    def __init__(self) -> None:
        self.share, self.ok_bytes = 1.0, 0

    def size(self, match: re.Match[str], scene: Scene) -> bool | None:
        unit, size_bytes = _FACTORS[match[2]], int(match[4]) * _SECTOR
        if match[3] not in _NAMES or abs(size_bytes - decimal(match[1]) * unit) > unit:
            return False
        name = _NAMES[match[3]]
        scene.add_fact(TOOL, name, size_bytes, span=scene.span(match))
        if name == "ok_bytes":
            self.ok_bytes = size_bytes
        elif name == "lost_bytes" and size_bytes:
            self._lose(size_bytes, scene, scene.span(match))
        return None

    def _lose(self, lost_bytes: int, scene: Scene, span: Span) -> None:
        tested_bytes = self.ok_bytes + lost_bytes
        if self.share > _ALL and is_promised(tested_bytes):
            scene.kept(TOOL, self.ok_bytes, span=span)
        elif lost_bytes > FEW * tested_bytes:
            scene.add_loss(TOOL, span=span)

    def speed(self, match: re.Match[str], scene: Scene) -> None:
        what = ("fill", "throughput", f"{match[3]}iB/s")
        scene.printed(TOOL, what, match[2], match, direction=_DIRECTIONS[match[1]])

    def partly(self, match: re.Match[str], scene: Scene) -> None:
        self.share = int(match[1]) / max(int(match[2]), 1)
        scene.add_fact(TOOL, "tested_bytes", int(match[1]) * _FACTORS["M"], span=scene.span(match, 1))
        scene.add_fact(
            TOOL, "about_announced_size_bytes", int(match[2]) * _FACTORS["M"], span=scene.span(match, 2)
        )

    def verdict(self, match: re.Match[str], scene: Scene) -> None:
        scene.output_lines.append(scene.line.number)
        scene.add_fact(TOOL, "capacity_verdict", "good" if match[1] else "damaged", span=scene.span(match))

    rows = ((_SIZE, size), (_SPEED, speed), (_PARTLY, partly), (_VERDICT, verdict), (_KNOWN, skip))


def is_promised(tested_bytes: int) -> bool:
    """Whether cards are sold that hold so much, but for their file system; else the line that says how much of it was
    tested may be missing."""
    gigabytes = tested_bytes / 1e9
    return any(0.92 <= gigabytes / 2**power <= 1.08 for power in range(12))
