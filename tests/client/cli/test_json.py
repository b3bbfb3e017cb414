"""Every example in client/integrations/JSON.md has the same names and types as the output of the program."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client.cli.test_identify_server import SYSFS
from tests.client.conftest import CLIENT

PAGE = (CLIENT / "integrations/JSON.md").read_text()
REFUSAL, HEALTH, WATCH, CHECK, IDENTIFY = map(json.loads, re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))


def find_missing(example: Any, answer: Any, path: str = "") -> Iterator[str]:
    """Yield the paths in an example that are missing in an output, or have another type there."""
    if isinstance(example, dict) and isinstance(answer, dict):
        for name, value in example.items():
            yield from (
                find_missing(value, answer[name], f"{path}.{name}") if name in answer else [f"{path}.{name}"]
            )
    elif isinstance(example, list) and isinstance(answer, list) and example and answer:
        yield from find_missing(example[0], answer[0], f"{path}[]")
    elif type(example) is not type(answer):
        yield f"{path}: {type(answer).__name__}"


@pytest.fixture
def emmc(tmp_path: Path) -> Path:
    """Write the sysfs files of the eMMC of the example; return their folder."""
    device = tmp_path / "block/mmcblk2/device"
    device.mkdir(parents=True)
    for name, text in {
        "type": "MMC",
        "cid": HEALTH["card"]["registers"]["cid"],
        "life_time": "0x02 0x01",
    }.items():
        (device / name).write_text(text)
    (device.parent / "size").write_text(str(HEALTH["card"]["size_bytes"] // 512))
    (device.parent / "stat").write_text("1 0 8 0 1 0 2000000 0 0 0 0")
    return tmp_path


def test_health(cardbench, emmc):
    answer = json.loads(cardbench("health", "mmcblk2", "--sysfs", emmc, "--json").stdout)
    assert set(answer) == set(HEALTH) and list(find_missing(HEALTH, answer)) == []
    assert answer["extra"] == HEALTH["extra"] and answer["readings"] == HEALTH["readings"]


def test_watch(cardbench, emmc, tmp_path):
    words = ("watch", "mmcblk2", "--sysfs", emmc, "--history", tmp_path / "history", "--json")
    cardbench(*words)
    (history,) = (tmp_path / "history").iterdir()
    time_s = int(history.read_text().splitlines()[1].split()[0]) - 400 * 86_400
    history.write_text(f"{time_s} 10 10 0 0 -\n{time_s + 86_400 * 200} 20 10 0 0 -\n")
    answer = json.loads(cardbench(*words).stdout)
    assert set(answer) == set(WATCH) and list(find_missing(WATCH, answer)) == []


def test_check(cardbench, image):
    answer = json.loads(cardbench("check", image, "--json").stdout)
    assert set(answer) == set(CHECK) and list(find_missing(CHECK, answer)) == []
    assert answer["verdict"] == CHECK["verdict"]


@pytest.mark.django_db(transaction=True)
def test_identify(cardbench, live_server):
    words = ("identify", "mmcblk1", "--sysfs", SYSFS / "beaglebone", "--server", live_server.url, "--json")
    answer = json.loads(cardbench(*words).stdout)
    assert set(answer) == set(IDENTIFY) and list(find_missing(IDENTIFY, answer)) == []
    assert answer["decoded"]["sentence"] == IDENTIFY["decoded"]["sentence"]


def test_a_refusal(cardbench):
    answer = cardbench("health", "mmcblk7", "--json")
    assert (answer.returncode, json.loads(answer.stdout)) == (2, REFUSAL)
