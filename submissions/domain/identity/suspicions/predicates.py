"""The predicates that the column `condition` of data/suspicions.csv names, and the evidence that they judge.

A predicate judges one fact about a card. It returns False or "" if nothing is wrong, else True or the words for
"{detail}" in the reason of the rule.
"""

import re
from collections.abc import Collection, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from submissions.domain.identity.makers import find_maker
from submissions.domain.measuring.medium import FITS
from submissions.domain.registers import Cid, Decoded, identity_bytes
from submissions.domain.registers.crc7 import WRONG
from submissions.domain.registers.scr import VERSIONS

Answer = bool | str

_GIB = 1024**3
_CSD_UNIT_BYTES = 524_288
_LOW_SERIAL = 0x10000
_SECURITY_SDSC = 2
_SWITCH_CLASS = 10
_CLOCK_SLACK = timedelta(days=62)
_BEFORE_SPEC_3 = frozenset(VERSIONS[: VERSIONS.index("3.0x")])
_OUTDATED_SINCE = 2018

# Own analysis of the vectors: every SanDisk card of a nominal size has exactly this many bytes.
_SANDISK_BYTES = frozenset(
    {
        *(7_948_206_080, 15_931_539_456, 31_914_983_424, 63_864_569_856),
        *(127_865_454_592, 255_869_321_216, 511_868_665_856),
    }
)
_SANDISK_CHECKED = (7_000_000_000, 600_000_000_000)
_SAMSUNG_GB = {"B": 32, "C": 64, "D": 128, "E": 256, "F": 512}
_NAMED_GB = re.compile(r"S[A-Z](\d\d)G|S[A-Z]([1-9]\d\d)|SD(\d)GB")  # "SD064" counts megabytes
_REVISION_YEARS = {5: 2010, 6: 2011, 7: 2013, 8: 2015, 9: 2025}  # EXT_CSD_REV: eMMC 4.41 .. 5.1B


class CardEvidence(NamedTuple):
    """All evidence about a card that a rule may judge; None for evidence that is missing."""

    decoded: Decoded
    label_brand: str | None
    size_bytes: int | None
    received_on: date | None
    seen_csds: Collection[str]

    @property
    def cid(self) -> Cid | None:
        return self.decoded.cid

    @property
    def capacity_bytes(self) -> int | None:
        return self.decoded.capacity_bytes


def low_serial(evidence: CardEvidence) -> Answer:
    serial = evidence.cid.psn if evidence.cid else None
    if serial is None or serial == 0:
        return False
    return serial < _LOW_SERIAL or serial in (0x12345678, 0xDEADBEEF) or len(set(f"{serial:08x}")) == 1


def ordinary_serial(evidence: CardEvidence) -> Answer:
    return not low_serial(evidence)


def zero_serial(evidence: CardEvidence) -> Answer:
    return evidence.cid is not None and evidence.cid.psn == 0


def unknown_maker(evidence: CardEvidence) -> Answer:
    cid = evidence.cid
    return cid is not None and find_maker(cid.bus, cid.mid, cid.oid).confidence == "none"


def name_against_capacity(evidence: CardEvidence) -> Answer:
    named = _NAMED_GB.fullmatch(evidence.cid.pnm) if evidence.cid else None
    return _compare_capacity(int(named[named.lastindex or 0]), evidence) if named else False


def samsung_letter_against_capacity(evidence: CardEvidence) -> Answer:
    letter = evidence.cid.pnm[1:2] if evidence.cid else ""
    return _compare_capacity(_SAMSUNG_GB[letter], evidence) if letter in _SAMSUNG_GB else False


def _compare_capacity(promised_gb: int, evidence: CardEvidence) -> Answer:
    capacity = evidence.capacity_bytes
    if not capacity or not promised_gb or FITS[0] <= capacity / (promised_gb * 1e9) <= FITS[1]:
        return False
    return f"{promised_gb} GB, but the registers say {capacity:,} bytes"


def odd_sandisk_capacity(evidence: CardEvidence) -> Answer:
    capacity = evidence.capacity_bytes or 0
    return _SANDISK_CHECKED[0] <= capacity <= _SANDISK_CHECKED[1] and capacity not in _SANDISK_BYTES


def impossible_month(evidence: CardEvidence) -> Answer:
    cid = evidence.cid
    return cid.mdt_reason if cid and cid.mdt is None and not cid.mdt_candidates else False


def future_date(evidence: CardEvidence) -> Answer:
    made = _month(evidence)
    return bool(made and evidence.received_on and made > evidence.received_on + _CLOCK_SLACK)


def date_before_feature(evidence: CardEvidence) -> Answer:
    made = _month(evidence)
    early = [name for name, first in _features(evidence.decoded) if made and made < first]
    return early[0] if early else False


def _features(decoded: Decoded) -> Iterator[tuple[str, date]]:
    # Each feature that the card claims, with the month in which it was announced.
    card_class = decoded.csd.capacity_class if decoded.csd else ""
    classes = {"SDHC": date(2006, 1, 1), "SDXC": date(2009, 1, 1), "SDUC": date(2018, 1, 1)}
    if card_class in classes:
        yield card_class, classes[card_class]
    if decoded.ssr is None:
        return
    if decoded.ssr.uhs_speed_grade:
        yield "UHS-I", date(2010, 1, 1)
    if decoded.ssr.video_speed_class:
        yield "the video speed class", date(2016, 1, 1)
    if decoded.ssr.app_perf_class:
        yield (
            "the application performance class",
            {1: date(2016, 11, 1)}.get(decoded.ssr.app_perf_class, date(2017, 2, 1)),
        )


def wrong_checksum(evidence: CardEvidence) -> Answer:
    registers = (("CID", evidence.cid), ("CSD", evidence.decoded.csd))
    wrong = [name for name, register in registers if register and register.crc == WRONG]
    return " and the ".join(wrong)


def registers_disagree(evidence: CardEvidence) -> Answer:
    return next(_contradictions(evidence.decoded), False)


def _contradictions(decoded: Decoded) -> Iterator[str]:
    csd, scr = decoded.csd, decoded.scr
    uhs = decoded.ssr is not None and bool(decoded.ssr.uhs_speed_grade)
    if csd and csd.capacity_class == "SDSC" and (csd.capacity_bytes or 0) > 2 * _GIB:
        yield "an SDSC register with more than 2 GiB"
    if csd and scr and scr.reading["SD_SECURITY"] == _SECURITY_SDSC and csd.capacity_class != "SDSC":
        yield "the SCR belongs to an SDSC card, but the CSD does not"
    if scr and uhs and scr.sd_spec in _BEFORE_SPEC_3:
        yield "a UHS speed grade on a card older than specification 3.00"
    if csd and uhs and _SWITCH_CLASS not in csd.command_classes:
        yield "a UHS speed grade without the switch command"


def outdated_specification(evidence: CardEvidence) -> Answer:
    made, scr = _month(evidence), evidence.decoded.scr
    old = scr is not None and scr.sd_spec in _BEFORE_SPEC_3
    return scr.sd_spec or "" if scr and old and made and made.year >= _OUTDATED_SINCE else False


def round_capacity(evidence: CardEvidence) -> Answer:
    """Return whether the capacity is a power of two or a multiple of 1,000 MiB, which no real flash leaves over."""
    capacity = evidence.capacity_bytes or 0
    return capacity > 2 * _GIB and (capacity & (capacity - 1) == 0 or capacity % (1000 * 2**20) == 0)


def no_allocation_unit(evidence: CardEvidence) -> Answer:
    csd, ssr = evidence.decoded.csd, evidence.decoded.ssr
    return bool(csd and ssr and csd.capacity_class != "SDSC" and ssr.reading["AU_SIZE"] == 0)


def other_csd_seen(evidence: CardEvidence) -> Answer:
    """Return whether another CSD was seen with the same CID, apart from the checksum byte, which hosts replace."""
    csd = evidence.decoded.csd
    return csd is not None and any(
        identity_bytes(bytes.fromhex(seen)) != csd.raw[:15] for seen in evidence.seen_csds
    )


def size_mismatch(evidence: CardEvidence) -> Answer:
    """Return whether the size of the device differs from the registers by more than one unit of the CSD.

    Linux takes the size from the same registers, so one unit is enough tolerance for readers.
    """
    size, capacity = evidence.size_bytes, evidence.capacity_bytes
    return size is not None and capacity is not None and abs(size - capacity) > _CSD_UNIT_BYTES


def date_before_revision(evidence: CardEvidence) -> Answer:
    made, ext_csd = _month(evidence), evidence.decoded.ext_csd
    first = _REVISION_YEARS.get(ext_csd.ext_csd_rev, 0) if ext_csd else 0
    return f"eMMC {ext_csd.emmc_version}" if ext_csd and made and made.year < first else False


def _month(evidence: CardEvidence) -> date | None:
    return date.fromisoformat(f"{evidence.cid.mdt}-01") if evidence.cid and evidence.cid.mdt else None
