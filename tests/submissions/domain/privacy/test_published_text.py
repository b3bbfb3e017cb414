"""Tests of the parts of a pasted text that everybody may read."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.domain.intake.paste import read
from submissions.domain.pasting.marking import mark_lines
from submissions.domain.privacy.published_text import public_lines, public_text
from tests import corpus
from tests.factories import SA04G, SA04G_SERIAL
from tests.submissions.domain.intake.timing import cpu_seconds

TIMING = " Timing buffered disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec"
DD = "100+0 records in\n100+0 records out\n104857600 bytes (105 MB, 100 MiB) copied, 7.0 s, 15.0 MB/s"
CID = SA04G["cid"]


def publish(text: str) -> str:
    return public_text(read(text))


def test_it_works() -> None:
    text = (
        "Hello, Jane here.\nMy key is 12345\n"
        "jane@bigbox:~$ sudo hdparm -t /dev/mmcblk0  # in Jane's room\n"
        f"{TIMING}\n"
        "jane@bigbox:~$ wpa_passphrase flat secret\n"
        "bye"
    )
    assert publish(text).split("\n") == [
        "[… 2 lines not published]",
        "███ sudo hdparm -t /dev/mmcblk0  ███",
        TIMING,
    ]


def test_nothing_of_a_text_nobody_understands_is_published() -> None:
    assert publish("Hello, Jane here.") == ""


@pytest.mark.parametrize(
    "text",
    [
        TIMING,
        "sudo dd if=/dev/zero of=/dev/sdb bs=1M count=100 oflag=direct\n" + DD,
        "align 2048\tpre 735µs\ton 1.08ms\tpost 780µs\tdiff 324µs",
        "Disk /dev/mmcblk0: 29.7 GiB, 31914983424 bytes, 62333952 sectors",
        "mmcblk0: mmc0:0001 SU04G 3.64 GiB",
        "Average writing speed: 8.16 MB/s",
    ],
)
def test_what_the_tools_print_is_readable(text: str) -> None:
    assert publish(text) == text


def test_most_of_every_known_log_is_readable() -> None:
    """At least this share of the characters is published, in lines that were understood.

    Registers and the names of people and machines are hidden.
    """
    parsed = [corpus.load(path) for path in corpus.files(corpus.LOGS)]
    hidden = sum(
        end - start for log in parsed for of_line in public_lines(log).values() for start, end in of_line
    )
    assert hidden < 0.05 * sum(len(public_text(log)) for log in parsed)


PRIVATE = "Xaverina"  # no word of any vocabulary


@pytest.mark.parametrize(
    "text",
    [
        f"{PRIVATE}@bigbox:~ $ sudo hdparm -t /dev/sda\n{TIMING}",
        f"bigbox:~ {PRIVATE}$ sudo hdparm -t /dev/sda\n{TIMING}",
        f"{PRIVATE}:/home/u # sudo hdparm -t /dev/sda\n{TIMING}",
        f"{PRIVATE}# hdparm -t /dev/sda\n{TIMING}",
        f"[root@{PRIVATE} tmp]# hdparm -t /dev/sda\n{TIMING}",
        f"PS C:\\Users\\{PRIVATE}> hdparm -t /dev/sda\n{TIMING}",
        f"SSHPASS={PRIVATE} dd if=/dev/zero of=/dev/sdb bs=1M count=100 oflag=direct\n{DD}",
        f"PASS={PRIVATE} sudo dd if=/dev/zero of=/dev/sdb bs=1M count=100 oflag=direct\n{DD}",
        f"dd if=/dev/zero of=/dev/sdb bs=1M count=100 # card of {PRIVATE}\n{DD}",
        f"dd if=/dev/zero of={PRIVATE} bs=1M count=100\n{DD}",
        f"dd if=/dev/zero of='/media/{PRIVATE} mueller/SD' bs=1M count=100\n{DD}",
        f"dd if=/dev/zero of='/media/karl {PRIVATE}/SD' bs=1M count=100\n{DD}",
        f"dd if=/dev/zero of=/media/karl\\ {PRIVATE}/SD bs=1M count=100\n{DD}",
        f"dd if=/dev/zero of=file:///home/{PRIVATE}/x bs=1M count=100\n{DD}",
        f"dd if=/dev/zero of=//home/{PRIVATE} bs=1M count=100\n{DD}",
        f"dd if=/dev/zero of=\\\\NAS\\{PRIVATE} bs=1M count=100\n{DD}",
        f"dd if=/dev/zero of=~{PRIVATE}/x bs=1M count=100\n{DD}",
        f"dd if=/dev/zero of=/dev/sdb bs=1M count=100; echo {PRIVATE}\n{DD}",
        f"I, {PRIVATE}, ran dd if=/dev/zero of=/dev/sdb bs=1M count=100\n{DD}",
        f"# {PRIVATE}'s card\n{TIMING}",
        f"== {PRIVATE} ==\n{TIMING}",
        f"Starting {PRIVATE} test\n{TIMING}",
        "1.96,1.96,"
        + PRIVATE
        + ",1,1424557976,2G,,75,98,11028,9,7172,7,507,99,23015,9,1054,47,16,,,,,3861,39,+++++,"
        "+++,5097,41,7133,71,+++++,+++,4915,40,613ms,9537ms,6887ms,37024us,29880us,89690us,761us,3017us,3273us,694us,"
        "82us,619us",
        f"{PRIVATE}     2G    75  98 11028   9  7172   7   507  99 23015   9  1054  47\n",
        f"{PRIVATE}: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=1\n{TIMING}",
        f"iozone -e -I -a -s 100M -r 4k -i 0 -i 1 -f {PRIVATE}\n{TIMING}",
        f"f3write /media/{PRIVATE}/6135-3363/\nAverage writing speed: 8.16 MB/s",
        f"Mar 14 12:00:01 {PRIVATE} kernel: mmcblk0: mmc0:0001 SA04G 3.64 GiB",
    ],
)
def test_a_private_word_is_a_bar_wherever_it_stands(text: str) -> None:
    shown = publish(text)
    assert PRIVATE not in shown and "mueller" not in shown and "bigbox" not in shown
    assert "1" in shown  # the figures are there


@pytest.mark.parametrize(
    "serial",
    [
        f"cid: {CID}",
        f"cid: {CID.upper()}",
        f"==> /sys/block/mmcblk0/device/serial <==\n0x{SA04G_SERIAL}",
        f"/sys/block/mmcblk0/device/serial:0x{SA04G_SERIAL}",
        f"mmcsd0: 4GB <SDHC SA04G 1.1 SN {SA04G_SERIAL} MFG 03/2013 by 2 TM>",
        f"serial:\t{int(SA04G_SERIAL, 16)}",
        " ".join(CID[at : at + 8] for at in range(0, 32, 8)),
        " ".join(f"${CID[at : at + 2].upper()}" for at in range(0, 32, 2)),
    ],
)
def test_no_spelling_of_a_serial_number_is_left(serial: str) -> None:
    shown = publish(f"{serial}\n{TIMING}").lower()
    assert not [
        spelt
        for spelt in (SA04G_SERIAL, str(int(SA04G_SERIAL, 16)), "3533 8909", "353389")
        if spelt in shown.replace("$", "")
    ]


LINES = [
    line
    for path in corpus.files(corpus.LOGS)
    for line in path.read_text("utf-8", "replace").split("\n")
    if line
]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=12), st.data())
def test_a_word_put_anywhere_into_a_log_is_never_published(lines: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lines) - 1))
    words = lines[at].split(" ")
    words.insert(data.draw(st.integers(0, len(words))), PRIVATE)
    assert PRIVATE not in publish("\n".join([*lines[:at], " ".join(words), *lines[at + 1 :]]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=80)), max_size=20).map("\n".join))
def test_the_preview_marks_what_stays_private(text: str) -> None:
    parsed = read(text)
    places = public_lines(parsed)
    marks = {line.number: line.stretches for line in mark_lines(parsed, places)}
    for number, of_line in places.items():
        private = sum(len(stretch.text) for stretch in marks.get(number, ()) if stretch.kind == "private")
        assert number not in marks or private == sum(end - start for start, end in of_line)


def test_the_time_grows_with_the_length_not_with_its_square() -> None:
    line = "jane@bigbox:~$ sudo dd if=/dev/zero of=/home/jane/x bs=1M count=100  # my card\n" + DD + "\n"
    assert cpu_seconds(publish, line * 320) < 8 * 4 * max(cpu_seconds(publish, line * 40), 0.002)
