"""Define fixtures: the engine, built once; a file in place of a card; and a loop device if the machine allows one."""

import os
import pty
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from cardbench.target.engine import Engine

CLIENT = Path(__file__).resolve().parents[2] / "client"
MIB = 1024**2
LOOP_BYTES = 96 * MIB
Cardbench = Callable[..., subprocess.CompletedProcess[str]]


def compile_preload(name: str, folder: Path) -> Path:
    """Compile a C file of the folder `target` into a library for LD_PRELOAD; return its path."""
    source, library = Path(__file__).parent / "target" / f"{name}.c", folder / f"{name}.so"
    compiler = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run([*compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    return library


@pytest.fixture(scope="session")
def build_directory(tmp_path_factory) -> Path:
    """Build both engines outside the source tree, unless tests.mutants.engine has built them in ENGINE_BUILD."""
    if changed := os.environ.get("ENGINE_BUILD"):
        return Path(changed)
    build = tmp_path_factory.mktemp("engine")
    made = subprocess.run(
        ["make", "-C", str(CLIENT / "engine"), f"BUILD={build}", "all", "asan"],
        capture_output=True,
        check=False,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    return build


@pytest.fixture(scope="session", params=["cardbench-engine", "cardbench-engine-asan"])
def engine_path(request, build_directory) -> str:
    return str(build_directory / request.param)


@pytest.fixture(scope="session")
def fast_engine_path(build_directory) -> str:
    return str(build_directory / "cardbench-engine")


@pytest.fixture
def engine(engine_path) -> Iterator[Engine]:
    with Engine([engine_path]) as running:
        yield running


@pytest.fixture
def image(tmp_path) -> Path:
    """Return a file of 32 MiB that is used in place of a card."""
    path = tmp_path / "card.img"
    with path.open("wb") as written:  # a hole would be read from nowhere
        written.writelines([bytes(MIB)] * 32)
    return path


@pytest.fixture
def loop_device(image) -> Iterator[Path]:
    """Yield a loop device over the image file, detached afterwards."""
    if not shutil.which("losetup"):
        pytest.skip("no losetup")
    attached = subprocess.run(
        ["losetup", "--find", "--show", str(image)], capture_output=True, text=True, check=False
    )
    if attached.returncode != 0:
        pytest.skip(f"no loop device here: {attached.stderr.strip()}")
    yield Path(attached.stdout.strip())
    subprocess.run(["losetup", "--detach", attached.stdout.strip()], check=True)


@pytest.fixture
def loop() -> Iterator[str]:
    """Yield a loop device in memory that is used in place of a card."""
    if not shutil.which("losetup") or not Path("/dev/shm").is_dir():
        pytest.skip("no losetup, or no memory to keep the image in")
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as image:
        image.truncate(LOOP_BYTES)
        words = ["losetup", "--find", "--show", image.name]
        attached = subprocess.run(words, capture_output=True, text=True, check=False)
        if attached.returncode:
            pytest.skip(f"no loop device here: {attached.stderr.strip()}")
        yield attached.stdout.strip()
        subprocess.run(["losetup", "--detach", attached.stdout.strip()], check=True)


@pytest.fixture
def mkfs_ext4() -> Callable[[object], object]:
    """Return a function that makes an ext4 file system on a device; skip the test without the program mkfs.ext4."""
    if not shutil.which("mkfs.ext4"):
        pytest.skip("no mkfs.ext4: apt-get install e2fsprogs")
    return lambda device: subprocess.run(["mkfs.ext4", "-q", str(device)], check=True)


@pytest.fixture
def card(loop, mkfs_ext4, tmp_path) -> Iterator[Path]:
    """Yield the folder of a mounted ext4 file system on the loop device."""
    place = tmp_path / "card"
    place.mkdir()
    mkfs_ext4(loop)
    if subprocess.run(["mount", loop, place], check=False, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.fixture
def cardbench(fast_engine_path, tmp_path_factory) -> Cardbench:
    """Return a function that runs cardbench without a terminal, in a folder of its own."""
    here = tmp_path_factory.mktemp("here")

    def run(*words: object, **more: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"PYTHONPATH": str(CLIENT), "CARDBENCH_ENGINE": fast_engine_path} | more
        return subprocess.run(
            [sys.executable, "-m", "cardbench", *map(str, words)],
            capture_output=True,
            check=False,
            text=True,
            stdin=subprocess.DEVNULL,
            env=environment,
            cwd=here,
            timeout=120,
        )

    return run


@pytest.fixture
def run_on_terminal(fast_engine_path, tmp_path) -> Callable[..., tuple[int, str]]:
    """Return a function that runs the program on a terminal where `answers` are typed.

    It returns the exit status and the text on the screen.
    """

    def run(*words: object, answers: str = "", **more: str) -> tuple[int, str]:
        environment = os.environ | {"PYTHONPATH": str(CLIENT), "CARDBENCH_ENGINE": fast_engine_path} | more
        screen, terminal = pty.openpty()
        os.write(screen, answers.encode())
        command = [sys.executable, "-m", "cardbench", *map(str, words)]
        with subprocess.Popen(
            command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment, cwd=tmp_path
        ) as program:
            os.close(terminal)
            shown = b""
            with suppress(OSError):  # the other end is closed
                while piece := os.read(screen, 4096):
                    shown += piece
        os.close(screen)
        return program.returncode, shown.decode().replace("\r\n", "\n")

    return run
