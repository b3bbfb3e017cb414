"""`cardbench identify --server` shows the server's decoding of the registers, which is stored nowhere."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from submissions.models import Submission

CLIENT = Path(__file__).resolve().parents[3] / "client"
SYSFS = Path(__file__).parents[1] / "sysfs"
NOBODY = "http://127.0.0.1:9"  # the discard port, where no process listens

pytestmark = pytest.mark.django_db(transaction=True)


def identify(disk: str, machine: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "cardbench",
        "identify",
        disk,
        "--sysfs",
        str(SYSFS / machine),
        *arguments,
    ]
    environment = os.environ | {"PYTHONPATH": str(CLIENT)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_it_works(live_server: Any) -> None:
    answer = identify("mmcblk1", "beaglebone", "--server", live_server.url)
    assert answer.returncode == 0, answer.stderr
    assert (
        "Made by Toshiba (TM), product SA04G, revision 1.1, March 2013, 3,904,897,024 bytes." in answer.stdout
    )
    assert "CID" in answer.stdout  # the registers are printed above
    assert "Verdict: nothing unusual" in answer.stdout
    assert "only the label shows which" in answer.stdout
    assert Submission.objects.count() == 0


def test_it_answers_with_json(live_server: Any) -> None:
    answer = json.loads(identify("mmcblk0", "pi4", "--server", live_server.url, "--json").stdout)
    assert set(answer) == {"card", "host", "decoded"}
    assert (answer["decoded"]["mid"], answer["decoded"]["pnm"]) == (0x27, "SD16G")
    assert "psn" not in answer["decoded"]


def test_a_reader_hides_the_registers(live_server: Any) -> None:
    answer = identify("sdb", "usb-reader", "--server", live_server.url)
    assert answer.returncode == 4
    assert "Put the card into an SD slot" in answer.stderr


@pytest.mark.parametrize(("server", "status"), [("ftp://example.org", 2), (NOBODY, 6)])
def test_a_server_that_is_none(server: str, status: int) -> None:
    answer = identify("mmcblk0", "pi4", "--server", server)
    assert answer.returncode == status
    assert server in answer.stderr


def test_a_site_that_is_no_flashdb(live_server: Any) -> None:
    answer = identify("mmcblk0", "pi4", "--server", f"{live_server.url}/makers")
    assert answer.returncode == 5
    assert "HTTP 404" in answer.stderr or "HTTP 403" in answer.stderr
