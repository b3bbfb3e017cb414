"""What the kernel tells of a card in a slot, and of one in a USB reader."""

import pytest

from submissions.domain.intake.compose import compose
from submissions.domain.intake.paste import read

SIZE = "[  894.4] sd 8:0:0:0: [sdb] 7936000 512-byte hardware sectors: (4.06 GB/3.78 GiB)\n"
REMOVABLE = "[  894.5] sd 8:0:0:0: [sdb] Attached SCSI removable disk\n"
HDPARM = "/dev/sdb:\n Timing O_DIRECT disk reads: 126 MB in  3.01 seconds =  41.90 MB/sec\n"


def test_it_works():
    card = compose(read(SIZE + REMOVABLE + HDPARM))["card"]

    assert card == {"bus": "USB", "size_bytes": 7936000 * 512}


def test_a_disk_that_stays_is_not_the_card():
    fixed = SIZE + REMOVABLE.replace("removable ", "")

    assert read(fixed).facts == ()


def test_a_reader_without_a_card_has_no_size():
    assert read(REMOVABLE).facts == ()


def test_the_size_of_another_disk_is_not_that_of_the_card():
    card = compose(read(SIZE + REMOVABLE + HDPARM.replace("sdb", "sdc")))["card"]

    assert "size_bytes" not in card


def test_a_mail_may_be_encoded_though_it_has_no_equals_sign():
    parsed = read(
        "Dec 17 21:11:57 archlinux-steamdeck kernel: mmc0: new ultra high speed SDR1=\n04 SDHC card at address aaaa\n"
    )

    assert [fact.value for fact in parsed.facts] == ["SDR104"]


@pytest.mark.parametrize(
    "wrapped", ["SDHC \ncard at address aaaa", "SDHC card at\naddress aaaa", "SDHC card\n"]
)
def test_a_mail_may_wrap_the_line(wrapped: str):
    (fact,) = read(f"Dez 25 11:34:41 box kernel: mmc0: new ultra high speed SDR50 {wrapped}\n").facts

    assert (fact.name, fact.value) == ("name", "SDR50")
