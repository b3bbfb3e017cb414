"""Rates whose unit has two meanings: Mb/s is megabit, and many write it for megabyte. The owner is asked.

Bits that are spelled out have one meaning: a rate of a bus, and no result.
"""

import re

from submissions.domain.intake.choices import bytes_of, rates
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.scene import Reader, Scene

_RATE = re.compile(
    r"[A-Za-z][A-Za-z ]{0,30}\s{0,9}[=:]\s{0,9}([0-9]{0,9}(?:[.,][0-9]{1,6})?) ?([kKMG]?b(?:/s|ps)|[KMG]/s)\s*\Z"
)


class Ambiguous(Reader):
    def rate(self, match: re.Match[str], scene: Scene) -> None:
        detail = (
            f"Does “{match[2]}” mean bits or bytes, and in powers of 1000 or 1024? Which tool printed it?"
        )
        answer = scene.ask("unknown", "unit", detail, span=scene.span(match, 2), choices=rates(match[2]))
        if answer:
            value = decimal(match[1]) * bytes_of(answer)
            parameters = {"called": match[0].partition("=")[0].partition(":")[0].strip()}
            what = ("unknown", "throughput", "B/s")
            scene.measured("unknown", what, value, span=scene.span(match), parameters=parameters)

    rows = ((_RATE, rate),)
