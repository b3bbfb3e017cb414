"""Parse the bus mode between host and card from /sys/kernel/debug/mmc0/ios.

Source: Linux drivers/mmc/core/debugfs.c, mmc_ios_show.
"""

from submissions.domain.intake.slots import TYPES, Table, fact, noise

TOOL = "debugfs"
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
_TYPES = TYPES | {
    "mode": (r"[\w -]{3,40}", _MODES.get),
    "hertz": ("[0-9]{1,12}", lambda text: int(text) or None),
    "volts": (r"[0-9]\.[0-9]{2}", lambda text: round(float(text) * 1000)),
}


class MmcIos(Table):
    types = _TYPES
    tool = TOOL
    lines = (
        fact("clock: {clock_hz:hertz} Hz"),
        fact(r"bus width: [0-9] \({width_bits:count} bits\)…"),
        fact(r"timing spec: [0-9]{1,2} \({name:mode}\)…"),
        fact(r"signal voltage: [0-9] \({signal_voltage_mv:volts} V\)…"),
        # Settings of the host that limit no rate.
        *noise(
            r"(?:actual clock|vdd|bus mode|chip select|power mode|driver type): [0-9]{1,12} (?:Hz|\(.{1,40}\))"
        ),
    )
