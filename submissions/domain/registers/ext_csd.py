"""Decode the EXT_CSD: size, wear, cache, queue and firmware of an eMMC.

Source: JESD84-B51 section 7.4; byte numbers as there. `raw` starts with byte 0, as debugfs prints it.
"""

from dataclasses import dataclass

from submissions.domain.registers.hexdigits import RegisterBytes
from submissions.domain.registers.register_layout import (
    Register,
    RegisterReading,
    Value,
    printable,
    read_fields,
    table,
)

_SECTOR = 512
_KIB_512 = 512 * 1024
_FIRST_WITH_HEALTH = 7  # eMMC 5.0

_TIMINGS = (
    *("26 MHz", "52 MHz", "DDR52 at 1.8 or 3 V", "DDR52 at 1.2 V"),
    *("HS200 at 1.8 V", "HS200 at 1.2 V", "HS400 at 1.8 V", "HS400 at 1.2 V"),
)
_PRE_EOL = {1: "normal", 2: "warning: 80 % of the reserve is used", 3: "urgent"}


def _life_used(number: int) -> str | None:
    # DEVICE_LIFE_TIME_EST: 1 is the first tenth, 11 is beyond the promised life.
    if number == 0:
        return "not defined"
    if number == 11:
        return "beyond its estimated life"
    return f"{(number - 1) * 10} to {number * 10} % used" if number < 11 else None


EXT_CSD = table(
    *("ext_csd", 512),
    {
        "depth": lambda number: (number & 31) + 1,
        "life": _life_used,
        "reserve": ({0: "not defined"} | _PRE_EOL).get,
        "timings": lambda number: (
            ", ".join(name for bit, name in enumerate(_TIMINGS) if number >> bit & 1) or "none"
        ),
        "first bit": lambda number: bool(number & 1),
    },
    little_endian=True,
)


@dataclass(frozen=True, slots=True)
class ExtCsd(Register):
    """A decoded EXT_CSD. A life value is the code 1..11 (1 = at most 10 % used), None if unknown."""

    ext_csd_rev: int
    emmc_version: str | None
    capacity_bytes: int | None
    boot_partition_bytes: int
    rpmb_bytes: int
    general_partition_bytes: tuple[int, ...]
    erase_group_bytes: int | None
    native_sector_bytes: Value
    cache_bytes: int
    queue_depth: int
    timings: str
    firmware_version: str
    field_firmware_update: bool
    pre_eol: str | None
    life_time_a: int | None
    life_time_b: int | None


def decode(register: RegisterBytes) -> ExtCsd:
    reading = read_fields(EXT_CSD, register.raw)
    number = reading.__getitem__
    revision = number("EXT_CSD_REV")
    healthy = revision >= _FIRST_WITH_HEALTH
    return ExtCsd(
        register.raw,
        reading,
        **reading.attributes,
        ext_csd_rev=revision,
        capacity_bytes=number("SEC_COUNT") * _SECTOR or None,
        general_partition_bytes=_general_partitions(reading),
        erase_group_bytes=number("HC_ERASE_GRP_SIZE") * _KIB_512 or None,
        queue_depth=(number("CMDQ_DEPTH") & 31) + 1 if number("CMDQ_SUPPORT") & 1 else 0,
        firmware_version=_firmware_text(register.raw[254:262]) if healthy else "",
        field_firmware_update=bool(number("SUPPORTED_MODES") & 1),
        pre_eol=_PRE_EOL.get(number("PRE_EOL_INFO")) if healthy else None,
        life_time_a=_life(number("DEVICE_LIFE_TIME_EST_TYP_A")) if healthy else None,
        life_time_b=_life(number("DEVICE_LIFE_TIME_EST_TYP_B")) if healthy else None,
    )


def _general_partitions(reading: RegisterReading) -> tuple[int, ...]:
    unit = reading["HC_WP_GRP_SIZE"] * reading["HC_ERASE_GRP_SIZE"] * _KIB_512
    sizes = [reading[f"GP_SIZE_MULT_{number}"] * unit for number in (1, 2, 3, 4)]
    return tuple([size for size in sizes if size])


def _life(code: int) -> int | None:
    return code if 1 <= code <= 11 else None


def _firmware_text(raw: bytes) -> str:
    # Letters if the maker wrote letters (RC30B007), hex otherwise, as sysfs fwrev prints it.
    text = raw.rstrip(b"\0 ")
    letters = len(text) > 1 and all(0x20 < byte < 0x7F for byte in text)
    return printable(raw) if letters else f"0x{raw.hex()}"
