"""Tests of the two forms of sdmon's output: of cards that state the life left, and of ADATA's cards."""

import pytest

from submissions.domain.intake.paste import read


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ('"enduranceRemainLifePercent": 99.97,', ("endurance_left_percent", 99.97)),
        ('"powerUpCount": 55,', ("power_on_count", 55)),
        ('"Remaining life": 100%,', ("endurance_left_percent", 100)),
        ('"Data area total erase cnt": 405,', ("erase_count", 405)),
    ],
)
def test_it_works(line: str, fact: tuple[str, float]):
    assert [(fact.name, fact.value) for fact in read(line).facts] == [fact]


def test_readings_of_a_second_run_may_be_of_another_card():
    runs = [
        '"version": "v0.5.0-2 (aab6b51) arm64",\n"powerUpCount": 11,',
        '"version": "v0.5.0-2",\n"powerUpCount": 78,',
    ]
    parsed = read("\n".join(runs))

    assert [(fact.name, fact.value) for fact in parsed.facts] == [("power_on_count", 11)]
    assert [reason for reason in parsed.left_out if "more than once" in reason] == list(parsed.left_out)
    assert len(parsed.left_out) == 1


def test_more_than_all_is_no_share_of_a_life():
    parsed = read('"enduranceRemainLifePercent": 453.00,')

    assert parsed.facts == ()
    assert [line.line for line in parsed.not_understood] == [1]


def facts_of(text: str) -> dict[str, float | str]:
    return {fact.name: fact.value for fact in read(text).facts}


@pytest.mark.parametrize(
    "silence",
    [
        '"spareBlockCount": 65535,\n',
        '"avgEraseCount": 4294967295,\n',
        '"error1": "1st CMD56 CALL FAILED: Operation timed out",\n',
    ],
)
def test_a_card_that_did_not_answer_tells_nothing(silence: str):
    parsed = read('"version": "v0.9.0",\n' + silence + '"powerUpCount": 12,\n"success": true')

    assert parsed.facts == ()
    assert ["did not answer" in reason for reason in parsed.left_out] == [True]


def test_zeros_throughout_are_no_answer_either():
    zeros = '"goodBlockRatePercent": 0.00,\n"enduranceRemainLifePercent": 0.00,\n"powerUpCount": 0,\n'

    assert facts_of(zeros) == {}
    assert facts_of(zeros.replace('powerUpCount": 0', 'powerUpCount": 3'))["power_on_count"] == 3
    assert facts_of('"laterBadBlockCount": 0,') == {"later_bad_blocks": 0}


def test_the_next_run_answers_for_itself():
    parsed = read('"version": "v1",\n"error1": "failed",\n"version": "v1",\n"powerUpCount": 12,\n')

    assert parsed.facts == ()  # perhaps another card
    assert len(parsed.left_out) == 2


def test_numbers_of_other_json_are_none_of_sdmon():
    assert read('"version": "v1",\n"size in blocks": 4294967295,\n').left_out == ()


@pytest.mark.parametrize("listed", ['"ab","cd"', '"01","02"', '"x","0x01"'])
def test_bytes_that_only_look_like_numbers_are_none(listed: str):
    parsed = read(f'"Power cycle cnt": [{listed}],\n')

    assert (parsed.facts, parsed.left_out) == ((), ())


def test_swissbit_lists_the_bytes_of_a_number():
    text = '"User area total cycle cnt": ["0x00","0x00","0x08","0xb6"], "Remaining Lifetime Percent": 99%,\n'

    assert facts_of(text + '"Power cycle cnt": ["0","0","1","19"],') == {
        "erase_count": 0x8B6,
        "endurance_left_percent": 99,
        "power_on_count": 256 + 19,
    }


@pytest.mark.parametrize(
    "text",
    [
        "$ cat /sys/class/block/mmcblk2/device/life_time\n0x03 0x02\n",
        'adb shell "cat /sys/block/mmcblk0/device/life_time"\n0x03 0x02\n',
        "root@box:/sys/block/mmcblk0/device# cat life_time\n0x03 0x02\n",
        "/sys/class/mmc_host/mmc0/mmc0:0001/life_time:0x03 0x02\n",
        "eMMC life_time: 0x03 0x02\n",
        'ATTRS{life_time}=="0x03 0x02"\n',
        "==> /sys/block/mmcblk0/device/life_time <==\n0x03 0x02\n",
    ],
)
def test_sysfs_tells_it_in_many_ways(text: str):
    assert facts_of(text) == {"life_time_a": 3, "life_time_b": 2}


def test_one_command_may_show_several_files():
    shown = "root@box:/sys/block/mmcblk0/device# cat pre_eol_info life_time name\n0x02\n0x00 0x0b\nDG4008\n"

    assert facts_of(shown) == {"pre_eol": 2, "life_time_b": 11}
    assert facts_of("/sys/block/mmcblk0/device/life_time:0xff 0x01\n") == {"life_time_b": 1}
    assert facts_of("/sys/block/mmcblk0/device/life_time:0x01\n") == {}


@pytest.mark.parametrize(
    ("text", "disk"),
    [
        ("$ cat /sys/class/block/mmcblk2/device/life_time\n0x03 0x02\n", "mmcblk2"),
        ("root@box:/sys/block/mmcblk1/device# cat life_time\n0x03 0x02\n", "mmcblk1"),
        ("$ cd /sys/block/mmcblk1/device\n$ hdparm -t /dev/sda\n$ cat life_time\n0x03 0x02\n", "mmcblk1"),
        ("/sys/block/mmcblk1/device/life_time:0x03 0x02\n", "mmcblk1"),
        ("==> /sys/block/mmcblk1/device/life_time <==\n0x03 0x02\n", "mmcblk1"),
        ('$ udevadm info -a /dev/mmcblk1\nATTRS{life_time}=="0x03 0x02"\n', "mmcblk1"),
        ("$ hdparm -t /dev/mmcblk0\n/dev/mmcblk0:\n$ some-tool\neMMC life_time: 0x03 0x02\n", ""),
        ("/sys/class/mmc_host/mmc0/mmc0:0001/life_time:0x03 0x02\n", ""),
    ],
)
def test_a_reading_is_that_of_the_disk_in_its_path(text: str, disk: str):
    facts = read(text).facts

    assert [(fact.value, fact.subject) for fact in facts] == [(3, disk), (2, disk)]


def test_one_command_may_show_files_of_two_disks():
    paths = "/sys/block/mmcblk0/device/preferred_erase_size /sys/block/mmcblk1/device/preferred_erase_size"
    facts = read(f"$ cat {paths}\n4194304\n524288\n").facts

    assert [(fact.value, fact.subject) for fact in facts] == [(4194304, "mmcblk0"), (524288, "mmcblk1")]


SDMON = '{\n"version": "v0.9.0",\n"device":"/dev/%s",\n"enduranceRemainLifePercent": %s,\n}\n'


def test_sdmon_names_its_device():
    facts = read(SDMON % ("mmcblk0", 85.2) + SDMON % ("mmcblk1", 12.2)).facts

    assert [(fact.value, fact.subject) for fact in facts] == [(85.2, "mmcblk0"), (12.2, "mmcblk1")]


def test_a_second_run_on_one_device_is_left_out():
    parsed = read(SDMON % ("mmcblk0", 85.2) + SDMON % ("mmcblk0", 85.1))

    assert [fact.value for fact in parsed.facts] == [85.2]
    assert "more than once" in parsed.left_out[0]
