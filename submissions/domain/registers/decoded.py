"""All registers of one card together: decode, contradictions worth a word, and the answer as JSON or as rows."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from submissions.domain.errors import DecodeError
from submissions.domain.registers import bus as bus_evidence
from submissions.domain.registers import cid as cid_register
from submissions.domain.registers import csd as csd_register
from submissions.domain.registers.cid import Cid
from submissions.domain.registers.csd import Csd
from submissions.domain.registers.hexdigits import LENGTHS, RegisterBytes, parse
from submissions.domain.registers.layout import Explanation, explain

_PRIVATE: Final = frozenset({"raw", "reading"})
_BUSES: Final = ("SD", "MMC")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something odd in a register that is readable all the same. `suggestion` is text to decode instead, or ""."""

    code: str
    register: str
    detail: str
    suggestion: str = ""


@dataclass(frozen=True, slots=True)
class Decoded:
    """What the registers of one card say. A register that was not given is None.

    When the evidence does not tell SD from MMC, `bus` is None, the registers are None and `readings` holds both
    ways to read them.
    """

    bus: str | None
    bus_reason: str
    cid: Cid | None = None
    csd: Csd | None = None
    findings: tuple[Finding, ...] = ()
    readings: tuple["Decoded", ...] = ()

    @property
    def capacity_bytes(self) -> int | None:
        """User area in bytes, None when no register tells it."""
        return self.csd.capacity_bytes if self.csd else None

    def as_dict(self, *, serial: bool = False) -> dict[str, Any]:
        """JSON-able fields. The serial number is left out unless `serial` asks for it."""
        return {
            "bus": self.bus,
            "bus_reason": self.bus_reason,
            "capacity_bytes": self.capacity_bytes,
            "cid": _as_dict(self.cid, serial=serial),
            "csd": _as_dict(self.csd, serial=serial),
            "findings": [_as_dict(finding, serial=serial) for finding in self.findings],
            "readings": [reading.as_dict(serial=serial) for reading in self.readings],
        }

    def explain(self, *, serial: bool = False) -> tuple[Explanation, ...]:
        """Every field of every register, in register order. The serial number is blotted out unless asked for."""
        rows = [row for register in (self.cid, self.csd) if register for row in explain(register.reading)]
        return tuple(row if serial or row.field != "PSN" else _blotted(row) for row in rows)


def decode(registers: Mapping[str, str], *, bus: str | None = None) -> Decoded:
    """Decode hex text under any of the keys cid, csd, scr, ssr, ext_csd and ocr; empty text counts as not given.

    `bus` is what the host said ("SD", "MMC", or sysfs `type`), or None to decide by evidence. Raises DecodeError
    naming the register and the position when a register cannot be read.
    """
    parsed = {name: parse(name, text) for name, text in _given(registers)}
    evidence = bus_evidence.decide(parsed, stated=bus)
    if evidence.bus:
        return _decode_on(evidence.bus, evidence.reason, parsed)
    both = tuple(_decode_on(bus, "one of two possible readings", parsed) for bus in _BUSES)
    return Decoded(bus=None, bus_reason=evidence.reason, readings=both)


def _given(registers: Mapping[str, str]) -> list[tuple[str, str]]:
    if unknown := sorted(set(registers) - set(LENGTHS)):
        raise DecodeError(
            f"Register {unknown[0]!a} is not known; send {', '.join(LENGTHS)}.", field=unknown[0]
        )
    given = [(name, text) for name, text in registers.items() if text is not None and text != ""]
    if not given:
        raise DecodeError(f"No register was given; send at least one of {', '.join(LENGTHS)}.")
    return given


def _decode_on(bus: str, reason: str, parsed: Mapping[str, RegisterBytes]) -> Decoded:
    csd = csd_register.decode(parsed["csd"], bus=bus) if "csd" in parsed else None
    spec_vers = csd.spec_vers if csd else None
    cid = _cid(parsed["cid"], bus=bus, spec_vers=spec_vers) if "cid" in parsed else None
    return Decoded(bus=bus, bus_reason=reason, cid=cid, csd=csd)


def _cid(register: RegisterBytes, *, bus: str, spec_vers: int | None) -> Cid:
    if bus == "SD":
        return cid_register.decode_sd(register)
    return cid_register.decode_mmc(register, spec_vers=spec_vers)


def _as_dict(value: Any, *, serial: bool) -> dict[str, Any] | None:
    if value is None:
        return None
    hidden = _PRIVATE if serial else _PRIVATE | {"psn"}
    shown = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in hidden}
    return {name: list(item) if isinstance(item, tuple) else item for name, item in shown.items()}


def _blotted(row: Explanation) -> Explanation:
    return replace(row, raw="", value=None, meaning="serial number of this one card, not shown")
