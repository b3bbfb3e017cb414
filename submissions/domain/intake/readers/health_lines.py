"""Parse the wear that a card states: by sdmon (CMD56 of industrial cards), mmc extcsd and sysfs (levels of an eMMC).

A level of 1 means that up to a tenth of the life is used, 2 up to two tenths (JESD84-B51, EXT_CSD 268, 269, 267); 0
means that the card does not state it. Consumer cards support neither, and their response to sdmon is all ones or zeros.
"""

import re
from collections import Counter
from collections.abc import Iterator

from submissions.domain.intake.lines import NotANumber, decimal
from submissions.domain.intake.parsed import Fact, Span
from submissions.domain.intake.slots import TYPES, Found, Table, row

TOOL = "health"
_READING = (
    r'"(\w[\w ]{3,40})": ?(?:([0-9]{1,12}(?:\.[0-9]{1,3})?) ?%?|\[((?:"[0-9a-fx]{1,4}",?){2,8})\])(?=,|\s*\Z)'
)
_PAIR = re.compile(_READING)
_TYPES = TYPES | {"readings": (rf"(?:{_READING},?\s{{0,4}}){{1,12}}", str)}
_AGAIN = "sdmon ran more than once, perhaps on a different card: we use only its first readings."
_NO_ANSWER = "The card did not answer sdmon: it printed an error, or readings that are all ones or all zeros."
_ALL_ONES = (2**16 - 1, 2**32 - 1)
_TELLING_ZEROS = 3  # a single reading may well be 0
_NAMES = {
    "enduranceRemainLifePercent": "endurance_left_percent",
    "Remaining life": "endurance_left_percent",
    "Remaining Lifetime Percent": "endurance_left_percent",
    "healthStatusPercentUsed": "life_used_percent",
    "totalEraseCount": "erase_count",
    "Data area total erase cnt": "erase_count",
    "User area total cycle cnt": "erase_count",
    "powerUpCount": "power_on_count",
    "Power cucle cnt": "power_on_count",
    "Power cycle cnt": "power_on_count",
    "laterBadBlockCount": "later_bad_blocks",
    "User area runtime bad blocks cnt": "later_bad_blocks",
}
# Attributes of sysfs, and fields of EXT_CSD, with the highest level that the specification has.
_LEVELS = {"life_time_a": 11, "life_time_b": 11, "pre_eol": 3}
_ATTRIBUTES = {
    "life_time": ("life_time_a", "life_time_b"),
    "pre_eol_info": ("pre_eol",),
    "life_time_est_typ_a": ("life_time_a",),
    "life_time_est_typ_b": ("life_time_b",),
}


class Health(Table):
    types = _TYPES
    tool = TOOL

    def set_up(self) -> None:
        self.runs = Counter[str]()  # by device
        self.begun, self.answered, self.device = False, True, ""
        self.readings: list[tuple[str, float, Span]] = []

    def end(self) -> None:
        values = [value for _, value, _ in self.readings]
        known = [reading for reading in self.readings if reading[0] in _NAMES]
        silent = max(values, default=0) == 0 and len(values) >= _TELLING_ZEROS
        if not self.answered or (known and (silent or any(value in _ALL_ONES for value in values))):
            self.scene.left_out.append(_NO_ANSWER)
            known = []
        for name, value, span in known:
            number = int(value) if value == int(value) else value
            self.scene.facts.append(Fact(span, TOOL, _NAMES[name], number, self.device or self.scene.device))
        self.readings, self.answered, self.device = [], True, ""

    @row(r'\{?"version": ?"…')
    def begins(self, found: Found) -> bool:
        self.end()
        self.begun = True
        return False

    # The result tells whether it is the first run of its device.
    def _count_run(self) -> bool:
        device = self.device or self.scene.device
        self.runs[device] += self.begun
        self.begun, is_first = False, self.runs[device] < 2
        self.scene.left_out += [] if is_first else [_AGAIN]
        return is_first

    @row('"device": ?"/dev/{device:[a-z0-9]{3,12}}",?')
    def note_device(self, found: Found) -> None:
        self.device = found["device"]

    @row('"error[12]": ?".{1,100}')
    def error(self, found: Found) -> None:
        self._count_run()
        self.answered = False

    @row("{readings:readings}")
    def sdmon(self, found: Found) -> bool:
        """Hold the readings of a run of sdmon until its end, because any may show that the card gave no answer."""
        readings = [(name, value, self.span(found)) for name, value in _readings(found["readings"])]
        understood = bool(readings) and all(name in _NAMES for name, _, _ in readings)
        is_first = self._count_run() if understood else True
        self.readings += readings if is_first else []
        return understood and is_first

    @row(
        r"(?i:(?:eMMC |Device )?(?:life time estimation|pre eol information)\b.{0,20}"
        r"\[(?:EXT_CSD_)?(?:DEVICE_)?{name:LIFE_TIME_EST_TYP_[AB]|PRE_EOL_INFO}(?:\]: |: )0x{level:[0-9a-f]{2}}\]?)"
    )
    def estimate(self, found: Found) -> None:
        for name, level in find_levels(found["name"].lower(), found["level"]):
            self.add(name, level, found)


def _readings(line: str) -> Iterator[tuple[str, float]]:
    for match in _PAIR.finditer(line):
        value = decimal(match[2]) if match[2] else _number(match[3])
        if value <= 100 or "percent" not in _NAMES.get(match[1], ""):
            yield match[1], value


def _number(listed: str) -> float:
    """Return the number that a list of bytes holds, most significant byte first; bytes with 0x are hexadecimal.

    Raise NotANumber for other digits.
    """
    try:
        digits = [int(byte, 0) & 0xFF for byte in re.findall(r"[0-9a-fx]+", listed)]
    except ValueError as error:
        raise NotANumber(listed) from error
    return int.from_bytes(bytes(digits), "big")


def find_levels(attribute: str, value: str) -> Iterator[tuple[str, int]]:
    """Yield the names and levels of wear that an attribute such as life_time: "0x01 0x02" states.

    A level of 0 is left out, because it means that the card does not state it.
    """
    names, words = _ATTRIBUTES.get(attribute, ()), value.split()
    numbers = [int(word, 16) for word in words if re.match(r"(?:0x)?[0-9A-Fa-f]{1,2}\Z", word)]
    if len(words) == len(numbers) == len(names):
        yield from (
            (name, level) for name, level in zip(names, numbers, strict=True) if 0 < level <= _LEVELS[name]
        )
