"""Tests of the line that is written for the kernel's table of quirks."""

import pytest

from submissions.domain.identity.suspicions import fixups
from submissions.domain.identity.suspicions.fixups import CidName

CANVAS = CidName("SD", 0x9F, 0x5449, "SD64G")


def test_it_works() -> None:
    """The expected line is the first row of the kernel's table, except for the revision."""
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
    "cards",
    [CANVAS._replace(bus="MMC", oid=0x49), CANVAS._replace(pnm="SD?4G"), CANVAS._replace(pnm="")],
)
def test_without_a_sure_name_or_a_quirk_there_is_no_line(cards: CidName) -> None:
    assert fixups.line(cards, "BROKEN_SD_CACHE", revisions=("6.1",), months=("2019-11",)) == ""
    assert fixups.line(CANVAS, "", revisions=("6.1",), months=("2019-11",)) == ""
