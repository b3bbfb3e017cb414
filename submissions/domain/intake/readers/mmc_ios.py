"""How the host talks to the card: /sys/kernel/debug/mmc0/ios (Linux drivers/mmc/core/debugfs.c, mmc_ios_show)."""

import re

from submissions.domain.intake.scene import Reader, Scene, skip

TOOL = "debugfs"
_CLOCK = re.compile(r"clock:\s{1,9}([0-9]{1,12}) Hz\s*\Z")
_WIDTH = re.compile(r"bus width:\s{1,9}[0-9] \(([148]) bits\)")
_TIMING = re.compile(r"timing spec:\s{1,9}[0-9]{1,2} \(([\w -]{3,40})\)")
_VOLTAGE = re.compile(r"signal voltage:\s{1,9}[0-9] \(([0-9]\.[0-9]{2}) V\)")
# Settings of the host that limit no rate.
_OTHERS = re.compile(
    r"(?:actual clock|vdd|bus mode|chip select|power mode|driver type):\s{1,9}[0-9]{1,12} (?:Hz|\(.{1,40}\))\s*\Z"
)
# The kernel's words -> the name of the bus mode in the specifications. "legacy" is another on SD than on MMC.
_MODES = {
    "sd high-speed": "SD high-speed",
    "sd uhs SDR12": "SDR12",
    "sd uhs SDR25": "SDR25",
    "sd uhs SDR50": "SDR50",
    "sd uhs DDR50": "DDR50",
    "sd uhs SDR104": "SDR104",
    "mmc high-speed": "MMC high-speed",
    "mmc DDR52": "MMC DDR52",
    "mmc HS200": "HS200",
    "mmc HS400": "HS400",
    "mmc HS400 enhanced strobe": "HS400",
}


class MmcIos(Reader):
    def clock(self, match: re.Match[str], scene: Scene) -> None:
        if int(match[1]):
            scene.add_fact(TOOL, "clock_hz", int(match[1]), span=scene.span(match))

    def width(self, match: re.Match[str], scene: Scene) -> None:
        scene.add_fact(TOOL, "width_bits", int(match[1]), span=scene.span(match))

    def timing(self, match: re.Match[str], scene: Scene) -> bool | None:
        if match[1] not in _MODES:
            return False
        scene.add_fact(TOOL, "name", _MODES[match[1]], span=scene.span(match))
        return None

    def voltage(self, match: re.Match[str], scene: Scene) -> None:
        scene.add_fact(TOOL, "signal_voltage_mv", round(float(match[1]) * 1000), span=scene.span(match))

    rows = ((_CLOCK, clock), (_WIDTH, width), (_TIMING, timing), (_VOLTAGE, voltage), (_OTHERS, skip))
