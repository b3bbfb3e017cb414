"""`make release` builds all engines or none, because a site offers whatever files are in the release folder."""

import os
import subprocess
import zipfile
from pathlib import Path

import pytest
from cardbench import __version__
from cardbench.target import building

from tests.mutants.engine import SOURCES


def release(build: Path, *releases: str) -> subprocess.CompletedProcess[str]:
    """Build a release for invented machines, each given as `name:compiler:program that runs its programs`."""
    command: list[str | Path] = [
        "make",
        "-s",
        "-C",
        SOURCES,
        "release",
        f"BUILD={build}",
        f"RELEASES={' '.join(releases)}",
    ]
    environment = os.environ | {"CFLAGS": "-O0", "TMPDIR": str(build.parent)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_it_works(tmp_path):
    made = release(tmp_path / "build", "here:cc", "there:cc:env")
    assert made.returncode == 0, made.stderr
    names = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(names) == ["build/here/cardbench-engine", "build/there/cardbench-engine"]


def test_it_says_what_it_lacks_before_it_makes_anything(tmp_path):
    made = release(tmp_path / "build", "here:cc", "there:cc-of-nowhere:qemu-nowhere")
    assert made.returncode != 0
    assert "lacks: cc-of-nowhere qemu-nowhere\n" in made.stderr
    assert "apt-get install gcc " in made.stderr
    assert not list(tmp_path.iterdir())


def test_a_machine_that_fails_leaves_nothing_of_the_others(tmp_path):
    assert release(tmp_path / "build", "here:cc", "there:cc:false").returncode != 0
    assert not list(tmp_path.iterdir())


def test_the_debian_package_names_what_there_is():
    debian = SOURCES.parent / "debian"
    assert f"cardbench ({__version__}) " in (debian / "changelog").read_text().splitlines()[0]
    made = (
        "cardbench.1",
        *(f"build/{name}" for name in ("cardbench", "_cardbench", "cardbench.fish", "cardbench-engine")),
    )
    for line in (debian / "install").read_text().splitlines():
        name = line.split()[0]
        assert (debian.parent / name).exists() or name.removeprefix("debian/") in made


def test_without_its_tools_the_debian_package_says_what_it_lacks(tmp_path):
    script = SOURCES.parent / "debian" / "build.sh"
    made = subprocess.run(
        ["/bin/sh", script, tmp_path / "out"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode, "make deb lacks: dpkg-buildpackage dh" in made.stderr) == (1, True)
    assert not list(tmp_path.iterdir())


def test_missing_headers_are_one_sentence(tmp_path):
    command: list[str | Path] = [
        "make",
        "-s",
        "-C",
        SOURCES,
        f"BUILD={tmp_path / 'build'}",
        "CC=cc -nostdinc",
    ]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    sentence, failed = made.stderr.splitlines()
    assert sentence.endswith("On Debian: apt-get install gcc libc6-dev")
    assert failed.startswith("make")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def pack_engines(tmp_path, monkeypatch):
    """Return a function that packs engines into an archive, and returns the engine chosen from it on aarch64."""
    monkeypatch.setattr("platform.machine", lambda: "aarch64")

    def choose(**engines: str) -> Path:
        archive = tmp_path / f"{'-'.join(engines)}.pyz"
        with zipfile.ZipFile(archive, "w") as written:
            for machine, program in engines.items():
                written.writestr(f"engine/build/{machine}/cardbench-engine", program)
            written.writestr("engine/main.c", "int main(void) { return 0; }")
        building._directory.cache_clear()
        building.unpack_engine.cache_clear()
        return building.unpack_engine(archive)

    return choose


STARTS, STARTS_NOT = "#!/bin/sh\n", "#!/nowhere\n"


def test_an_archive_has_an_engine_for_the_machine(pack_engines):
    assert pack_engines(arm64=STARTS, x86_64=STARTS).parts[-2:] == ("arm64", "cardbench-engine")
    assert pack_engines(arm64=STARTS, aarch64=STARTS).parts[-2] == "arm64", "it needs no library"
    assert pack_engines(aarch64=STARTS).parts[-2] == "aarch64", "of a site on such a machine"
    assert pack_engines(arm64=STARTS_NOT, aarch64=STARTS).parts[-2] == "aarch64"


def test_an_engine_is_compiled_where_none_starts(pack_engines):
    program = pack_engines(x86_64=STARTS, arm64=STARTS_NOT)
    assert "build" not in program.parts
    assert subprocess.run([program], check=False).returncode == 0
