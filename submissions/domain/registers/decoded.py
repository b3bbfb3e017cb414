"""Decode all registers of one card together, into values, JSON or rows that explain each field."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from submissions.domain.errors import DecodeError
from submissions.domain.registers import bus as bus_evidence
from submissions.domain.registers import cid, csd, ext_csd, ocr, oddities, scr, ssr
from submissions.domain.registers.cid import Cid
from submissions.domain.registers.csd import Csd
from submissions.domain.registers.ext_csd import ExtCsd
from submissions.domain.registers.hexdigits import LENGTHS, RegisterBytes, parse
from submissions.domain.registers.maker_numbers import oid_hex
from submissions.domain.registers.ocr import Ocr
from submissions.domain.registers.oddities import Oddity
from submissions.domain.registers.register_layout import ExplainedField, explain
from submissions.domain.registers.scr import Scr
from submissions.domain.registers.ssr import Ssr

_PRIVATE = frozenset({"raw", "reading"})
_BUSES = ("SD", "MMC")
_BEFORE_SPEC_3 = scr.VERSIONS[: scr.VERSIONS.index("3.0x")]


@dataclass(frozen=True, slots=True)
class Decoded:
    """The decoded registers of one card; a missing register is None.

    If the evidence does not distinguish SD from MMC, `bus` is None, the registers are None and `readings` holds both
    ways to decode them. `findings`: oddities, which are no reason to refuse the registers.
    """

    bus: str | None
    bus_reason: str
    cid: Cid | None = None
    csd: Csd | None = None
    scr: Scr | None = None
    ssr: Ssr | None = None
    ext_csd: ExtCsd | None = None
    ocr: Ocr | None = None
    findings: tuple[Oddity, ...] = ()
    readings: tuple["Decoded", ...] = ()

    @property
    def capacity_bytes(self) -> int | None:
        """Return the size of the user area in bytes, None if no register has it.

        Above 2 GiB an eMMC needs its EXT_CSD.
        """
        if self.csd and self.csd.capacity_bytes is not None:
            return self.csd.capacity_bytes
        return self.ext_csd.capacity_bytes if self.ext_csd else None

    def as_dict(self, *, serial: bool = False) -> dict[str, Any]:
        """Return the registers as JSON-able values, with the serial number only if `serial` is true."""
        registers = {name: _as_dict(getattr(self, name), serial=serial) for name in LENGTHS}
        return {
            "bus": self.bus,
            "bus_reason": self.bus_reason,
            "capacity_bytes": self.capacity_bytes,
            **registers,
            # A suggestion is a whole CID, with its serial number.
            "findings": [asdict(one if serial else replace(one, suggestion="")) for one in self.findings],
            "readings": [reading.as_dict(serial=serial) for reading in self.readings],
        }

    def explain(self, *, serial: bool = False) -> tuple[ExplainedField, ...]:
        """Return every field of every register, in register order, with the serial number only if `serial` is true."""
        registers = [register for name in LENGTHS if (register := getattr(self, name))]
        rows = [row for register in registers for row in explain(register.reading)]
        blot: dict[str, Any] = {
            "raw": "",
            "value": None,
            "meaning": "serial number of this one card, not shown",
        }
        return tuple(row if serial or row.field != "PSN" else replace(row, **blot) for row in rows)


def decode(registers: Mapping[str, str], *, bus: str | None = None) -> Decoded:
    """Return the registers that are decoded from hex text under the keys cid, csd, scr, ssr, ext_csd and ocr.

    "" counts as not given. `bus` is stated by the host ("SD", "MMC", or sysfs `type`), or None to decide by evidence.
    Raise DecodeError with the register and the position if a register cannot be read.
    """
    parsed = {name: parse(name, text) for name, text in _list_texts(registers)}
    evidence = bus_evidence.decide(parsed, stated=bus)
    if evidence.bus:
        return _decode_on(evidence.bus, evidence.reason, parsed)
    both = tuple([_decode_on(bus, f"one of two readings: if it is {bus}", parsed) for bus in _BUSES])
    return Decoded(bus=None, bus_reason=evidence.reason, readings=both)


def decode_readable(registers: Mapping[str, str], *, bus: str | None = None) -> Decoded:
    """Return the decoded readable registers, with each unreadable register as a finding.

    Raise DecodeError if none is readable.
    """
    try:
        return decode(registers, bus=bus)
    except DecodeError as error:
        rest = {name: text for name, text in registers.items() if name != error.field and text}
        if error.field not in registers or not rest:
            raise
        decoded = decode_readable(rest, bus=bus)
        unread = Oddity(error.code, error.field, error.detail)
        return replace(decoded, findings=(*decoded.findings, unread))


def _list_texts(registers: Mapping[str, str]) -> list[tuple[str, str]]:
    if unknown := [name for name in registers if name not in LENGTHS]:
        name = str(unknown[0])[:20]
        raise DecodeError(
            (f"Register {name!a} is unknown; send one of {', '.join(LENGTHS)}."), field="registers"
        )
    texts = [(name, text) for name, text in registers.items() if text is not None and text != ""]
    if not texts:
        raise DecodeError(f"There is no register; send at least one of {', '.join(LENGTHS)}.")
    return texts


def _decode_on(bus: str, reason: str, parsed: Mapping[str, RegisterBytes]) -> Decoded:
    registers = _decode_registers(bus, parsed)
    odd = [*oddities.on_bytes(parsed), *oddities.on_bus(bus, parsed), *oddities.on_fields(registers)]
    return Decoded(bus=bus, bus_reason=reason, findings=tuple(odd), **registers)


def _decode_registers(bus: str, parsed: Mapping[str, RegisterBytes]) -> dict[str, Any]:
    # The order matters: the CID's date needs CSD and EXT_CSD, the SSR's allocation unit needs the SCR.
    registers: dict[str, Any] = {}
    if "csd" in parsed:
        registers["csd"] = csd.decode(parsed["csd"], bus=bus)
    if "ext_csd" in parsed:
        registers["ext_csd"] = ext_csd.decode(parsed["ext_csd"])
    if "cid" in parsed:
        registers["cid"] = _cid(parsed["cid"], bus, registers)
    if "scr" in parsed:
        registers["scr"] = scr.decode(parsed["scr"])
    if "ssr" in parsed:
        old = "scr" in registers and registers["scr"].sd_spec in _BEFORE_SPEC_3
        unit = csd.size_unit_bytes(registers["csd"]) if bus == "SD" and "csd" in registers else None
        registers["ssr"] = ssr.decode(parsed["ssr"], before_spec_3=old, area_unit=unit)
    if "ocr" in parsed:
        registers["ocr"] = ocr.decode(parsed["ocr"])
    return registers


def _cid(register: RegisterBytes, bus: str, registers: Mapping[str, Any]) -> Cid:
    if bus == "SD":
        return cid.decode_sd(register)
    spec_vers = registers["csd"].spec_vers if "csd" in registers else None
    revision = registers["ext_csd"].ext_csd_rev if "ext_csd" in registers else None
    return cid.decode_mmc(register, spec_vers=spec_vers, ext_csd_rev=revision)


def _as_dict(value: Any, *, serial: bool) -> dict[str, Any] | None:
    if value is None:
        return None
    hidden = _PRIVATE if serial else _PRIVATE | {"psn"}
    shown = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in hidden}
    plain = {name: list(item) if isinstance(item, tuple) else item for name, item in shown.items()}
    return _with_letters(plain) if isinstance(value, Cid) else plain


def _with_letters(shown: dict[str, Any]) -> dict[str, Any]:
    letters, oid = shown.pop("oid_text"), oid_hex(shown["bus"], shown["oid"])
    return shown | {"oid": oid and letters, "mid_hex": f"0x{shown['mid']:02x}", "oid_hex": oid}
