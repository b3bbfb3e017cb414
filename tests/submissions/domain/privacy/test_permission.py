"""Tests that only numbers, units and known words in permitted places are published, and nothing else."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from submissions.domain.privacy import public_words
from submissions.domain.privacy.permission import BAR, bars, with_bars
from tests.submissions.domain.intake.timing import cpu_seconds

KNOWN = public_words.words_of_people()
# Letters of any script, as people have names in them.
NAMES = st.text(st.characters(categories=["Lu", "Ll", "Lo"]), min_size=4, max_size=12)


def scrub(text: str) -> str:
    return with_bars(text, bars(text, KNOWN))


def test_it_works() -> None:
    assert scrub("64 GB card of Karl, 21.5 MB/s") == f"64 GB card of {BAR}, 21.5 MB/s"


@pytest.mark.parametrize(
    "text",
    [
        "Raspberry Pi 4 Model B Rev 1.4",
        "6.12.47+rpt-rpi-v8",
        "5.15.0-91-generic",
        "sdhci-iproc",
        "rw,relatime,errors=remount-ro",
        "fio-3.33",
        "iozone+dd",
        "io_error",
        "a 64GB SanDisk Extreme Pro, bought at Amazon for 12.99 EUR on 2024-05-17 12:30",
        "it isn't the card's fault: 2 of 5 repeats failed after 31914983424 bytes",
        "read 100% at 50MHz, 1.8V",
        "/dev/mmcblk0p2 and /dev/sda1",
    ],
)
def test_what_is_known_stays(text: str) -> None:
    assert scrub(text) == text


@pytest.mark.parametrize(
    "private",
    [
        "jane.roe@bigbox.example",
        "pi@raspberrypi",
        "/home/test/card",
        "~/read/test",
        "~test/read",
        "file:///home/test",
        "//home/test",
        r"\\NAS\test",
        r"C:\Users\test",
        "https://user:pass@server/card",
        "test.read.write",
        "192.168.1.17",
        "10.0.0.1",
        "fe80::ba27:ebff:fe12:3456",
        "2001:470:1234:5678::1",
        "b8:27:eb:12:34:56",
        "00:11:22:33:44:55",
        "dca6.329c.29ba",
        "dca6329c29ba",
        "6d1d3a3c-3f5b-4c8e-9d8a-2f4b5a6c7d8e",
        "5EBD-5C99",
        "+49 170 12 34 567",
        "0170-1234567",
        "02544d534130344711353389",
        "0254 4d53 4130 3447 1135 3389 0900 d371",
        "02 54 4d 53 41 30 34 47 11 35 33 89 09 00 d3 71",
        "0x02 0x54 0x4d 0x53 0x41",
        "0x35338909",
        "35338909",
        r"USB\VID_0BDA&PID_0316\20120501030900000",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "⠅⠁⠗⠇",
        "кухня",
    ],
)
@pytest.mark.parametrize("around", ["{}", "card {} read", "test={}", "read: {}; 9 MB", "('{}')", "{}, {}"])
def test_what_names_somebody_goes_whole(private: str, around: str) -> None:
    assert private not in scrub(around.format(private, private))
    left = scrub(around.format(private, private)).replace(BAR, "")
    assert not set(private.split()) & set(left.replace("'", " ").replace("=", " ").split())


def test_a_unit_speaks_for_the_one_number_before_it() -> None:
    assert scrub("read 31914983424 bytes") == "read 31914983424 bytes"
    assert scrub("read 12345678 87654321 bytes") == f"read {BAR} bytes"


def test_a_name_with_underscores_has_few_digits() -> None:
    assert (scrub("read_123"), scrub("read_1234567")) == ("read_123", BAR)


PLACES = (
    "{}", "card {} read", "PASS={} dd if=/dev/zero", "file:///home/{}/test", "//{}/test", "\\\\{}\\read",
    "# {} is here", "test:~ {}$ dd", "{}:/home/u # dd", "'/media/{} read/SD'", "/media/{}\\ read/SD", "of={}",
    "1.97,1.97,{},1,1400397929", "{}: (g=0): rw=randread", "[{}@test read]# dd", "-f {}", "--{}=4k", "read.{}",
    "a_{}", "{}_1", "x{}", "read/{}", "{}/s", "12{}", "{}-card", "“{} card”", "card ({})", "read:{}:12", "{}'s card",
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(NAMES, st.sampled_from(PLACES))
def test_a_random_word_never_survives(name: str, place: str) -> None:
    assume(name.casefold() not in KNOWN and not any(mark in name for mark in ("µ", "μ")))
    assume(not any(name.casefold().removesuffix(end) in KNOWN for end in ("s", "t")))
    assert name not in scrub(place.format(name))


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_of_any_text_only_known_words_are_left(text: str) -> None:
    left = scrub(text).replace(BAR, " ")
    words = [word for word in public_words.WORD.findall(left) if word.isalpha() and len(word) > 2]
    assert all(word.casefold() in KNOWN or word.isdecimal() for word in words)


def test_a_bar_does_not_tell_how_long_the_word_was() -> None:
    assert scrub("Karl") == scrub("Karlheinz Wolfgang") == BAR


@pytest.mark.parametrize(
    "unit", ["a1", "00 ", "a@", "~a/", "/a", "1.", "ab:", "'", '"a', "\\ ", "1 x ", "0x1 "]
)
def test_the_time_grows_with_the_length_not_with_its_square(unit: str) -> None:
    line = unit * (4000 // len(unit))
    assert cpu_seconds(scrub, line * 4) < 4 * 4 * max(cpu_seconds(scrub, line), 0.002)
