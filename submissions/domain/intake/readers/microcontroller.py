"""Parse benchmarks on microcontrollers: SdFat's bench, sd_bench of PX4 and NuttX, hydrafw, ESP32.

Microcontrollers have no page cache. SdFat divides bytes by milliseconds: its KB are 1000 bytes (examples bench and
TeensySdioDemo). KB of sd_bench are 1024, as its longest write shows. If a sketch prints bytes and milliseconds, these
are used instead of its rounded rate. None of the benchmarks states the bus: SPI has a tenth of the rate of a slot with
four data lines.
"""

from submissions.domain.intake.slots import Found, Quantity, Table, noise, row

SDFAT, SD_BENCH, SKETCH = "sdfat", "sd_bench", "esp32"
_MIB, _SECTOR = 1024**2, 512
_KNOWN = {"io": "direct", "queue_depth": 1}
_TIMES = {"max": "most", "min": "least", "mean": "mean"}
_ASK = "Which block size did it use? Please paste the line that says so."


class Microcontroller(Table):
    def begin(self) -> None:
        """Begin a run at a new command; the heading "Starting write test" only continues a run."""
        if not self.scene.heading:
            self.direction, self.block, self.order = "", 0, "sequential"

    @row(
        r"(?:BUF_SIZE = |Buffer size |(?:INFO \[sd_bench\] )?Using block size = |Write Buffer size: )"
        "{block:count} (?:bytes|---)…"
    )
    def setting(self, found: Found) -> None:
        self.block = found["block"]

    @row("(?:{direction:write|read} speed and latency|size,write,read)")
    def heading(self, found: Found) -> None:
        self.direction = found["direction"] or "both"

    @row("{rate:number}, ?{most:[0-9]{1,8}}, ?{least:[0-9]{1,8}}, ?{mean:[0-9]{1,8}}")
    def sdfat(self, found: Found) -> bool:
        times = {f"latency_{name}": Quantity(float(found[slot]), "us") for name, slot in _TIMES.items()}
        rate = {"throughput": Quantity(found["rate"], "kB/s")}
        return self.direction in ("read", "write") and self._add_values(SDFAT, rate | times, found)

    @row("{block:[0-9]{3,6}},{write:number},{read:number}")
    def size(self, found: Found) -> bool:
        if self.direction != "both":
            return False
        self.block = int(found["block"])
        for self.direction in ("write", "read"):
            self._add_values(SDFAT, {"throughput": Quantity(found[self.direction], "kB/s")}, found)
        self.direction = "both"
        return True

    @row(
        r"(?:INFO (?:\[sd_bench\])? ?)?Run [0-9]{1,5}: {rate:number} KB/s, max {direction:write|read}(?:/verify)?"
        r" time: {most:number} ms \(=? ?{:number} KB/s\)(?:, fsync: {:number} ms)?"
    )
    def run(self, found: Found) -> bool:
        self.direction = found["direction"]
        rate, most = Quantity(found["rate"], "KiB/s"), Quantity(found["most"], "ms")
        return self._add_values(SD_BENCH, {"throughput": rate, "latency_max": most}, found)

    @row("{order:Aligned sequential|Unaligned sequential|Random} {direction:access}:")
    def order_heading(self, found: Found) -> None:
        self.direction = found["direction"]
        self.order = {"Random": "random", "Aligned sequential": "sequential"}.get(found["order"], "unaligned")

    @row("{block:number}KiB blocks: {sectors:count} sectors/s, {:number} MB/s")
    def sectors(self, found: Found) -> bool:
        self.block = int(found["block"] * 1024)
        rate = {"throughput": Quantity(found["sectors"] * _SECTOR, "B/s")}
        return self.direction in ("read", "write") and self._add_values(SKETCH, rate, found)

    @row(
        r"(?i:{direction:access}):? {bytes:count} bytes (?:\(block size {block:count}\) )?in "
        r"{time:number} ?{unit:ms|s} \({:number} MB/s\)…"
    )
    @row(
        "{megabytes:count} MB {direction:access} using {block:count} byte buffer for"
        " {time:number} {unit:ms} @ {:number} KBps"
    )
    def duration(self, found: Found) -> bool:
        self.direction = found["direction"]
        slots, seconds = found.row.converts, found["time"] / (1000 if found["unit"] == "ms" else 1)
        self.block = found["block"] or self.block
        size_bytes = found["bytes"] if "bytes" in slots else found["megabytes"] * _MIB
        rate = Quantity(size_bytes / seconds if seconds else 0, "B/s")
        return seconds > 0 and self._add_values(SKETCH, {"throughput": rate}, found)

    @row(
        r"(?:I \([0-9]{1,9}\) \w{1,20}: )?(?:Write|Read) speed: {:number} MB/s \({:number} seconds for {:count} bytes\)"
    )
    @row("{:count} bytes (?:written|read) for {:count} ms")
    def rate(self, found: Found) -> None:
        self.tool = SKETCH
        self.ask("block_size_bytes", _ASK, found)

    def _add_values(self, tool: str, values: dict[str, Quantity], found: Found) -> bool:
        self.tool = tool
        if not self.block:
            self.ask("block_size_bytes", _ASK, found)
            return True
        known = {"direction": self.direction, "order": self.order, "block_size_bytes": self.block} | _KNOWN
        for metric, (value, unit) in values.items():
            self.add_number(("stream", metric, unit), value, found, **known)
        return True

    # Averages of the runs above.
    lines = noise(
        "Avg ?: {:number} KB/s.{0,60}",
        "FILE_SIZE_MB = [0-9]{1,6}",
        "File size:? [0-9]{1,12} ?(?:MB|---)",
    )
