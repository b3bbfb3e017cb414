"""What nobody but its owner may read of a pasted text."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.domain.intake.paste import read
from submissions.domain.privacy.published_text import find, public_text, scrub
from tests import corpus
from tests.factories import SA04G, SA04G_SERIAL
from tests.submissions.domain.intake.timing import cpu_seconds

PSN = int(SA04G_SERIAL, 16)
CID = SA04G["cid"]
WORDS = " ".join(CID[at : at + 8] for at in range(0, 32, 8))
TURNED = " ".join(CID[at : at + 8] for at in range(24, -1, -8))
PAIRS = " ".join(f"${CID[at : at + 2].upper()}" for at in range(0, 32, 2))
SPELT = (SA04G_SERIAL, str(PSN), f"{PSN:032b}")


def test_it_works() -> None:
    text = "pi@raspberrypi:~ $ sudo flashbench -a /dev/mmcblk0  # in /home/pi/cards\ncid: " + CID
    assert scrub(text) == (
        "[user or host name] $ sudo flashbench -a /dev/mmcblk0  # in [path]\n"
        "cid: 02544d534130344711[serial number]"
    )


@pytest.mark.parametrize(
    "text",
    [
        CID,
        CID.upper(),
        CID[:30],
        f"cid={CID} csd={SA04G['csd']}",
        f"CID {WORDS}",
        f"cid: {TURNED}",
        PAIRS,
        CID + SA04G["csd"] + " and cid " + CID,
        f"serial: 0x{SA04G_SERIAL}",
        f"serial:\t{PSN}",
        f'"psn": {PSN},',
        f'  ATTRS{{serial}}=="0x{SA04G_SERIAL}"',
        f"==> /sys/block/mmcblk0/device/serial <==\n0x{SA04G_SERIAL}",
        f"/sys/block/mmcblk0/device/serial:0x{SA04G_SERIAL}",
        f"mmcsd0: 4GB <SDHC SA04G 1.1 SN {SA04G_SERIAL} MFG 03/2013 by 2 TM>",
        f"{CID}\nthe card with {PSN} on it, which is 0x{SA04G_SERIAL} or 0b{PSN:032b}",
        f"{CID}\nmy_card_{SA04G_SERIAL}ff.img",
    ],
)
def test_no_spelling_of_a_serial_number_is_left(text: str) -> None:
    cleaned = scrub(text).lower()
    assert not [spelt for spelt in SPELT if spelt in cleaned]
    assert "353389" not in cleaned.replace(" ", "").replace("$", "")
    assert "[serial number]" in cleaned


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("wlan0 b8:27:eb:12:34:56 up", "MAC address"),
        ("b8-27-eb-12-34-56", "MAC address"),
        ("/dev/sda1 UUID=6d1d3a3c-3f5b-4c8e-9d8a-2f4b5a6c7d8e", "UUID"),
        ("mail me: <jane.roe@example.org>", "e-mail address"),
        ("jane.roe at example.org wrote", "e-mail address"),
        ("[root@bigbox tmp]# ls", "user or host name"),
        ("Linux bigbox 6.1.0-rpi7 #1 SMP", "user or host name"),
        ("Mar 14 12:00:01 bigbox kernel: mmc0: new card", "user or host name"),
        ('"hostname" : "bigbox",', "user or host name"),
        ("1.97,1.97,bigbox,1,1400397929,,,,", "user or host name"),
        ("bigbox          -Create-- --Read--- -Delete--", "user or host name"),
        ("bigbox     2G    75  98 11028   9  7172   7   507  99 23015   9  1054  47", "user or host name"),
        ('ESSID:"Janes flat"', "Wi-Fi name"),
        ('/dev/sda1: LABEL="JANES" TYPE="vfat"', "volume label"),
        ("inet 192.168.1.17 netmask", "IP address"),
        ("inet6 fe80::ba27:ebff:fe12:3456 scope", "IP address"),
        ("f3write /media/jane/6135-3363/", "path"),
        ("of=~jane/big bs=1M", "path"),
        (r"C:\Users\Jane Roe\Desktop\log.txt", "path"),
        ("/dev/disk/by-id/usb-Generic_0123456789", "path"),
    ],
)
def test_every_kind_goes(text: str, kind: str) -> None:
    cleaned = scrub(text)
    assert f"[{kind}]" in cleaned
    assert not [word for word in ("ane", "bigbox", "12:34", "192", "6d1d", "fe80", "6789") if word in cleaned]


@pytest.mark.parametrize(
    "text",
    [
        f"csd: {SA04G['csd']}",
        f"==> /sys/block/mmcblk0/device/csd <==\n{SA04G['csd']}",
        "Disk /dev/mmcblk0: 3904 MB, 3904897024 bytes",
        "align 134217728\tpre 735µs\ton 1.08ms\tpost 780µs\tdiff 324µs",
        "41943040 bytes (42 MB) copied, 6.02546 s, 7.0 MB/s",
        "files:max:min        /sec %CP  /sec %CP",
        "Raspberry Pi 4 Model B Rev 1.4, kernel 6.12.47, SDR104 @ 100MHz",
        "mmcblk0: mmc0:aaaa SA04G 3.64 GiB",
    ],
)
def test_what_tells_nothing_of_anybody_stays(text: str) -> None:
    assert scrub(text) == text


def test_a_line_too_long_to_be_searched_goes_whole() -> None:
    assert scrub("x " * 2000) == "[line too long to be searched]"


def test_only_lines_in_which_something_was_understood_are_published() -> None:
    text = (
        "Hello, Jane here.\nMy key is 12345\n"
        "jane@bigbox:~$ sudo hdparm -t /dev/mmcblk0\n"
        " Timing buffered disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec\n"
        "jane@bigbox:~$ wpa_passphrase flat secret\n"
        "bye"
    )
    assert public_text(read(text)).split("\n") == [
        "[… 2 lines not published]",
        "[user or host name] sudo hdparm -t /dev/mmcblk0",
        " Timing buffered disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec",
    ]


def test_nothing_of_a_text_nobody_understands_is_published() -> None:
    assert public_text(read("Hello, Jane here.")) == ""


LINES = [
    line
    for path in corpus.files(corpus.LOGS)
    for line in path.read_text("utf-8", "replace").split("\n")
    if line
]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=60)), max_size=12), st.integers(0, 2**32 - 1)
)
def test_no_serial_number_survives_among_anything_else(lines: list[str], serial: int) -> None:
    cid = f"02544d534130344711{serial:08x}00d371"
    cleaned = scrub("\n".join([*lines[:6], f"cid:{cid}", *lines[6:], f"serial 0x{serial:08x}"]))
    assert f"{serial:08x}" not in cleaned.replace("0x00000000", "") or serial < 0x10000


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=80)), max_size=20).map("\n".join))
def test_places_do_not_overlap_and_lie_within_their_lines(text: str) -> None:
    lines = read(text).lines
    places = find(lines)
    for place in places:
        assert 0 <= place.span.start < place.span.end <= len(lines[place.span.line - 1].text)
    for place, after in pairwise(places):
        assert (place.span.line, place.span.end) <= (after.span.line, after.span.start)


@pytest.mark.parametrize(
    "unit",
    ["a1", "00 ", "a@", "~a/", "/a", "1.", "ab:", "serial ", "0" * 32 + " ", "a at b", "c:\\", "00000000 "],
)
def test_the_time_grows_with_the_length_not_with_its_square(unit: str) -> None:
    line = unit * (1900 // len(unit)) + "\n"
    assert cpu_seconds(scrub, line * 80) < 8 * 4 * max(cpu_seconds(scrub, line * 10), 0.002)
