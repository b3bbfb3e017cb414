import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from flashdb import bootstrap

from .supervision import ROOT, is_root, supervise

SPOKEN_FOR = ("DATABASE_URL", "REDIS_URL", "FLASHDB_STATE", "MAKELEVEL", "PORT")


def unset(env: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in env.items() if name not in SPOKEN_FOR}


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch):
    """Unset the variables of the supervisor, because these tests themselves may run under a supervisor."""
    for name in SPOKEN_FOR:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder():
    """Create a folder that every account can enter; pytest's own tmp_path has the mode 0700."""
    made = Path(tempfile.mkdtemp(prefix="flashdb-test-")).resolve()
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def state(folder):
    return folder / "state"


@pytest.fixture(scope="session")
def made_once():
    """Create a state folder with a cluster once, to be copied, because initdb takes most of the time of a start."""
    made = Path(tempfile.mkdtemp(prefix="flashdb-test-")).resolve()
    made.chmod(0o755)
    assert supervise("--state", made / "state", "--", "true", env=unset(os.environ)).returncode == 0
    yield made / "state"
    shutil.rmtree(made)


@pytest.fixture
def ready_state(made_once, folder):
    """Return a state folder in which a cluster exists already."""
    subprocess.run(["cp", "-a", made_once, folder / "made"], check=True)
    return folder / "made"


@pytest.fixture
def as_root():
    if not is_root():
        pytest.skip("needs root")


@pytest.fixture
def system_state(folder, monkeypatch):
    """Replace /var/lib/flashdb by another folder, so that a test leaves nothing there."""
    from flashdb.local_services import places

    monkeypatch.setattr(places, "SYSTEM_STATE", folder / "system")
    return folder / "system"


@pytest.fixture
def uv():
    """Return the path of the uv that created this environment."""
    try:
        return bootstrap.find_uv(ROOT / ".tools")
    except bootstrap.BootstrapError as error:
        pytest.skip(f"no uv here: {error}")


@pytest.fixture
def path_with_uv(uv, monkeypatch):
    """Set PATH so that programs find only this uv."""
    monkeypatch.setenv("PATH", f"{uv.parent}:/usr/bin:/bin")
