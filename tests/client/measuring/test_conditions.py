"""The state of the host before and after a run is recorded, and states that make figures less reliable are named."""

from pathlib import Path

import pytest
from cardbench.measuring import conditions
from cardbench.target import identity, mounts
from cardbench.target.sysfs import Sysfs


def tree(root: Path, **files: str) -> Sysfs:
    """Write a sysfs tree with these files, and return it; `__` in a name means a slash."""
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Sysfs(root)


PI = {
    "devices__system__cpu__cpu0__cpufreq__scaling_governor": "ondemand\n",
    "devices__system__cpu__cpu0__cpufreq__scaling_cur_freq": "1500000\n",
    "class__thermal__thermal_zone0__temp": "48312\n",
    "class__thermal__thermal_zone0__type": "cpu-thermal\n",
    "devices__platform__soc__soc:firmware__get_throttled": "50000\n",
}


def test_it_works(tmp_path):
    now = conditions.read_conditions(tree(tmp_path, **PI))
    assert now["governor"] == "ondemand"
    assert now["cpu_clock_hz"] == 1_500_000_000
    assert now["temperature_celsius"] == 48.312
    assert now["throttled"] is False  # it was, earlier
    assert now["load_average"] >= 0


def test_what_is_not_known_is_left_out(tmp_path):
    assert set(conditions.read_conditions(Sysfs(tmp_path))) <= {"load_average", "processors"}


@pytest.mark.parametrize(
    ("before", "after", "bus", "word"),
    [
        ({"load_average": 3.5, "processors": 4}, {}, {}, "busy"),
        ({"throttled": False}, {"throttled": True}, {}, "throttled"),
        ({}, {"temperature_celsius": 81.0}, {}, "hot"),
        ({"cpu_clock_hz": 15e8}, {"cpu_clock_hz": 6e8}, {}, "from 1500 to 600 MHz"),
        ({"governor": "powersave"}, {}, {}, "powersave"),
        ({}, {}, {"clock_hz": 400_000}, "0.4 MHz"),
    ],
)
def test_every_doubt(before, after, bus, word):
    (doubt,) = conditions.doubts(before, after, bus)
    assert word in doubt


def test_a_quiet_host_is_not_doubted():
    quiet = {"load_average": 0.1, "processors": 4, "temperature_celsius": 45.0, "throttled": False}
    assert not [*conditions.doubts(quiet, quiet, {"clock_hz": 50_000_000})]


def test_the_scheduler_in_use(tmp_path):
    sysfs = tree(tmp_path, block__mmcblk0__queue__scheduler="none [mq-deadline] bfq\n")
    assert identity.host(sysfs, "mmcblk0")["scheduler"] == "mq-deadline"


def test_how_it_is_mounted():
    line = "27 1 179:2 / / rw,noatime shared:1 - ext4 /dev/root rw,sync,data=ordered"
    assert mounts.parse(line).options == ("rw", "noatime", "sync", "data=ordered")
