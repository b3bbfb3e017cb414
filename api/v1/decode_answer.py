"""Make the response about decoded registers of a card: their fields, maker, products and suspicions."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from submissions.domain.identity import makers
from submissions.domain.identity.identification import Identification, describe_card
from submissions.domain.identity.makers import ProductName
from submissions.domain.identity.suspicions import Suspicion
from submissions.domain.identity.suspicions.quirks import queue_on_pi_5
from submissions.domain.registers import ExplainedField, Oddity

_REGISTERS = ("cid", "csd", "scr", "ssr", "ocr", "ext_csd")


class Maker(Struct, frozen=True, kw_only=True):
    """A maker of cards, by the numbers in their registers. `oid` is null if only the manufacturer number is known."""

    bus: str
    mid: int
    mid_hex: str
    oid: int | None
    oid_hex: str | None
    manufacturer: Annotated[str, Meta(description='"unknown" when no source describes the number')]
    is_known: bool = msgspec.field(name="known")
    brands: Annotated[tuple[str, ...], Meta(description="brands seen on labels of such cards")]
    confidence: Annotated[str, Meta(description="high, medium, low or none")]
    irregular: Annotated[bool, Meta(description="no company is known to own these numbers")]
    note: str
    conflicts: Annotated[tuple[str, ...], Meta(description="contradicting claims of other sources")]
    source: str


class Decoded(Struct, frozen=True, kw_only=True):
    """Contents of registers, by the names of the specification. A field is null if its register was not given."""

    bus: Annotated[
        str | None, Meta(description="SD or MMC; null if both are possible, with both in `readings`")
    ]
    bus_reason: str
    sentence: str
    capacity_bytes: int | None
    mid: int | None
    mid_hex: str | None
    oid: Annotated[str | None, Meta(description="as letters, such as TM")]
    oid_hex: str | None
    pnm: str | None
    prv: str | None
    mdt: Annotated[str | None, Meta(description="YYYY-MM")]
    queue_on_pi_5: Annotated[
        str | None,
        Meta(description="command queue on a Raspberry Pi 5: on, off, hangs (off, and hangs if forced)"),
    ]
    csd_structure: int | None
    sd_spec: str | None
    speed_class: int | None
    uhs_speed_grade: int | None
    video_speed_class: int | None
    app_perf_class: int | None
    au_size_bytes: int | None
    ext_csd_rev: int | None
    emmc_version: str | None
    pre_eol: str | None
    life_time_a: Annotated[int | None, Meta(description="1: at most 10 % used, …, 11: exceeded")]
    life_time_b: int | None
    maker: Maker | None
    products: tuple[ProductName, ...]
    findings: tuple[Oddity, ...]
    suspicions: tuple[Suspicion, ...]
    verdict: Annotated[str | None, Meta(description="nothing unusual, unusual, suspicious")]
    registers: Annotated[
        dict[str, dict[str, Any]], Meta(description="every field of every register that was sent")
    ]
    readings: Annotated[list["Decoded"], Meta(description="an object like this one for SD and one for MMC")]
    psn: Annotated[
        int | UnsetType, Meta(description='serial number, only if the request has "serial": true')
    ] = UNSET
    explanation: Annotated[
        tuple[ExplainedField, ...] | UnsetType,
        Meta(description='every field with its bits, if the request has "explain": true'),
    ] = UNSET


# Fields of the answer -> the register that has them under the same name.
_SUMMARY = {
    **dict.fromkeys(("mid", "mid_hex", "oid", "oid_hex", "pnm", "prv", "mdt"), "cid"),
    "csd_structure": "csd",
    "sd_spec": "scr",
    **dict.fromkeys(("speed_class", "uhs_speed_grade", "video_speed_class", "app_perf_class"), "ssr"),
    "au_size_bytes": "ssr",
    **dict.fromkeys(("ext_csd_rev", "emmc_version", "pre_eol", "life_time_a", "life_time_b"), "ext_csd"),
}


def build_decoded(card: Identification, *, serial: bool = False, explain: bool = False) -> Decoded:
    """Return the response about a card; `serial` adds its serial number, `explain` the bits of every field."""
    shown = card.decoded.as_dict(serial=serial)
    registers = {name: shown[name] for name in _REGISTERS if shown[name] is not None}
    return Decoded(
        **{name: shown[name] for name in ("bus", "bus_reason", "capacity_bytes", "findings")},
        **{name: registers.get(register, {}).get(name) for name, register in _SUMMARY.items()},
        sentence=describe_card(card),
        queue_on_pi_5=queueing.state if (queueing := queue_on_pi_5(card.decoded)) else None,
        maker=maker(card.maker) if card.maker else None,
        products=card.products,
        suspicions=card.suspicions,
        verdict=card.verdict or None,
        registers=registers,
        readings=[build_decoded(reading, serial=serial, explain=explain) for reading in card.readings],
        psn=registers["cid"]["psn"] if serial and "cid" in registers else UNSET,
        explanation=card.decoded.explain(serial=serial) if explain else UNSET,
    )


def maker(row: makers.Maker) -> Maker:
    """Convert a row of the table of makers to the struct of the API."""
    return msgspec.convert(row, Maker, from_attributes=True)
