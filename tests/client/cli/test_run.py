"""All commands of the program run as people and scripts use them: without a terminal, and with JSON."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cardbench import ftl
from cardbench.target import mounts
from cardbench.target.surface import Surface

from submissions.domain.report import parse
from tests.client.simulated_cards import FIND, SIMULATED

SYSFS = Path(__file__).parents[1] / "sysfs"
CLIENT = Path(__file__).resolve().parents[3] / "client"
MIB = 1024**2


@pytest.fixture
def directory(tmp_path) -> Path:
    place = tmp_path / "card"
    place.mkdir()
    return place


def test_it_works(cardbench, directory, tmp_path):
    answer = cardbench(
        "run", directory, "-o", tmp_path / "r.json", "--brand", "Kingston", "--capacity-gb", 64
    )
    assert answer.returncode == 0, answer.stderr
    understood = parse((tmp_path / "r.json").read_bytes())
    assert (understood.run.target, understood.run.destructive) == ("directory", False)
    assert (understood.card.label.brand, understood.card.label.capacity_gb) == ("Kingston", 64)
    mount = mounts.select_mount(directory, mounts.read())
    assert understood.host.filesystem == (mount.filesystem if mount else "")
    assert "Sequential reads" in answer.stdout
    assert "\r" not in answer.stderr


def test_a_directory_is_left_as_it_was(cardbench, directory):
    (directory / "mine").write_text("mine")
    cardbench("run", directory)
    assert [(entry.name, entry.read_text()) for entry in directory.iterdir()] == [("mine", "mine")]


def test_a_directory_is_measured_through_a_file(cardbench, directory):
    document = json.loads(cardbench("run", directory, "--json").stdout)
    streams = [entry["parameters"] for entry in document["measurements"] if entry["workload"] == "stream"]
    assert {parameters["direction"] for parameters in streams} == {"read", "write"}
    assert {parameters["file_size_bytes"] for parameters in streams} == {256 * MIB}
    boundaries = {entry["workload"] for entry in document["measurements"]} - {"stream"}
    assert boundaries == {"align"} or document["extra"]["boundaries_hidden"]


def test_a_file_is_measured_as_if_it_were_a_card(cardbench, image):
    document = json.loads(cardbench("run", image, "--json").stdout)
    assert document["run"]["target"] == "file"
    assert {entry["workload"] for entry in document["measurements"]} == {"stream", "align"}
    assert {entry["parameters"]["direction"] for entry in document["measurements"]} == {"read"}


def test_a_device_is_measured(cardbench, loop_device):
    document = json.loads(cardbench("run", loop_device.name, "--json", "--condition", "fresh").stdout)
    assert document["run"]["target"] == "device"
    assert document["card"]["size_bytes"] == 32 * MIB
    assert document["card"]["condition"] == "fresh"
    assert all(len(entry["values"]) == 3 for entry in document["measurements"])


def test_json_is_one_document_and_nothing_else(cardbench, image):
    answer = cardbench("run", image, "--json")
    assert json.loads(answer.stdout)["format"] == "flashdb-report"
    assert answer.stderr == ""


def test_no_path_and_no_name_of_this_machine_is_in_a_report(cardbench, directory):
    text = cardbench("run", directory, "--json").stdout
    for secret in (str(directory), os.uname().nodename + '"', str(Path.home()) + "/"):
        assert secret not in text


def test_another_engine(cardbench, image):
    document = json.loads(cardbench("run", image, "--json", "--engine", SIMULATED).stdout)
    assert document["measurements"][0]["values"][0] < 60e6


def test_list_shows_cards_first(cardbench):
    names = [
        disk["name"]
        for disk in json.loads(cardbench("list", "--json", "--sysfs", SYSFS / "usb-reader").stdout)
    ]
    assert names == ["sdb", "nvme0n1"]
    assert "SA04G" in cardbench("list", "--sysfs", SYSFS / "beaglebone").stdout


def test_identify(cardbench):
    answer = json.loads(
        cardbench("identify", "/dev/mmcblk1", "--sysfs", SYSFS / "beaglebone", "--json").stdout
    )
    assert answer["card"]["registers"]["cid"] == "02544d5341303447113533890900d371"
    assert "SA04G, revision 1.1" in cardbench("identify", "mmcblk1", "--sysfs", SYSFS / "beaglebone").stdout


def test_demo_and_show(cardbench, tmp_path):
    made = cardbench("demo", "-o", tmp_path / "r.json", "--seed", 5)
    shown = cardbench("show", tmp_path / "r.json")
    assert "How fast" in shown.stdout and "How fast" not in made.stdout
    assert json.loads(cardbench("show", tmp_path / "r.json", "--json").stdout)["simulated"] is True


@pytest.mark.parametrize(
    "words",
    [
        ("dance",),
        ("run",),
        ("run", "/nonexistent"),
        ("run", "/dev/null"),
        ("run", "/tmp", "--suite", "endless"),
        ("run", "/tmp", "--destructive"),
        ("run", "/tmp", "--capacity-gb", "-1"),
        ("run", "/tmp", "--engine", "/nonexistent/engine"),
        ("run", "/tmp", "--engine", "true"),
        ("run", "/tmp", "--engine", "cat"),
        ("run", "/tmp", "-o", "/nonexistent/r.json"),
        ("identify", "mmcblk77"),
        ("show", "/nonexistent.json"),
        ("submit", "/dev/null"),
        ("parse", "log.txt"),
    ],
)
def test_wrong_usage_ends_with_2(cardbench, words):
    answer = cardbench(*words)
    assert answer.returncode == 2
    assert answer.stderr


def test_an_incomplete_report_is_not_shown(cardbench, tmp_path):
    rows = [{"workload": "stream", "metric": "iops", "values": [1]}]
    (tmp_path / "r.json").write_text(json.dumps({"format": "flashdb-report", "measurements": rows}))
    answer = cardbench("show", tmp_path / "r.json")
    assert (answer.returncode, "measurements[0].unit is missing" in answer.stderr) == (2, True)


def test_an_error_is_json_too(cardbench):
    answer = cardbench("run", "/nonexistent", "--json")
    assert json.loads(answer.stdout)["error"]["code"] == "usage"


def test_a_report_is_saved_even_if_nobody_said_where(cardbench, image):
    shown = cardbench("run", image).stdout
    saved = shown.split("Saved as ")[1].split(". ")[0]
    assert saved.startswith("cardbench-")
    assert cardbench("show", saved).returncode == 0


def test_a_report_that_cannot_be_saved_is_printed(cardbench, image, tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", full], check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        answer = cardbench("run", image, "-o", full / "r.json")
    finally:
        subprocess.run(["umount", full], check=True)
    assert answer.returncode == 2
    assert json.loads(answer.stdout)["format"] == "flashdb-report"


def test_an_empty_file_is_too_small(cardbench, tmp_path):
    (tmp_path / "empty").touch()
    answer = cardbench("run", tmp_path / "empty")
    assert (answer.returncode, "at least" in answer.stderr) == (2, True)


def test_a_bad_card_ends_with_4_and_a_report(cardbench, image, tmp_path):
    surface = Surface(ftl.draw(1).size_bytes, 512, may_write=False, shows_boundaries=True)
    bad = f"{SIMULATED} --bad-offset {surface.start_bytes}"
    answer = cardbench("run", image, "-o", tmp_path / "r.json", "--engine", bad)
    understood = parse((tmp_path / "r.json").read_bytes())
    assert answer.returncode == 4
    assert "EIO" in {entry.failure.code for entry in understood.measurements if entry.failure}
    assert "(EIO)" in answer.stdout


def test_a_device_with_bad_blocks_ends_with_4_and_has_no_number_for_them(
    cardbench, loop_device, image, tmp_path
):
    os.truncate(image, 1 * MIB)  # reads behind it are I/O errors of the loop device
    answer = cardbench("run", loop_device, "-o", tmp_path / "r.json")
    understood = parse((tmp_path / "r.json").read_bytes())
    assert answer.returncode == 4
    assert {entry.failure.code for entry in understood.measurements if entry.failure} == {"EIO"}
    assert all(
        value > 0 for entry in understood.measurements if entry.metric == "iops" for value in entry.values
    )


def test_a_card_pulled_out_ends_the_run_with_4_and_a_report(cardbench, image, tmp_path):
    """The engine gives ENODEV when an SD card is pulled out of its slot, as observed with a real MMC driver."""
    gone = tmp_path / "gone.py"
    gone.write_text(GONE_ENGINE)
    answer = cardbench("run", image, "-o", tmp_path / "r.json", "--engine", f"{sys.executable} {gone}")
    document = json.loads((tmp_path / "r.json").read_text())
    assert answer.returncode == 4
    assert [len(entry["values"]) for entry in document["measurements"]] == [3, 0]
    assert document["measurements"][1]["failure"]["code"] == "ENODEV"
    assert "Measurements not run: " in answer.stdout


@pytest.mark.skipif(shutil.which("losetup") is None, reason="no losetup")
def test_a_device_with_large_sectors(cardbench, image):
    command = ["losetup", "--find", "--show", "--sector-size", "4096", str(image)]
    attached = subprocess.run(command, capture_output=True, text=True, check=False)
    if attached.returncode != 0:
        pytest.skip(f"no such loop device here: {attached.stderr.strip()}")
    try:
        document = json.loads(cardbench("run", attached.stdout.strip(), "--json").stdout)
    finally:
        subprocess.run(["losetup", "--detach", attached.stdout.strip()], check=True)
    aligns = [entry["parameters"] for entry in document["measurements"] if entry["workload"] == "align"]
    assert {parameters["block_size_bytes"] for parameters in aligns} == {8192}


def test_a_directory_without_room_ends_with_4(cardbench, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs a file system of its own")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", tmp_path], check=True)
    try:
        answer = cardbench("run", tmp_path)
    finally:
        subprocess.run(["umount", tmp_path], check=True)
    assert (answer.returncode, "not have enough space" in answer.stderr) == (4, True)


GONE_ENGINE = (
    f"{FIND}\n"
    + """
import sys
from simulated_cards import Program
program, read = Program(1), 0
for line in sys.stdin:
    read += line.startswith("read 1048576") * (len(line.split()) - 2)
    gone = f"error ENODEV offset={line.split()[-1]} done=0"
    print(gone if read > 3 * 64 else program.answer(line.rstrip()), flush=True)
"""
)

SLOW_ENGINE = (
    f"{FIND}\n"
    + """
import pathlib, sys, time
from simulated_cards import Program
program = Program(1)
for number, line in enumerate(sys.stdin):
    time.sleep(0.05)
    if number == 10:
        pathlib.Path(sys.argv[1]).touch()
    print(program.answer(line.rstrip()), flush=True)
"""
)


@pytest.mark.parametrize("interruption", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_with_130_and_a_report(image, tmp_path, interruption):
    slow, saved, begun = tmp_path / "slow.py", tmp_path / "r.json", tmp_path / "begun"
    slow.write_text(SLOW_ENGINE)
    command = [
        sys.executable,
        "-m",
        "cardbench",
        "run",
        image,
        "-o",
        saved,
        "--engine",
        f"{sys.executable} {slow} {begun}",
    ]
    process = subprocess.Popen(
        command, env=os.environ | {"PYTHONPATH": str(CLIENT)}, stdout=subprocess.DEVNULL
    )
    while not begun.exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(interruption)
    assert process.wait(timeout=180) == 130
    document = json.loads(saved.read_text())
    assert parse(saved.read_bytes())
    assert "interrupted" in {
        entry["failure"]["code"] for entry in document["measurements"] if "failure" in entry
    }
    assert document["extra"]["not_run"]


def test_a_killed_client_leaves_no_file_behind(directory, fast_engine_path):
    environment = os.environ | {"PYTHONPATH": str(CLIENT), "CARDBENCH_ENGINE": fast_engine_path}
    command = [sys.executable, "-m", "cardbench", "run", directory]
    process = subprocess.Popen(command, env=environment, cwd=directory.parent)
    time.sleep(0.3)
    process.kill()
    process.wait()
    assert list(directory.iterdir()) == []
