"""CID families: their addresses, and the line that goes into the kernel's table."""

import pytest

from submissions.domain.identity.suspicions import fixups
from submissions.domain.identity.suspicions.cid_families import Family, at_address

CANVAS = Family("SD", 0x9F, 0x5449, "SD64G")


def test_it_works() -> None:
    assert CANVAS.address == ("sd", "9f-5449", "SD64G")
    assert at_address("sd", "9f-5449", "SD64G") == CANVAS


@pytest.mark.parametrize("pnm", ["", "..", "a/b", "AF SD", '"*/', "é", "~41", "\\"])
def test_no_name_breaks_out_of_its_address(pnm: str) -> None:
    family = Family("SD", 3, 0x5344, pnm.encode("ascii", "replace").decode())
    name = family.address[2]

    assert name.startswith("~") and name[1:].isalnum() | (name == "~")
    assert at_address(*family.address) == family


@pytest.mark.parametrize(
    "address",
    [
        ("sd", "9f-5449", "..."),
        ("sd", "zz", "SD64G"),
        ("usb", "9f", "SD64G"),
        ("SD", "9f-5449", "SD64G"),
        ("sd", "9f-5449", "~5"),
        ("sd", "9f-5449", "~00"),
        ("sd", "9f-5449", "~53443634"),
    ],
)
def test_what_is_no_address_leads_nowhere(address: tuple[str, str, str]) -> None:
    assert at_address(*address) is None


def test_mmc_has_a_shorter_oem_number_or_none() -> None:
    for family in (Family("MMC", 0x15, 0, "MAG4FA"), Family("MMC", 0x15, None, "MAG4FA")):
        assert at_address(*family.address) == family


def test_a_line_is_as_the_kernel_writes_it() -> None:
    """The first row of the table, but for the revision."""
    assert fixups.line(CANVAS, "BROKEN_SD_CACHE", revisions=("",), months=("2019-11",)) == (
        '\t_FIXUP_EXT("SD64G", 0x9f, 0x5449, 2019, 11,\n'
        "\t\t   0, -1ull, SDIO_ANY_ID, SDIO_ANY_ID, add_quirk_sd,\n"
        "\t\t   MMC_QUIRK_BROKEN_SD_CACHE, EXT_CSD_REV_ANY),"
    )


@pytest.mark.parametrize(
    ("months", "revisions", "narrowed"),
    [
        (
            ("2019-11", "2019-12"),
            ("6.1",),
            "2019, CID_MONTH_ANY,\n\t\t   cid_rev(6, 1, 0, 0), cid_rev(6, 1, 0xffff, 12)",
        ),
        (
            ("2019-11", "2020-01"),
            ("10.0", "9.15"),
            "CID_YEAR_ANY, CID_MONTH_ANY,\n\t\t   cid_rev(9, 15, 0, 0), cid_rev(10, 0, 0xffff, 12)",
        ),
        (("", "2020-01"), ("", "1.0"), "CID_YEAR_ANY, CID_MONTH_ANY,\n\t\t   0, -1ull"),
    ],
)
def test_a_line_is_as_narrow_as_what_was_seen(
    months: tuple[str, ...], revisions: tuple[str, ...], narrowed: str
) -> None:
    assert narrowed in fixups.line(CANVAS, "BROKEN_SD_CACHE", revisions=revisions, months=months)


def test_a_hostile_name_stays_within_its_quotes() -> None:
    line = fixups.line(CANVAS._replace(pnm='"\\*/'), "X", revisions=(), months=())
    assert line.startswith('\t_FIXUP_EXT("\\"\\\\*/", 0x9f')


@pytest.mark.parametrize(
    "family",
    [CANVAS._replace(bus="MMC", oid=0x49), CANVAS._replace(pnm="SD?4G"), CANVAS._replace(pnm="")],
)
def test_without_a_sure_name_or_a_quirk_there_is_no_line(family: Family) -> None:
    assert fixups.line(family, "BROKEN_SD_CACHE", revisions=("6.1",), months=("2019-11",)) == ""
    assert fixups.line(CANVAS, "", revisions=("6.1",), months=("2019-11",)) == ""
