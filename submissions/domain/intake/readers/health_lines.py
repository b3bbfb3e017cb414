"""Wear as a card tells it: sdmon (CMD56 of industrial cards) and the life time estimates of an eMMC (mmc extcsd read).

An estimate of 1 means that up to a tenth of the life is used, 2 up to two tenths (JESD84-B51, EXT_CSD 268, 269, 267);
0 that the card does not tell. Consumer cards know neither.
"""

import re

from submissions.domain.intake.scene import Reader, Scene

TOOL = "health"
_SDMON = re.compile(r'"(\w[\w ]{3,40})": ?([0-9]{1,12}(?:\.[0-9]{1,3})?)%?,?\s*\Z')
_BEGINS = re.compile(r'"version": ?"v[0-9]')
_AGAIN = "sdmon ran more than once, perhaps on another card: only its first readings are taken."
_EXT_CSD = re.compile(
    r"(?:eMMC |Device )?(?:life time estimation|pre eol information)\b.{0,20}"
    r"\[(?:EXT_CSD_)?(?:DEVICE_)?(LIFE_TIME_EST_TYP_[AB]|PRE_EOL_INFO)(?:\]: |: )0x([0-9a-f]{2})\]?\s*\Z",
    re.IGNORECASE,
)
_NAMES = {
    "enduranceRemainLifePercent": "endurance_left_percent",
    "healthStatusPercentUsed": "life_used_percent",
    "totalEraseCount": "erase_count",
    "powerUpCount": "power_on_count",
    "laterBadBlockCount": "later_bad_blocks",
    "Remaining life": "endurance_left_percent",
    "Data area total erase cnt": "erase_count",
    "Power cucle cnt": "power_on_count",
    "LIFE_TIME_EST_TYP_A": "life_time_a",
    "LIFE_TIME_EST_TYP_B": "life_time_b",
    "PRE_EOL_INFO": "pre_eol",
}


class Health(Reader):
    def __init__(self) -> None:
        self.runs = 0

    def begins(self, match: re.Match[str], scene: Scene) -> None:
        self.runs += 1
        if self.runs == 2:
            scene.left_out.append(_AGAIN)

    def sdmon(self, match: re.Match[str], scene: Scene) -> bool | None:
        name, number = _NAMES.get(match[1], ""), float(match[2])
        if not name or self.runs > 1 or (name.endswith("_percent") and number > 100):
            return False  # a card that knows no such command answers something
        scene.add_fact(TOOL, name, int(number) if number.is_integer() else number, span=scene.span(match))
        return None

    def estimate(self, match: re.Match[str], scene: Scene) -> None:
        if level := int(match[2], 16):
            scene.add_fact(TOOL, _NAMES[match[1].upper()], level, span=scene.span(match))

    rows = ((_BEGINS, begins), (_SDMON, sdmon), (_EXT_CSD, estimate))
