"""Parse rates that people copy by hand or a script prints: AS SSD, ATTO, CPDT, A1 SD Bench, winsat, Markdown tables.

A line states its test, but not how many bytes a MB has, whether a cache was used, and how many requests were in flight.
So the sender is asked for the unit, and the figures are only kept in `extra` of the report, not compared.
"""

from typing import Any

from submissions.domain.intake.choices import MEGABYTES
from submissions.domain.intake.slots import Found, Table, count_bytes, row

_ASK = "Is one MB here 1,000,000 or 1,048,576 bytes? The tool's original output would show it."


class Typed(Table):
    tool = "typed"

    def set_up(self) -> None:
        self.named, self.pattern = False, dict[str, Any]()

    @row(r"(?i:AS SSD Benchmark|ATTO Disk Benchmark|CPDT|Cross Platform Disk Test|A1 SD Bench)\b.{0,60}")
    def banner(self, found: Found) -> None:
        self.named, self.pattern = True, {}

    @row("{name:Seq|Sequential|Sequentiell|Séquentiel|4K|4K-64Thrd|4K-64Threads|512B}:")
    def order(self, found: Found) -> bool:
        sequential = found["name"].startswith("S")
        self.pattern = {"order": "sequential"} if sequential else {"called": found["name"]}
        return self.named

    @row("(?:{reads:Read|Lesen|Lecture}|Write|Schreiben|Ecriture): {rate:number} ?MB/s")
    def row_below(self, found: Found) -> bool:
        if self.named and self.pattern:
            direction = "read" if found["reads"] else "write"
            self._add(self.pattern | {"direction": direction}, "rate", found)
        return self.named and bool(self.pattern)

    @row(
        r"(?i:[|>*-]? ?{name:(?:\w{2,8} )?(?:[0-9]{1,5} ?[KM]B? )?(?:sequential|random|seq\.?|rand\.?"
        r"|disk\s{1,4}(?:sequential|random) [0-9.]{1,6}|sd card|random i/o) (?:read|write)s?"
        r"(?: ?\[?[0-9]{1,4} ?[KM]i?B\]?)?}(?: ?[:=|] ?|\s{2,30}){rate:number} ?MB/s ?[|0-9.]{0,12})"
    )
    def cell(self, found: Found) -> None:
        name = " ".join(found["name"].casefold().split())
        direction = "read" if "read" in name else "write"
        self._add({"called": name, "direction": direction}, "rate", found)

    @row("{size:count} {unit:[KM]?B} {write:number} ?MB/s {read:number} ?MB/s")
    def atto(self, found: Found) -> bool:
        block = count_bytes(found["size"], found["unit"].replace("B", ""))
        for direction in ("write", "read") if self.named else ():
            known = {"block_size_bytes": block, "order": "sequential", "direction": direction}
            self._add(known, direction, found)
        return self.named

    def _add(self, parameters: dict[str, Any], slot: str, found: Found) -> None:
        megabyte = int(self.ask("unit", _ASK, found, MEGABYTES) or 0)
        what = ("typed", "throughput", "B/s")
        self.add_number(what, found[slot] * megabyte, found, **parameters)
