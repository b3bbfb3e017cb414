"""Tests of questions about texts with two cards, in the layouts of forums, and about texts that name another medium."""

import pytest

from submissions.domain.intake.compose import ComposeError, compose
from submissions.domain.intake.paste import read

TIMING = " Timing buffered disk reads: {} MB in  3.00 seconds =  {:.2f} MB/sec\n"
ONE, AGAIN, OTHER = TIMING.format(63, 21), TIMING.format(66, 22), TIMING.format(261, 87)
CID = "035344534c30384780123456780fb001"
LAYOUTS = (
    "Kingston Canvas:\n{}\nSamsung EVO:\n{}",
    "**Kingston**\n{}\n**Samsung**\n{}",
    "1) Kingston\n{}\n2) Samsung\n{}",
    "16GB:\n{}\n32GB:\n{}",
    "// Kingston\n{}\n// Samsung\n{}",
    "{}^^ Kingston\n{}^^ Samsung\n",
    "<details><summary>Kingston</summary>\n\n```\n{}```\n</details>\n<details><summary>Samsung</summary>\n{}</details>",
    "Purple: Kingmax 16GB : Kali\n{}\nPink: Samsung 16GB, fresh\n{}",
    "name: SL08G\n{}\nname: EB1QT\n{}",
    "mmcblk0: mmc0:aaaa SL08G 7.40 GiB\n{}\nmmcblk0: mmc0:0001 EB1QT 29.8 GiB\n{}",
    "So I took the old card out of the drawer and let the test run on it, and this is what it printed to me:\n{}"
    "Then I bought a new one that everybody in these threads recommends, and let the very same test run on that:\n{}",
)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_two_cards_are_asked_about(layout: str) -> None:
    questions = read(layout.format(ONE, OTHER)).questions

    assert [(question.about, question.answer) for question in questions] == [("case", "A"), ("case", "")]


def test_two_serial_numbers_are_two_cards_whatever_their_names() -> None:
    card = "Manufacturer ID: 0X0\nOEM ID: 0\nProduct: APPSD\nSerial number: 0X5ED\n"

    with pytest.raises(ComposeError, match="from line 6, for"):
        compose(read(card + ONE + card.replace("5ED", "7A1") + ONE))
    assert compose(read(card + ONE + card + ONE))["measurements"]


def test_udev_names_cards_and_emmcs() -> None:
    told = [
        [fact.value for fact in read(f"E: ID_NAME={name}\nE: ID_SERIAL=0x00000001\n").facts_named("bus")]
        for name in ("SPCC", "S0J57X")
    ]

    assert told == [["SD"], ["MMC"]]


def test_mmc_utils_tells_a_model() -> None:
    parsed = read("type: 'SD'\nmanufacturer: 'SanDisk' 'SD'\nproduct: 'SD128' 8.5\nserial: 0x00000001\n")
    told = {fact.name: fact.value for fact in parsed.facts}

    assert told == {
        "pnm": "SD128",
        "bus": "SD",
        "hardware_revision": 8,
        "firmware_revision": "5",
        "psn": "00000001",
    }
    assert parsed.identity.registers == {}


@pytest.mark.parametrize(
    "between", ["", "\n\n", "run 2\n", "real\t0m3.021s\n", "and once more:\n", "dd: closing input\n"]
)
def test_repeats_of_one_card_are_not(between: str) -> None:
    assert read(f"$ hdparm -t /dev/mmcblk0\n{ONE}{between}{AGAIN}").questions == ()


@pytest.mark.parametrize("between", ["", "\n\n", "real\t0m3.021s\n", "and once more:\n"])
def test_repeats_that_are_far_apart_are_asked_about(between: str) -> None:
    cases = read(f"$ hdparm -t /dev/mmcblk0\n{ONE}{between}{OTHER}").cases

    assert [case.title for case in cases] == ["line 1", "line 3"]


def test_repeats_that_a_tool_numbers_may_be_far_apart() -> None:
    run = "Run {}\nRandom write speed {} IOPS (target 500) - FAIL\n"

    assert read("".join(run.format(*one) for one in ((1, 15), (2, 5), (3, 83)))).cases == ()


def test_a_disk_that_may_be_any_is_asked_about() -> None:
    disk = f"/dev/sda:\n{ONE}"
    (question,) = read(disk).questions

    assert compose(read(disk, answers={question.key: "usb"}))["host"]["interface"] == "usb"
    assert "interface" not in compose(read(disk, answers={question.key: "card"}))["host"]
    for answers in ({}, {question.key: "disk"}):
        with pytest.raises(ComposeError, match="What was /dev/sda"):
            compose(read(disk, answers=answers))
    assert read(f"in a USB reader\n{disk}").questions == ()
    assert read(f"my SD card\n{disk}").questions == ()


@pytest.mark.parametrize(
    "words",
    [
        "--- . (virtiofs virtiofs0 926.4 GiB) ioping statistics ---",
        "SATA Samsung 860 EVO",
        "on my SSD",
        "* samsung T5",
        "tmpfs /tmp",
        "/dev/md0 is clean",
        "### NFS",
        "by sshfs",
        "Seagate BUP",
        "$ cat /dev/mtd3",
        "Test : 1000 MB [C: 33.0% (39.3/119.1 GB)] (x5)",
    ],
)
def test_another_medium_is_asked_about(words: str) -> None:
    parsed = read(f"{words}\n{ONE}")
    (question,) = parsed.questions
    with pytest.raises(ComposeError, match="answer whether it was one"):
        compose(parsed)
    answered = read(f"{words}\n{ONE}", answers={question.key: "card"})
    assert compose(answered)["measurements"][0]["values"] == [21.0]


def test_registers_beside_the_serial_number_of_another_card_are_refused() -> None:
    serial = "/sys/class/mmc_host/mmc0/mmc0:aaaa/serial:0x{}\n"
    one, two = (read(serial.format(digits) + f"cid: {CID}\n") for digits in ("12345678", "12345679"))

    assert (one.identity.registers, one.identity.several_cids) == ({"cid": CID}, False)
    assert (two.identity.registers, two.identity.several_cids) == ({}, True)
    assert "12345678" not in str(compose(one).get("extra"))


def test_a_named_card_is_none() -> None:
    assert read(f"no SSD here\n/dev/mmcblk0:\n{ONE}").questions == ()


@pytest.mark.parametrize("width", [2, 4, 16])
def test_a_turned_cid_is_refused(width: int) -> None:
    raw = bytes.fromhex(CID)
    turned = b"".join(raw[at : at + width][::-1] for at in range(0, 16, width))
    parsed = read(f"cid: {turned.hex()}\n")
    assert (parsed.identity.registers, "a different order" in parsed.identity.problem) == ({}, True)
    assert read(f"cid: {CID}\n").identity.registers == {"cid": CID}
