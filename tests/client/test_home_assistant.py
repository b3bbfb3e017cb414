"""The add-on for Home Assistant: its own script on a mounted card, and a server that answers as the Supervisor does."""

import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from cardbench import __version__

from tests.client.conftest import CLIENT

FOLDER = CLIENT / "integrations" / "home-assistant"
CONFIG: dict[str, Any] = yaml.safe_load((FOLDER / "addon/config.yaml").read_text())
STATES = FOLDER / "addon/states.jq"
NEEDED = pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="no jq, or no curl")


class Supervisor(ThreadingHTTPServer):
    """Keeps the states that it is told; `refusing` answers 401."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Told)
        self.states: list[tuple[str, dict[str, Any]]] = []
        self.refusing = False

    def latest(self) -> dict[str, dict[str, Any]]:
        return dict(self.states)


class Told(BaseHTTPRequestHandler):
    server: Supervisor

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_known = self.headers["Authorization"] == "Bearer of-the-supervisor" and not self.server.refusing
        if is_known:
            self.server.states.append((self.path.removeprefix("/core/api/states/"), body))
        self.send_response(201 if is_known else 401)
        self.end_headers()

    def log_message(self, *_words: object) -> None:
        pass


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    with Supervisor() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def addon(tmp_path: Path) -> Path:
    """The folder that the Supervisor builds in."""
    subprocess.run([FOLDER / "assemble.sh", tmp_path / "repository"], check=True)
    return tmp_path / "repository" / CONFIG["slug"]


@pytest.fixture
def running(addon, card, fast_engine_path, supervisor) -> Iterator[subprocess.Popen[str]]:
    """The script of the add-on, with a mounted card as its /data."""
    (card / "options.json").write_text(json.dumps(CONFIG["options"]))
    environment = os.environ | {
        "DATA": str(card),
        "CORE": f"http://127.0.0.1:{supervisor.server_port}/core/api",
        "PAUSE_S": "0.2",
        "SUPERVISOR_TOKEN": "of-the-supervisor",
        "PYTHONPATH": str(addon),
        "CARDBENCH_ENGINE": fast_engine_path,
    }
    words = ["sh", str(addon / "run.sh")]
    script = subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    yield script
    script.kill()
    script.communicate()


def wait_for(condition: Any, script: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert script.poll() is None and time.monotonic() < deadline, script.communicate()[0]
        time.sleep(0.1)


@NEEDED
def test_it_works(running, supervisor, card):
    wait_for(lambda: [entity for entity, _ in supervisor.states].count("sensor.card_fsync_p99") >= 2, running)
    told = supervisor.latest()
    assert float(told["sensor.card_fsync_p99"]["state"]) > 0
    assert told["sensor.card_fsync_p99"]["attributes"]["unit_of_measurement"] == "ms"
    assert told["binary_sensor.card_near_its_end"]["state"] == "off"
    assert "life_used" not in str(told), "a loop device says nothing of its life"
    assert len(list((card / "reports").iterdir())) == 1, "it is measured once a month"
    assert len(list((card / "history").iterdir())) == 1
    supervisor.states.clear()
    (card / "watched.json").write_text(json.dumps({"near_its_end": True, "said": ["Worn out."]}))
    wait_for(lambda: "binary_sensor.card_near_its_end" in supervisor.latest(), running)
    assert supervisor.latest()["binary_sensor.card_near_its_end"]["attributes"]["said"] == "Worn out."


@NEEDED
def test_home_assistant_that_is_not_up_yet_is_told_later(running, supervisor):
    supervisor.refusing = True
    wait_for(lambda: "401" in running.stdout.readline(), running)
    supervisor.refusing = False
    wait_for(lambda: "sensor.card_written" in supervisor.latest(), running)


@NEEDED
def test_what_a_worn_card_says_becomes_states():
    watched = {"life_used_percent": 91.5, "near_its_end": True, "days_left": [44.9, 81.0], "said": ["a", "b"]}
    done = subprocess.run(
        ["jq", "--slurp", "--compact-output", "--from-file", STATES],
        input=json.dumps(watched | {"written_bytes": 12}), capture_output=True, text=True, check=True,
    )  # fmt: skip
    states = {row["entity"]: row["state"] for row in map(json.loads, done.stdout.splitlines())}
    assert states == {
        "binary_sensor.card_near_its_end": "on",
        "sensor.card_life_used": "91.5",
        "sensor.card_days_left": "44",
        "sensor.card_written": "12",
    }


def test_docs_name_every_entity():
    entities = set(re.findall(r'"((?:binary_)?sensor\.\w+)"', STATES.read_text()))
    assert entities == set(
        re.findall(r"^\| `([\w.]+)`", (FOLDER / "addon/DOCS.md").read_text(), re.MULTILINE)
    )


def test_everything_that_the_image_takes_is_there(addon):
    dockerfile = (addon / "Dockerfile").read_text()
    sources = re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, re.MULTILINE)
    assert sources and all((addon / name).exists() for line in sources for name in line.split())
    assert not list(addon.rglob("__pycache__"))


def test_the_configuration_has_the_form_of_an_addon():
    assert {"name", "version", "slug", "description", "arch"} <= set(CONFIG)
    assert CONFIG["version"] == __version__
    assert set(CONFIG["arch"]) <= {"aarch64", "amd64"}
    assert set(CONFIG["options"]) <= set(CONFIG["schema"])
    assert not {"privileged", "full_access", "host_network", "docker_api"} & set(CONFIG), "it needs no rights"


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "zh-Hans"])
def test_each_setting_is_named_in_each_language(language):
    translation = yaml.safe_load((FOLDER / f"addon/translations/{language}.yaml").read_text())
    assert set(translation["configuration"]) == set(CONFIG["schema"])
    assert all(set(words) == {"name", "description"} for words in translation["configuration"].values())


def test_the_sensor_without_an_addon_runs(cardbench, card):
    blocks = re.findall(r"```yaml\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    sensor = yaml.safe_load(blocks[0])["command_line"][0]["sensor"]
    python, _, *words = sensor["command"].replace("/config", str(card)).partition(" || ")[0].split()
    told = json.loads(cardbench(*words).stdout)
    assert python == "python3" and {*sensor["json_attributes"]} - {"days_left"} <= set(told)
    assert sensor["value_template"] == "{{ value_json.life_used_percent }}" and "life_used_percent" in told
