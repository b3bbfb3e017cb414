"""`--version` says whether this is the released file, by its signature, without asking the site that offers it."""

import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from cardbench.cli import release

from tests.client.conftest import CLIENT

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no OpenSSH here")


@pytest.fixture(scope="module")
def release_folder(tmp_path_factory):
    """Return the folder with the output of `client/release.sh` for a copy of the client, signed by a test key."""
    folder = tmp_path_factory.mktemp("release")
    ignored = shutil.ignore_patterns("dist", "build", "__pycache__")
    shutil.copytree(CLIENT, folder / "client", ignore=ignored)
    shutil.copy(CLIENT.parent / "LICENSE", folder)
    engine = folder / "client/engine/build/arm64/cardbench-engine"
    engine.parent.mkdir(parents=True)
    engine.write_text("an engine")
    key = folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    source = folder / "client/cardbench/cli/release.py"
    public = " ".join((folder / "key.pub").read_text().split()[:2])
    source.write_text(re.sub(r"ssh-ed25519 [^']+", public, source.read_text()))
    command = ["sh", folder / "client/release.sh"]
    subprocess.run(command, env=os.environ | {"KEY": str(key)}, check=True, capture_output=True)
    return folder / "client/dist"


@pytest.fixture
def place(release_folder, tmp_path):
    return shutil.copytree(release_folder, tmp_path / "dist")


def version(place, **environment):
    """Return the exit status and the last output line of `--version`."""
    command = [sys.executable, place / "cardbench.pyz", "--version"]
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False, cwd=place
    )
    assert done.stdout.startswith("cardbench "), done.stderr
    return done.returncode, done.stdout.splitlines()[-1]


def test_it_works(place):
    assert {path.name for path in place.iterdir()} == {
        *("cardbench.pyz", "cardbench.pyz.sig", "cardbench-engine-arm64", "cardbench-engine-arm64.sig")
    }
    assert version(place) == (0, "This is a released version: it is signed with the release key.")


def test_a_changed_file_is_no_release(place):
    with zipfile.ZipFile(place / "cardbench.pyz", "a") as archive:
        archive.writestr("cardbench/more.py", "")
    status, line = version(place)
    assert (status, "This is NOT a released version" in line) == (1, True)


def test_the_key_of_somebody_else_signs_nothing(place, tmp_path):
    key, signature = tmp_path / "key", place / "cardbench.pyz.sig"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    signature.unlink()
    command = ["ssh-keygen", "-Y", "sign", "-q", "-f", key, "-n", "file", place / "cardbench.pyz"]
    subprocess.run(command, check=True, capture_output=True)
    assert version(place)[0] == 1
    signature.write_text("no signature")
    assert version(place)[0] == 1


def test_without_a_signature_nobody_can_tell(place):
    (place / "cardbench.pyz.sig").unlink()
    assert version(place) == (
        0,
        "We cannot check whether this is a released version: cardbench.pyz.sig is not in the same directory.",
    )


def test_without_ssh_keygen_it_says_what_to_install(place):
    status, line = version(place, PATH="/nowhere")
    assert (status, "apt install openssh-client" in line) == (0, True)


def test_what_was_installed_is_not_the_file_that_is_signed(cardbench):
    assert "This is not cardbench.pyz" in cardbench("--version").stdout


def test_a_release_that_its_key_does_not_fit_is_not_made(release_folder, tmp_path):
    """A release must be signed with the key in the sources, which is the one that people know."""
    copy, other = shutil.copytree(release_folder.parents[1], tmp_path / "copy"), tmp_path / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other], check=True)
    command = ["sh", copy / "client/release.sh"]
    done = subprocess.run(command, env=os.environ | {"KEY": str(other)}, check=False, capture_output=True)
    assert done.returncode != 0


def test_people_find_the_same_key_and_command_in_the_readme(place):
    text = (CLIENT / "README.md").read_text()
    assert f"echo '{release.SIGNER}' > signers\n" in text
    (command,) = re.findall(r"ssh-keygen -Y verify .*", text)
    source = zipfile.ZipFile(place / "cardbench.pyz").read("cardbench/cli/release.py").decode()
    (place / "signers").write_text(re.findall(r"SIGNER = '(.*)'", source)[0])
    said = subprocess.run(["sh", "-c", command], cwd=place, capture_output=True, text=True, check=True).stdout
    assert said.startswith('Good "file" signature for release')
