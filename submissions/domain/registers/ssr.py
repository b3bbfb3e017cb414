"""Decode the SSR (SD Status): promised speed classes, allocation unit, erase times, queue, cache and discard.

Source: SD Physical Layer Simplified Specification 9.10, section 4.10.2, table 4-44.
"""

from dataclasses import dataclass

from submissions.domain.registers.hexdigits import RegisterBytes
from submissions.domain.registers.register_layout import Register, Value, plus_one, read_fields, table

_KIB = 1024
_MIB = 1024 * _KIB

_LARGE_AU_BYTES = {
    code: mib * _MIB for code, mib in zip(range(7, 16), (1, 2, 4, 8, 12, 16, 24, 32, 64), strict=True)
}
_AU_BYTES = {code: 16 * _KIB << code - 1 for code in range(1, 7)} | _LARGE_AU_BYTES
_LAST_AU_CODE_BEFORE_3 = 9  # above 4 MiB the code exists since specification 3.00


def _au_in_words(number: int) -> Value:
    if number == 0:
        return "not defined"
    size = _AU_BYTES.get(number)
    return f"{size // _MIB} MiB" if size and size >= _MIB else f"{size // _KIB} KiB" if size else None


SSR = table(
    *("ssr", 64),
    {
        "move": lambda number: {0: "not defined", 0xFF: "infinite"}.get(number, f"{number} MB/s"),
        "AU": _au_in_words,
        "UHS AU": lambda number: _au_in_words(number) if number in (0, *_LARGE_AU_BYTES) else None,
    },
)


@dataclass(frozen=True, slots=True)
class Ssr(Register):
    """A decoded SSR. Classes are plain numbers (10 = C10, 3 = U3, 30 = V30, 2 = A2); 0 means that none is claimed.

    None means a reserved code, or an allocation unit that is not defined. A host without UHS makes the grade 0.
    `queue_depth` is 0 without a command queue. Erasing n AU takes up to n * timeout / erase_size + offset seconds.
    """

    speed_class: int | None
    uhs_speed_grade: int | None
    video_speed_class: int | None
    app_perf_class: int | None
    au_size_bytes: int | None
    uhs_au_size_bytes: int | None
    vsc_au_size_mb: int | None
    performance_move_mb_per_second: int | None
    erase_size_au: int | None
    erase_timeout_seconds: int | None
    erase_offset_seconds: int | None
    protected_area_bytes: int | None
    queue_depth: int
    cache: bool
    host_maintenance: bool
    card_maintenance: bool
    discard: bool
    full_erase: bool


def decode(register: RegisterBytes, *, before_spec_3: bool = False, area_unit: int | None = None) -> Ssr:
    """Return the decoded SSR of 64 bytes.

    `before_spec_3`: the SCR states version 1.x or 2.00, which have no AU codes above 4 MiB. `area_unit`: the unit in
    bytes of the protected area, None if no CSD states it.
    """
    reading = read_fields(SSR, register.raw)
    number = reading.__getitem__
    erase_size, move = number("ERASE_SIZE") or None, number("PERFORMANCE_MOVE")
    return Ssr(
        register.raw,
        reading,
        **reading.attributes,
        au_size_bytes=_au_bytes(number("AU_SIZE"), before_spec_3=before_spec_3),
        uhs_au_size_bytes=_LARGE_AU_BYTES.get(number("UHS_AU_SIZE")),
        vsc_au_size_mb=number("VSC_AU_SIZE") or None,
        performance_move_mb_per_second=move if 0 < move < 0xFF else None,
        erase_size_au=erase_size,
        erase_timeout_seconds=number("ERASE_TIMEOUT") if erase_size else None,
        erase_offset_seconds=number("ERASE_OFFSET") if erase_size else None,
        protected_area_bytes=number("SIZE_OF_PROTECTED_AREA") * area_unit if area_unit else None,
        queue_depth=plus_one(number("QUEUE_DEPTH")) if number("QUEUE_DEPTH") else 0,
    )


def _au_bytes(code: int, *, before_spec_3: bool) -> int | None:
    # Linux drops the large codes of older cards, too (drivers/mmc/core/sd.c, mmc_read_ssr).
    return None if before_spec_3 and code > _LAST_AU_CODE_BEFORE_3 else _AU_BYTES.get(code)
