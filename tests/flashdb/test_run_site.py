"""`make run` starts the site, submits one card, and stops all its processes at the end."""

import json
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from flashdb import run_site
from flashdb.local_services import local_services
from flashdb.local_services.children import spawn
from flashdb.local_services.own_settings import load_secrets

from .supervision import ROOT, descendants, eventually, first_line, living


@pytest.fixture
def port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


# `make run` with a few cards of the starter data, because to process all takes a minute.
FEW = (
    "import sys; from pathlib import Path; from flashdb import run_site; run_site.STARTER = Path(sys.argv[1])"
)


@pytest.fixture
def few(folder) -> Path:
    """Write a small file of reports, a table, and offers; return their folder."""
    (folder / "published").mkdir()
    reports = (run_site.STARTER / "flashbench.jsonl").read_text().splitlines(keepends=True)
    (folder / "flashbench.jsonl").write_text("".join(reports[:3]))
    shutil.copy(run_site.STARTER / "published" / "fm4dd.csv", folder / "published")
    shutil.copy(run_site.STARTER / "offers_dated.csv", folder)
    return folder


def begin(ready_state, port, few, *, until: str, **urls) -> tuple[subprocess.Popen, str]:
    """Start the site; return its process, and its output up to the line with `until`."""
    env = os.environ | {"PORT": str(port), "FLASHDB_STATE": str(ready_state)} | urls
    command = [sys.executable, "-c", f"{FEW}; sys.exit(run_site.main())", few]
    site = subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    output = ""
    while until not in output:
        line = first_line(site)
        assert line, output
        output += line
    return site, output


def test_it_works_and_stops_when_a_process_dies(ready_state, port, few, capsys):
    site, output = begin(ready_state, port, few, until="serving")
    family = descendants(site.pid)
    assert output.index("its cards are ranked at the end") < output.index(
        "loaded the starter data from 2 files, and the offers"
    )
    (page,) = re.findall(r"its model: +(\S+)", output)
    with urllib.request.urlopen(page) as answer:
        assert answer.status == 200
    submit_again(ready_state, port)
    check_client(*re.findall(r"curl -fsSLO (\S+)", output))
    assert re.findall("simulated card: .*", output) == re.findall(
        "simulated card: .*", capsys.readouterr().out
    )
    os.kill(worker_of(site), signal.SIGKILL)
    assert "flashdb: worker ended with status -9" in site.communicate(timeout=180)[0]
    assert site.returncode == 1
    assert eventually(lambda: not living(family))


def check_client(address: str) -> None:
    """Assert that the client offered by the site contains an engine for this machine."""
    with urllib.request.urlopen(address) as answer:
        client = zipfile.ZipFile(BytesIO(answer.read()))
    if (ROOT / "client/engine/build/cardbench-engine").exists():  # as `make run` builds it
        assert client.read(f"engine/build/{platform.machine()}/cardbench-engine")[:4] == b"\x7fELF"


def submit_again(ready_state, port) -> None:
    """Submit a simulated card as the next `make run` does."""
    services = run_site.Services("", "", "")
    environment = run_site.environment(services, ready_state)
    run_site.show_one_card(run_site.Site(f"http://127.0.0.1:{port}", port, ready_state, environment, ()))


def test_it_stops_at_ctrl_c_and_servers_of_your_own_live_on(ready_state, port, folder):
    offers = folder / "offers"
    offers.mkdir()
    shutil.copy(run_site.STARTER / "offers_dated.csv", offers)
    with local_services(ready_state) as services:
        site, output = begin(
            ready_state, port, offers, until="loaded the starter data", **services.environment
        )
        assert output.startswith("flashdb: PostgreSQL from DATABASE_URL, Redis from REDIS_URL\n")
        family = descendants(site.pid)
        site.send_signal(signal.SIGINT)
        assert "stopped" in site.communicate(timeout=180)[0]
        assert site.returncode == 0
        assert eventually(lambda: not living(family))
        assert all(server.poll() is None for server in services.children)


def test_the_starter_has_reports_and_tables():
    assert list(run_site.STARTER.glob("*.jsonl"))
    assert list((run_site.STARTER / "published").glob("*.csv*"))
    assert (run_site.STARTER / "offers_dated.csv").exists()


def worker_of(site: subprocess.Popen) -> int:
    """Return the id of Celery's main process: the lowest of those with celery in the command line."""
    return min(pid for pid in descendants(site.pid) if b"celery" in command_line(pid))


def command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.parametrize("text", ["http", "0", "65536", "-1"])
def test_a_port_that_is_none_is_refused(text):
    with pytest.raises(run_site.SiteError, match=f"PORT is “{text}”, but must be a number from 1 to 65535"):
        run_site.read_port(text)


def test_a_taken_port_is_refused_in_words():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        with pytest.raises(run_site.SiteError, match=f"port {port} cannot be used .*in use.*: set PORT"):
            run_site.read_port(str(port))


def test_secrets_are_made_once_and_kept_private(tmp_path):
    path = tmp_path / "secrets.json"
    first = load_secrets(path)
    assert set(first) == {"SECRET_KEY", "IDENTITY_SECRET", "DUMP_KEY"}
    assert min(map(len, first.values())) >= 50
    assert len(set(first.values())) == 3
    assert path.stat().st_mode & 0o777 == 0o600
    assert load_secrets(path) == first


def test_secrets_of_the_caller_count(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "mine")
    monkeypatch.delenv("IDENTITY_SECRET")
    services = run_site.Services("postgresql://a/b", "redis://c", "")
    env = run_site.environment(services, tmp_path)
    assert (env["SECRET_KEY"], env["DATABASE_URL"]) == ("mine", "postgresql://a/b")
    assert env["IDENTITY_SECRET"] == json.loads((tmp_path / "secrets.json").read_text())["IDENTITY_SECRET"]


def site_with(tmp_path, *commands) -> run_site.Site:
    (tmp_path / "log").mkdir()
    site = run_site.Site(url="", port=1, state=tmp_path, env=dict(os.environ), servers=())
    for name, script in commands:
        site.children.append(spawn(["sh", "-c", script], log=tmp_path / "log" / f"{name}.log"))
        site.children[-1].wait()
    return site


def test_a_death_is_told_with_its_log(tmp_path):
    site = site_with(tmp_path, ("web", "echo no such module; exit 3"))
    with pytest.raises(
        run_site.SiteError, match=r"web ended with status 3; .*web\.log ends with:\nno such module"
    ):
        run_site.check_alive(site)


def test_a_failed_step_is_told_with_its_log(tmp_path):
    site = site_with(tmp_path)
    assert run_site.run_step(site, "fine", ["echo", "done"]) == "done\n"
    with pytest.raises(run_site.SiteError, match=r"migrate ended with status 1; .*\nno table"):
        run_site.run_step(site, "migrate", ["sh", "-c", "echo no table; exit 1"])


def test_every_name_that_is_read_is_in_the_example():
    read = set()
    for path in (ROOT / "flashdb").rglob("*.py"):
        source = path.read_text()
        read |= set(re.findall(r'\b(?:env\.(?:str|int|bool)|read_[a-z_]+)\("([A-Z_]+)"', source))
        read |= set(re.findall(r'os\.environ\.get\("([A-Z_]+)"', source))
    read -= {"PIP_INDEX_URL", "PIP_CERT", "PGPASSWORD"}  # those of pip and of PostgreSQL themselves
    listed = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert read - listed == set()
    assert {"PORT", "FLASHDB_STATE", "DATABASE_URL", "SECRET_KEY"} <= read
