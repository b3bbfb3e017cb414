"""Parse the text output of CrystalDiskMark 3 to 8 (Windows) and KDiskMark (Linux): a file, without the page cache.

Their banner says that MB are 10^6 bytes, but KDiskMark divides KiB by 1000, as its operations per second show. If a
sequential row states no block size, blocks have 1 MiB, or with several requests in flight (versions 5 and 6) 128 KiB
(crystalmark.info, "Test items"). Whether a write waits for the card is not published.
"""

import re

from submissions.domain.intake.parsed import Span
from submissions.domain.intake.slots import TYPES, Found, Table, row

_TYPES = TYPES | {"version": (r"[0-9]{1,2}(?:\.[0-9]{1,3}){0,3}\w?", str)}
_ORDERS = {"S": "sequential", "R": "random"}
_DEEP, _SINGLE = 128 * 1024, 1024**2
_MB, _MB_OF_KIB = 1_000_000, 1_024_000


class DiskMark(Table):
    """Base class of the parsers for CrystalDiskMark and KDiskMark: the rows that both tools print."""

    types = _TYPES

    def begin(self) -> None:
        self.here, self.direction, self.held = False, "", list[tuple[Found, Span]]()

    def banner(self, found: Found) -> None:
        self.here, self.direction = True, ""
        self.scene.output_lines.append(self.scene.line.number)
        self.tell(found)

    @row(r"\[{part:Read|Write|Mix}\]…")
    def part(self, found: Found) -> bool:
        """Begin a block of rows. Rows of mixed reads and writes are skipped, since no figure compares them."""
        self.direction = found["part"].lower().replace("mix", "")
        return self.here

    @row(
        "{order:Sequential|SEQ|Random|RND}(?: {direction:Read|Write})?(?: {block:binary_size})? ?"
        r"(?:\((?:QD?= ?{depth:[0-9]{1,4}})?,? ?(?:T= ?{threads:[0-9]{1,4}})?\))? ?: ?{rate:number} MB/s"
        r"(?: ?\[ ?{iops:number} IOPS\])?(?: ?< ?{latency:number} us>)?"
    )
    def result(self, found: Found) -> bool:
        """Add a row of results of CrystalDiskMark.

        Without the banner of the tool, rows are held until a row with operations per second, which no other tool
        prints.
        """
        self.here = self.here or bool(found["direction"] and found["iops"])
        if not self.here:
            self.held += [(found, self.span(found))] if found["direction"] else []
            return bool(found["direction"])
        waiting, self.held = self.held, []
        for earlier, span in waiting:
            self._add(earlier, span)
        return self._add(found, self.span(found))

    def _add(self, found: Found, span: Span) -> bool:
        direction = (found["direction"] or self.direction).lower()
        depth = int(found["depth"] or 1) * int(found["threads"] or 1)
        block = found["block"] or (_DEEP if depth > 1 else _SINGLE)
        rate, iops, latency = (found[name] or 0.0 for name in ("rate", "iops", "latency"))
        unit = _megabyte(rate, iops, block) if direction else 0
        known = {"direction": direction, "order": _ORDERS[found["order"][0]], "io": "direct"}
        known |= {"block_size_bytes": block, "queue_depth": depth}
        numbers = (("throughput", "B/s", rate * unit), ("iops", "1/s", iops), ("latency_mean", "us", latency))
        for metric, name, value in numbers if unit else ():
            self.add_number(("stream", metric, name), value, span, **known)
        return bool(unit)

    @row(r"\* MB/s = 1,000,000 bytes?/s\b.{0,80}")
    @row(r"\* KB = 1000 bytes, KiB = 1024 bytes")
    def base(self, found: Found) -> None:
        """Note that the rows below are in the format of CrystalDiskMark, even if another tool printed them."""
        self.here = True

    @row(r"Test ?: .{1,60} {place:\[[D-Z]: [0-9.]{1,5}% \([0-9.]{1,9}/[0-9.]{1,9} ?[GT]iB\)\]}.{0,30}")
    def volume(self, found: Found) -> bool:
        """Add the drive that CrystalDiskMark prints below the rows that were measured on it."""
        self.add("place", re.sub(r"[0-9.]+% |[0-9.]+(?=/)", "", found["place"]), found)
        return self.here

    @row("(?:Test|Date|Time|Mode|Profile|OS|Comment) ?: .{1,120}")
    @row(r"Crystal Dew World ?: https?://\S{1,60}")
    @row("Flexible I/O Tester .{1,80}")
    def setting(self, found: Found) -> bool:
        """Accept settings and units of CrystalDiskMark, which are always the same."""
        return self.here


class CrystalDiskMark(DiskMark):
    tool = "crystaldiskmark"
    lines = (
        (
            r"(?:CrystalDiskMark|disk-mark-me|LinuxDiskMark) v?{tool_version:version}\b.{0,80}",
            DiskMark.banner,
        ),
    )


class KDiskMark(DiskMark):
    tool = "kdiskmark"
    lines = ((r"KDiskMark \({tool_version:version}\): https?://\S{1,60}", DiskMark.banner),)


def _megabyte(rate: float, iops: float, block_size: int) -> int:
    """Return the bytes of a printed MB: 10^6 as the banner says, or 1,024,000 if only that fits the IOPS.

    It is 0 if neither fits.
    """
    expected = iops * block_size
    doubt = 0.05 * block_size + 0.004 * expected  # they have one digit behind the point, the rate has three
    fitting = (unit for unit in (_MB, _MB_OF_KIB) if abs(rate * unit - expected) <= doubt + 0.0005 * unit)
    return next(fitting, 0) if expected else _MB
