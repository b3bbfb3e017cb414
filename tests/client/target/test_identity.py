"""The facts about a card and its host are read from copies of the sysfs of three machines."""

from pathlib import Path

import pytest
from cardbench.target import identity
from cardbench.target.registers import crc7, name_of, seal
from cardbench.target.sysfs import Block, Sysfs, blocks, find

TREES = Path(__file__).parents[1] / "sysfs"
BEAGLEBONE, PI4, PC = Sysfs(TREES / "beaglebone"), Sysfs(TREES / "pi4"), Sysfs(TREES / "usb-reader")

IOS_3V3 = """clock:\t\t33000000 Hz
actual clock:\t33000000 Hz
bus mode:\t2 (push-pull)
bus width:\t2 (4 bits)
timing spec:\t2 (sd high-speed)
signal voltage:\t0 (3.30 V)
"""


def test_it_works():
    assert identity.card(BEAGLEBONE, "mmcblk1") == {
        "bus": "SD",
        "registers": {
            "cid": "02544d5341303447113533890900d371",
            "csd": "400e00325b5900001d177f800a40008d",
            "scr": "0235800001000000",
        },
        "size_bytes": 3_904_897_024,
        "preferred_erase_size_bytes": 4_194_304,
    }


def test_where_partitions_begin():
    read = identity.partition_starts(PI4, "mmcblk0")
    assert [(one["of"], one["value"]) for one in read] == [("mmcblk0p1", 2**22), ("mmcblk0p2", 272_629_760)]
    assert identity.partition_starts(BEAGLEBONE, "mmcblk1") == [], "its copy has no partitions"


def test_the_host_of_a_slot():
    host = identity.host(PI4, "mmcblk0")
    assert (host["board"], host["interface"], host["driver"]) == (
        "Raspberry Pi 4 Model B Rev 1.4",
        "mmc",
        "sdhci-iproc",
    )
    assert host["bus_mode"] == {
        "name": "DDR50",
        "clock_hz": 50_000_000,
        "width_bits": 4,
        "signal_voltage_mv": 1800,
    }


def test_a_reader_hides_the_card_and_its_own_serial_number_stays_here():
    card, host = identity.card(PC, "sdb"), identity.host(PC, "sdb")
    assert card == {"bus": "USB", "size_bytes": 31_914_983_424}
    assert (host["interface"], host["driver"]) == ("usb", "usb-storage")
    assert host["reader"] == "Generic STORAGE DEVICE (05e3:0749)"
    assert "1539" not in str(host)


def test_a_fixed_disk_is_no_card():
    assert "bus" not in identity.card(PC, "nvme0n1")
    assert identity.host(PC, "nvme0n1")["interface"] == "other"


def test_no_field_names_the_machine_or_its_user():
    allowed = {
        "board",
        "machine",
        "kernel",
        "device",
        "interface",
        "driver",
        "reader",
        "bus_mode",
        "memory_bytes",
        "filesystem",
    }
    assert set(identity.host(PI4, "mmcblk0")) <= allowed


def test_a_board_whose_maker_left_the_name_blank():
    assert identity.board(PC) == "PRIME B450M-A"


def test_a_bus_at_3_3_volts():
    mode = identity.bus_mode(IOS_3V3)
    assert mode == {
        "name": "SD high-speed",
        "clock_hz": 33_000_000,
        "width_bits": 4,
        "signal_voltage_mv": 3300,
    }


@pytest.mark.parametrize("ios", ["", "nonsense", "bus width:\t7 (64 bits)\ntiming spec:\t99\nclock: 0 Hz\n"])
def test_a_bus_mode_that_cannot_be_read_is_left_out(ios):
    assert identity.bus_mode(ios) == {}


def test_a_disk_that_is_not_there_has_no_fields():
    assert identity.card(PI4, "mmcblk7") == {}


def test_blocks_are_found_by_name_and_by_number():
    assert [block.name for block in blocks(PI4)] == ["mmcblk0", "mmcblk0p1", "mmcblk0p2"]
    assert find(PI4, "mmcblk0p2") == find(PI4, "179:2") == Block("mmcblk0p2", "mmcblk0")
    assert find(PI4, "sda") is None


def test_crc7_of_the_specification():
    assert crc7(bytes.fromhex("4000000000")) == 0x4A  # CMD0, PLSS 4.5
    assert seal(bytes.fromhex("02544d5341303447113533890900d3")) == "02544d5341303447113533890900d371"


def test_the_name_in_a_cid():
    name = name_of("SD", "02544d5341303447113533890900d371")
    assert name is not None
    assert (name.mid, name.oid, name.pnm, name.prv, name.mdt) == (2, "TM", "SA04G", "1.1", "2013-03")


@pytest.mark.parametrize("cid", ["", "zz", "00" * 16, "02544d"])
def test_what_is_no_cid_has_no_name(cid):
    assert name_of("SD", cid) is None
