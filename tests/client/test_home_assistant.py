"""The add-on for Home Assistant runs its script on a mounted card, with a test server in place of the Supervisor."""

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
    """A server that gives the address of the message broker; if `refusing`, it answers 401."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.refusing = False


class Handler(BaseHTTPRequestHandler):
    server: Supervisor

    def do_GET(self) -> None:
        is_known = self.headers["Authorization"] == "Bearer of-the-supervisor" and not self.server.refusing
        self.send_response(200 if is_known and self.path == "/services/mqtt" else 401)
        self.end_headers()
        broker = {
            "host": "core-mosquitto",
            "port": 1883,
            "username": "addons",
            "password": "a secret",
            "ssl": False,
        }
        self.wfile.write(json.dumps({"result": "ok", "data": broker}).encode())

    def log_message(self, *_words: object) -> None:
        pass


class Broker:
    """A program in place of mosquitto_pub that records the published messages."""

    def __init__(self, folder: Path) -> None:
        self.messages, self.options = folder / "messages", folder / "options"
        program = folder / "mosquitto_pub"
        program.write_text(
            f'#!/bin/sh\ncp "$XDG_CONFIG_HOME/mosquitto_pub" {self.options}\n'
            f'printf "%s %s\\n" "$*" "$(cat; echo .)" >> {self.messages}\n'
        )
        program.chmod(0o700)

    def read_messages(self) -> dict[str, str]:
        """Return the last payload of each topic; a payload that ends with a newline has no match."""
        lines = self.messages.read_text().splitlines() if self.messages.exists() else []
        found = (re.fullmatch(r"--retain --topic (\S+) --stdin-file (.*)[.]", line) for line in lines)
        return {match[1]: match[2] for match in found if match}


@pytest.fixture
def broker(tmp_path: Path) -> Broker:
    return Broker(tmp_path)


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    with Supervisor() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def addon(tmp_path: Path) -> Path:
    """Return the folder from which the Supervisor builds the add-on."""
    subprocess.run([FOLDER / "assemble.sh", tmp_path / "repository"], check=True)
    return tmp_path / "repository" / CONFIG["slug"]


@pytest.fixture
def running(addon, card, fast_engine_path, supervisor, broker) -> Iterator[subprocess.Popen[str]]:
    """Run the script of the add-on with a mounted card as its /data."""
    (card / "options.json").write_text(json.dumps(CONFIG["options"]))
    environment = os.environ | {
        "DATA": str(card),
        "SUPERVISOR": f"http://127.0.0.1:{supervisor.server_port}",
        "PATH": f"{broker.messages.parent}:{os.environ['PATH']}",
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
def test_it_works(running, broker, card):
    wait_for(lambda: "cardbench/fsync_p99/state" in broker.read_messages(), running)
    told = broker.read_messages()
    assert float(told["cardbench/fsync_p99/state"]) > 0
    assert told["cardbench/near_its_end/state"] == "OFF"
    assert "life_used" not in str(told), "a loop device says nothing of its life"
    assert broker.options.read_text().splitlines() == [
        "-h core-mosquitto",
        "-p 1883",
        "-u addons",
        "-P a secret",
    ]
    assert len(list((card / "reports").iterdir())) == 1, "it is measured once a month"
    assert len(list((card / "history").iterdir())) == 1
    (card / "watched.json").write_text(json.dumps({"near_its_end": True, "said": ["Worn out."]}))
    wait_for(lambda: broker.read_messages()["cardbench/near_its_end/state"] == "ON", running)
    assert json.loads(broker.read_messages()["cardbench/near_its_end/attributes"]) == {"said": "Worn out."}


@NEEDED
def test_a_broker_that_is_not_there_yet_is_told_later(running, supervisor, broker):
    supervisor.refusing = True
    wait_for(lambda: "No MQTT broker" in running.stdout.readline(), running)
    supervisor.refusing = False
    wait_for(lambda: "cardbench/written/state" in broker.read_messages(), running)


def messages(**watched: Any) -> dict[str, Any]:
    """Return the payload of each topic for the health figures of a card."""
    words: list[str | Path] = ["jq", "--slurp", "--compact-output", "--from-file", STATES]
    done = subprocess.run(words, input=json.dumps(watched), capture_output=True, text=True, check=True)
    return {row["topic"]: row["payload"] for row in map(json.loads, done.stdout.splitlines())}


WORN = {"life_used_percent": 91.5, "near_its_end": True, "days_left": [44.9, 81.0], "said": ["a", "b"]}


@NEEDED
def test_what_a_worn_card_says_becomes_states():
    told = messages(**WORN, written_bytes=12)
    assert {topic.split("/")[1]: payload for topic, payload in told.items() if topic.endswith("/state")} == {
        "near_its_end": "ON",
        "life_used": 91.5,
        "days_left": 44,
        "written": 12,
    }


@NEEDED
def test_each_entity_is_discovered_before_it_has_a_state():
    """All entities belong to one device, and each has a lasting name of its own and its topics."""
    told = list(messages(**WORN, written_bytes=12).items())
    configurations = [(place, form) for place, (topic, form) in enumerate(told) if topic.endswith("/config")]
    assert len({form["unique_id"] for _, form in configurations}) == len(configurations) == 4
    for place, form in configurations:
        assert form["device"] == configurations[0][1]["device"]
        following = [topic for topic, _ in told[place:]]
        assert {form["state_topic"], form["json_attributes_topic"]} <= set(following)


def test_docs_name_every_entity():
    """Home Assistant composes the name of an entity from the names of its device and its own."""
    told = re.findall(r'entity\("(\w+)"; "\w+"; "([\w ]+)"', STATES.read_text())
    entities = {f"{kind}.card_{name.lower().replace(' ', '_')}" for kind, name in told}
    assert entities == set(
        re.findall(r"^\| `([\w.]+)`", (FOLDER / "addon/DOCS.md").read_text(), re.MULTILINE)
    )


def test_everything_that_the_image_takes_is_there(addon):
    dockerfile = (addon / "Dockerfile").read_text()
    sources = re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, re.MULTILINE)
    assert sources and all((addon / name).exists() for line in sources for name in line.split())
    assert not list(addon.rglob("__pycache__"))


def test_a_published_image_is_named(tmp_path):
    """If no image is named, the Supervisor builds it."""
    subprocess.run([FOLDER / "assemble.sh", tmp_path, "ghcr.io/somebody/card-health"], check=True)
    config = yaml.safe_load((tmp_path / CONFIG["slug"] / "config.yaml").read_text())
    assert config == CONFIG | {"image": "ghcr.io/somebody/card-health"}


def test_the_store_has_what_it_shows(addon):
    assert {"README.md", "DOCS.md", "CHANGELOG.md", "icon.png"} <= {path.name for path in addon.iterdir()}
    assert f"\n## {CONFIG['version']}\n" in (addon / "CHANGELOG.md").read_text()
    assert (addon / "icon.png").read_bytes()[16:24] == (128).to_bytes(4) * 2, "width and height"


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
