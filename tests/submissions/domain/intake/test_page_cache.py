"""Tests of reads that may come from the memory of the host, after a file was written or read: they are no figures."""

import pytest

from submissions.domain.intake.parsed import Figure
from submissions.domain.intake.paste import read

WRITE = "$ dd if=/dev/zero of=test bs=1M count=100 {}\n104857600 bytes (105 MB) copied, 8.1 s, 12.9 MB/s\n"
READ = "$ dd if=./test of=/dev/null bs=1M {}\n104857600 bytes (105 MB) copied, {} s, {} MB/s\n"
SLOW, FAST = READ.format("", "4.0", "26.2"), READ.format("", "0.51", "206")


def last_of(text: str) -> Figure:
    return read(text).figures[-1]


def test_it_works():
    figure = last_of(WRITE + FAST)

    assert (figure.value, figure.failure) == (None, "page_cache")


def test_a_read_that_may_be_of_the_card_does_not_say_so():
    assert "io" not in last_of(WRITE + SLOW).parameters
    assert last_of(WRITE + SLOW).value == 26214400
    assert last_of(WRITE + SLOW + SLOW).parameters == last_of(WRITE + SLOW).parameters


@pytest.mark.parametrize(
    "between",
    [
        "$ echo 3 | sudo tee /proc/sys/vm/drop_caches\n",
        "echo 3 > /proc/sys/vm/drop_caches\n",
        "$ sudo umount /mnt && sudo mount /mnt\n",
        "Then I rebooted the board.\n",
    ],
)
def test_an_emptied_cache_holds_nothing(between: str):
    assert last_of(WRITE + between + FAST).parameters["io"] == "buffered"
    assert last_of(WRITE + between + SLOW + FAST).failure == "page_cache"


def test_commands_may_stand_above_all_their_results():
    commands, results = zip(*(text.strip().split("\n") for text in (WRITE, SLOW)), strict=True)
    emptied = [commands[0], "echo 3 > /proc/sys/vm/drop_caches", commands[1], "", *results]

    assert last_of("\n".join(emptied)).parameters["io"] == "buffered"


@pytest.mark.parametrize(
    "text",
    [
        FAST,  # the first that the text has of it
        WRITE.format("oflag=direct") + FAST,
        WRITE + READ.format("iflag=direct", "0.51", "206"),
        WRITE + FAST.replace("./test", "other"),
        WRITE + FAST.replace("104857600", "209715200").replace("0.51", "1.02"),  # more than was written
        WRITE + FAST.replace("bs=1M", "bs=1M skip=100"),
        f"# Card A\n{WRITE}# Card B\n{FAST}",
    ],
)
def test_other_reads_are_of_the_card(text: str):
    assert last_of(text).value
    assert "io" in last_of(text).parameters


def test_a_device_that_is_read_again_is_asked_again_unless_it_is_far_faster():
    device = SLOW.replace("./test", "/dev/sdb")

    assert last_of(device + device).parameters["io"] == "buffered"
    assert last_of(device + FAST.replace("./test", "/dev/sdb")).failure == "page_cache"
