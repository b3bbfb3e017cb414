"""Parse rates in a unit with two meanings: Mb/s is megabits, but many people write it for megabytes.

The sender is asked. Bits that are spelled out have one meaning: they are the rate of a bus, and no result.
"""

from submissions.domain.intake.choices import bytes_of, rates
from submissions.domain.intake.slots import Found, Table, row


class Ambiguous(Table):
    tool = "unknown"

    @row("{called:[A-Za-z][A-Za-z ]{0,30}?} ?[=:] ?{rate:number} ?{unit:[kKMG]?b(?:/s|ps)|[KMG]/s}")
    def rate(self, found: Found) -> None:
        unit = found["unit"]
        detail = f"Does “{unit}” mean bits or bytes, and in powers of 1000 or 1024? Which tool printed it?"
        if answer := self.ask("unit", detail, self.span(found, "unit"), rates(unit)):
            what, rate = (self.tool, "throughput", "B/s"), found["rate"] * bytes_of(answer)
            self.add_number(what, rate, found, called=found["called"])
