"""Parse the output of H2testw in English and German: the real capacity of a card.

KByte, MByte and GByte are powers of 1024, as its sector counts show. If the whole card was tested and some data was
lost, the rest is its capacity. If only a part was tested and more than a few sectors were lost, the card loses data.
"""

from submissions.domain.intake.slots import Found, Table, count_bytes, noise, row

_SECTOR, _MIB = 512, 1024**2
_ALL = 0.98  # share of a card that counts as the whole card; the rest holds its file system
FEW = 0.01  # share of the tested bytes that may be worn sectors and not the end of the card
_READ_ERROR = ("io_error", "H2testw could not read a file that it had written.")
_NAMES = {
    "OK": "ok_bytes",
    "DATA LOST": "lost_bytes",
    "DATENVERLUST": "lost_bytes",
    "DATEN VERLOREN": "lost_bytes",
    "overwritten": "overwritten_bytes",
    "überschrieben": "overwritten_bytes",
    "slightly changed": "changed_bytes",
    "leicht verändert": "changed_bytes",
    "corrupted": "corrupted_bytes",
    "Datenmüll": "corrupted_bytes",
    "Müll": "corrupted_bytes",
    "mehrfach genutzter Speicher": "aliased_bytes",
    "aliased memory": "aliased_bytes",
}


class H2testw(Table):
    tool = "h2testw"

    def set_up(self) -> None:
        self.share, self.ok_bytes = 1.0, 0

    @row(
        r"(?:Details: ?)?{about:number} {unit:[KMGT]}Byte {name:[^\d()]{2,30}?} "
        r"\((?:< [0-9] [Bb]it/[Ss]e[ck]tor, )?{sectors:count} [Ss]e[ck]tor(?:s|en)?\)…"
    )
    def size(self, found: Found) -> bool | None:
        size_bytes, name = found["sectors"] * _SECTOR, _NAMES.get(found["name"])
        about, unit = (count_bytes(value, found["unit"]) for value in (found["about"], 1))
        if not name or abs(size_bytes - about) > unit:
            return False
        self.add(name, size_bytes, found)
        if name == "ok_bytes":
            self.ok_bytes = size_bytes
        elif name == "lost_bytes" and size_bytes:
            self._lose(size_bytes, found)
        return None

    def _lose(self, lost_bytes: int, found: Found) -> None:
        tested_bytes = self.ok_bytes + lost_bytes
        if self.share > _ALL and is_promised(tested_bytes):
            self.add_capacity(self.ok_bytes, found)
        elif lost_bytes > FEW * tested_bytes:
            self.add_loss(found)

    @row("{what:Writing speed|Reading speed|Schreibrate|Leserate}: {rate:number} {unit:[KMG]}Bytes?(?:/s|$)…")
    def speed(self, found: Found) -> None:
        direction = "write" if found["what"][0] in "WS" else "read"
        unit = f"{found['unit']}iB/s"
        self.add_number(("fill", "throughput", unit), found["rate"], found, direction=direction)

    @row("(?:Warning: Only|Achtung: Nur) {tested:count} (?:of|von) {all:count} MByte (?:tested|getestet)…")
    def partly(self, found: Found) -> None:
        self.share = found["tested"] / max(found["all"], 1)
        self.add("tested_bytes", found["tested"] * _MIB, found)
        self.add("about_announced_size_bytes", found["all"] * _MIB, found)

    @row(
        "(?:{good:Test finished without errors|(?:Test abgeschlossen|Fertig), kein Fehler}"
        "|The media is likely to be defective|Der Datenträger ist wahrscheinlich defekt)…"
    )
    def verdict(self, found: Found) -> None:
        self.scene.output_lines.append(self.scene.line.number)
        self.add("capacity_verdict", "good" if found["good"] else "damaged", found)

    @row("Error (?:reading|verifying) file .{1,200}")
    def read_error(self, found: Found) -> None:
        """Add a failure: the device could not read the data that H2testw had written."""
        what, span = ("fill", "throughput", "MiB/s"), self.span(found)
        self.scene.add_failure(self.tool, what, _READ_ERROR, span=span, parameters={"direction": "read"})

    # The place of the first error, advice about the files, and the name of the program: not needed.
    lines = noise(
        r"(?:You can|Sie können) .{0,60}\\?\*\.h2w\b.{0,80}",
        "The request could not be performed because of an I/O device error.{0,20}",
        "(?:First error at offset|Erster Fehler bei Offset|Expected|Soll|Found|Ist): {:hex}",
        r"H2testw (?:[Vv]ersion |v)[0-9]\.[0-9].{0,40}",
    )


def is_promised(tested_bytes: int) -> bool:
    """Return whether cards of this tested size are sold; if not, the line with the size may be missing."""
    gigabytes = tested_bytes / 1e9
    return any(0.92 <= gigabytes / 2**power <= 1.08 for power in range(12))
