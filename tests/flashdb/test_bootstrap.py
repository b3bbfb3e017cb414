"""From a bare python3 to a .venv, with real uv, real processes and a real package index of our own."""

import hashlib
import http.server
import io
import platform
import subprocess
import sys
import threading
import zipfile
from functools import partial
from pathlib import Path

import pytest

from flashdb import bootstrap

from .supervision import ROOT

PROJECT = '[project]\nname = "tiny"\nversion = "1"\nrequires-python = ">=3.11"\n[tool.uv]\npackage = false\n'
LOCK = """version = 1
revision = 3
requires-python = ">=3.11"

[[package]]
name = "tiny"
version = "1"
source = { virtual = "." }
"""


@pytest.fixture
def project(tmp_path):
    """A checkout that depends on no package, so that nothing is downloaded; with our bootstrap in it."""
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "uv.lock").write_text(LOCK)
    (tmp_path / "flashdb").mkdir()
    (tmp_path / "flashdb" / "bootstrap.py").write_text((ROOT / "flashdb" / "bootstrap.py").read_text())
    return tmp_path


@pytest.fixture
def uv():
    """The uv that made this environment."""
    try:
        return bootstrap.find_uv(ROOT / ".tools")
    except bootstrap.BootstrapError as error:
        pytest.skip(f"no uv here: {error}")


@pytest.fixture
def path_with_uv(uv, monkeypatch):
    monkeypatch.setenv("PATH", f"{uv.parent}:/usr/bin:/bin")


def begin(project) -> subprocess.Popen:
    command = [sys.executable, "-I", project / "flashdb" / "bootstrap.py"]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def test_it_works(project, path_with_uv):
    first = begin(project)
    assert "setting up Python packages" in first.communicate()[1]
    assert first.returncode == 0
    assert (project / ".venv/bin/python").exists()


def test_the_second_time_it_does_nothing(project, path_with_uv, monkeypatch):
    begin(project).communicate()
    monkeypatch.setenv("PATH", "/nonexistent")
    again = begin(project)
    assert (again.communicate()[1], again.returncode) == ("", 0)


def test_two_at_once_set_up_once(project, path_with_uv):
    both = [begin(project), begin(project)]
    said = "".join(process.communicate()[1] for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert said.count("setting up") == 1


def test_a_changed_lock_file_is_noticed(project, path_with_uv):
    begin(project).communicate()
    assert bootstrap.is_current(project)
    (project / "uv.lock").write_text(LOCK + "\n")
    assert not bootstrap.is_current(project)


def test_a_vanished_python_is_noticed(project, path_with_uv):
    begin(project).communicate()
    (project / ".venv/bin/python").unlink()
    assert not bootstrap.is_current(project)
    assert begin(project).wait() == 0
    assert bootstrap.is_current(project)


def test_a_failed_sync_is_not_taken_for_done(project, path_with_uv):
    (project / "uv.lock").write_text("this is no lock file")
    failed = begin(project)
    assert "`uv sync` failed" in failed.communicate()[1]
    assert failed.returncode == 1
    assert not bootstrap.is_current(project)


def test_it_refuses_an_old_python():
    with pytest.raises(
        bootstrap.BootstrapError, match=r"3\.11 or newer is needed, this is 3\.9: make PYTHON="
    ):
        bootstrap.require_python((3, 9))


# Which uv ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "fit"),
    [("echo uv 0.99.0", True), ("echo uv 1.0.0", True), ("echo uv 0.4.30", False), ("exit 1", False)],
)
def test_a_uv_that_is_old_or_broken_is_passed_over(tmp_path, script, fit):
    uv = tmp_path / "uv"
    uv.write_text(f"#!/bin/sh\n{script}\n")
    uv.chmod(0o755)
    assert bootstrap.runs(uv) is fit


def test_a_file_that_is_no_program_is_passed_over(tmp_path):
    assert bootstrap.runs(tmp_path / "nothing") is False


def test_every_pinned_wheel_is_of_the_pinned_version():
    for name, sha256 in bootstrap.UV_WHEELS.values():
        assert name.startswith(f"uv-{bootstrap.UV_VERSION}-py3-none-")
        assert len(bytes.fromhex(sha256)) == 32


# Without pip: the wheel itself ----------------------------------------------------------------------


def wheel(script: str) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr(f"uv-{bootstrap.UV_VERSION}.data/scripts/uv", f"#!/bin/sh\n{script}\n")
    return body.getvalue()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_) -> None:
        pass


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A package index on this machine; returns the folder with its pages."""
    folder = tmp_path / "index"
    (folder / "simple" / "uv").mkdir(parents=True)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple/")
        yield folder
        server.shutdown()


def publish(index: Path, body: bytes, name: str = "uv-1-py3-none-any.whl") -> None:
    (index / name).write_bytes(body)
    page = f'<a href="../../other.whl">other</a><a href="../../{name}#sha256=00">{name}</a>'
    (index / "simple" / "uv" / "index.html").write_text(page)


def pin(monkeypatch, body: bytes) -> None:
    machine = (platform.system(), platform.machine())
    pinned = {machine: ("uv-1-py3-none-any.whl", hashlib.sha256(body).hexdigest())}
    monkeypatch.setattr(bootstrap, "UV_WHEELS", pinned)


def test_the_wheel_is_fetched_checked_and_unpacked(index, tmp_path, monkeypatch):
    body = wheel("echo uv 0.99.0")
    publish(index, body)
    pin(monkeypatch, body)
    uv = bootstrap.fetch_uv(tmp_path)
    assert uv == tmp_path / "bin" / "uv"
    assert bootstrap.runs(uv)


def test_another_wheel_than_the_pinned_one_is_refused(index, tmp_path, monkeypatch):
    publish(index, wheel("echo uv 0.99.0 with something added"))
    pin(monkeypatch, wheel("echo uv 0.99.0"))
    with pytest.raises(bootstrap.BootstrapError, match="another sha256 than the pinned one: do not use it"):
        bootstrap.fetch_uv(tmp_path)
    assert not (tmp_path / "bin").exists()


def test_an_index_without_it_is_said_with_the_apt_command(index, tmp_path, monkeypatch):
    publish(index, wheel(""), name="another.whl")
    pin(monkeypatch, wheel(""))
    with pytest.raises(
        bootstrap.BootstrapError, match=r"does not list uv-1.*apt-get install -y python3-venv"
    ):
        bootstrap.fetch_uv(tmp_path)


def test_no_network_is_said_with_the_apt_command(tmp_path, monkeypatch):
    pin(monkeypatch, b"")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(bootstrap.BootstrapError, match=r"Connection refused.*check the network, or apt-get"):
        bootstrap.fetch_uv(tmp_path)


def test_an_unknown_machine_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(bootstrap, "UV_WHEELS", {})
    with pytest.raises(bootstrap.BootstrapError, match=f"no uv is known for {platform.system()}"):
        bootstrap.fetch_uv(tmp_path)
