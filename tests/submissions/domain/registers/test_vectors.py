"""Tests that registers of real cards decode to the values of their source; exceptions have a reason."""

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.submissions.domain.registers.reading import decode

VECTORS = Path(__file__).parents[3] / "data" / "cid_vectors.csv"

# (first 30 CID digits, column): why our answer differs from that of the source.
EXCEPTIONS = {
    (
        "45010053454d3034473a2a40cb9aa2",
        "date",
    ): "needs EXT_CSD_REV; the kernel knew it, the log does not say it",
    (
        "7001004d4d43303447580563bfd831",
        "date",
    ): "a kernel before 4.x counted every year from 1997; the part is of 2014",
    ("45010053454d3034473a2a40cb9aa2", "capacity_bytes"): "above 2 GiB the size stands in EXT_CSD, not given",
}


def rows() -> list[dict[str, str]]:
    with VECTORS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def with_column(column: str) -> list:
    return [pytest.param(row, id=row["cid"]) for row in rows() if row[column]]


def decode_row(row: dict[str, str]) -> Any:
    """Return the decoded registers of a row.

    The 00 at the front of a line of a Raspberry Pi bootloader is dropped first.
    """
    names = ("cid", "csd", "scr", "ssr")
    answer = decode({name: row[name] for name in names}, bus=row["bus"])
    shifted = [finding.suggestion for finding in answer.findings if finding.suggestion]
    return decode({"cid": shifted[0], "csd": row["csd"]}, bus=row["bus"]) if shifted else answer


def is_exception(row: dict[str, str], column: str) -> bool:
    return (row["cid"][:30], column) in EXCEPTIONS


def test_it_works():
    answer = decode({"cid": "02544d5341303447113533890900d371", "csd": "400e00325b5900001d177f800a40008d"})
    assert (answer.bus, answer.cid.oid_text, answer.cid.pnm) == ("SD", "TM", "SA04G")
    assert (answer.cid.prv, answer.cid.mdt, answer.capacity_bytes) == ("1.1", "2013-03", 3_904_897_024)


def test_every_vector_has_a_source():
    assert len(rows()) > 100
    assert all(row["source"] for row in rows())


def test_every_exception_is_a_vector():
    cids = {row["cid"][:30] for row in rows()}
    assert {cid for cid, _ in EXCEPTIONS} <= cids


@pytest.mark.parametrize("row", with_column("name"))
def test_name(row):
    assert decode_row(row).cid.pnm == row["name"]


@pytest.mark.parametrize("row", with_column("mid"))
def test_manufacturer(row):
    assert decode_row(row).cid.mid == int(row["mid"], 16)


@pytest.mark.parametrize("row", with_column("oid"))
def test_oem(row):
    """Old kernels printed 16 bits of the OEM number of an MMC card, but the field has 8 bits."""
    mask = 0xFF if row["bus"] == "MMC" else 0xFFFF
    assert decode_row(row).cid.oid == int(row["oid"], 16) & mask


@pytest.mark.parametrize("row", with_column("serial"))
def test_serial_number(row):
    assert decode_row(row).cid.psn == int(row["serial"], 16)


@pytest.mark.parametrize(
    "row", [param for param in with_column("date") if not is_exception(param.values[0], "date")]
)
def test_date(row):
    assert decode_row(row).cid.mdt == row["date"]


@pytest.mark.parametrize(
    "row", [param for param in with_column("date") if is_exception(param.values[0], "date")]
)
def test_unclear_date_offers_the_right_one(row):
    cid = decode_row(row).cid
    assert cid.mdt is None
    assert row["date"] in cid.mdt_candidates


@pytest.mark.parametrize("row", [param for param in with_column("csd") if param.values[0]["capacity_bytes"]])
def test_capacity(row):
    wanted = None if is_exception(row, "capacity_bytes") else int(row["capacity_bytes"])
    assert decode_row(row).capacity_bytes == wanted


@pytest.mark.parametrize("row", [param for param in with_column("label_gb") if param.values[0]["csd"]])
def test_capacity_fits_the_label(row):
    assert 0.93 < decode_row(row).capacity_bytes / (int(row["label_gb"]) * 1e9) < 1.08


@pytest.mark.parametrize("row", with_column("cid_crc"))
def test_checksum_of_cid(row):
    assert decode_row(row).cid.crc == row["cid_crc"]


@pytest.mark.parametrize("row", with_column("csd_crc"))
def test_checksum_of_csd(row):
    assert decode_row(row).csd.crc == row["csd_crc"]


@given(st.sampled_from(rows()))
def test_bus_is_found_without_being_told(row):
    """A bus in the result must be right; a CID without other registers may leave both readings open."""
    given_registers = {name: row[name] for name in ("cid", "csd", "scr", "ssr")}
    assert decode(given_registers).bus in (row["bus"], None)
