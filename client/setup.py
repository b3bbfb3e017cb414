"""Build the package: compile the engine, write the manual page and completions. The rest is in pyproject.toml."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Distribution, setup  # before distutils, which setuptools contains
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

from distutils.command.install_data import install_data  # isort: skip

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cardbench.cli import completion, main  # noqa: E402
from cardbench.target.building import ENGINE_NAME, compile_engine  # noqa: E402

PAGES = {
    "share/man/man1/cardbench.1": "man",
    "share/bash-completion/completions/cardbench": "bash",
    "share/zsh/site-functions/_cardbench": "zsh",
    "share/fish/vendor_completions.d/cardbench.fish": "fish",
}


class BuildWithEngine(build_py):
    """A command that builds the modules, and cardbench/bin/cardbench-engine beside them if there is a compiler."""

    is_static = False

    def run(self) -> None:
        super().run()
        engine = Path(self.build_lib) / "cardbench" / "bin" / ENGINE_NAME
        engine.parent.mkdir(parents=True, exist_ok=True)
        engine.unlink(missing_ok=True)  # a file of an earlier build
        for flags in (("-static", "-s"), ()):
            try:
                compile_engine(HERE / "engine", engine, *flags)
                BuildWithEngine.is_static = bool(flags)
                return
            except (OSError, subprocess.CalledProcessError) as error:
                # Without the engine everything except `run` works, and `run` says how to get it.
                self.warn(f"the engine was not compiled: {error}")


class WrittenData(install_data):
    """A command that writes the manual page and completions to the folders of man, the shells and pipx."""

    def run(self) -> None:
        for place, kind in PAGES.items():
            path = Path(self.install_dir) / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(completion.KINDS[kind](main.parser()))
            self.outfiles.append(str(path))


class DistributionWithProgram(Distribution):
    """A distribution for one kind of machine, installed like a package with extension modules."""

    def has_ext_modules(self) -> bool:
        return True


class WheelWithProgram(bdist_wheel):
    """A wheel that contains a program for one kind of machine, and works with every Python 3.

    A static program runs with every C library. The package index accepts a wheel only if its tag says so.
    """

    def get_tag(self) -> tuple[str, str, str]:
        system, _, machine = super().get_tag()[2].partition("_")
        if (
            system == "linux" and BuildWithEngine.is_static and machine != "armv6l"
        ):  # pip knows no manylinux tag for armv6l
            system = f"manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1"
        return ("py3", "none", f"{system}_{machine}")


def options() -> dict[str, dict[str, str]]:
    """Return options that build in a temporary folder if the source tree is read-only; else no options."""
    if os.access(HERE, os.W_OK):
        return {}
    elsewhere = tempfile.mkdtemp(prefix="cardbench-build-")
    return {"egg_info": {"egg_base": elsewhere}, "build": {"build_base": elsewhere}}


setup(
    distclass=DistributionWithProgram,
    cmdclass={"build_py": BuildWithEngine, "install_data": WrittenData, "bdist_wheel": WheelWithProgram},
    data_files=[(str(Path(place).parent), []) for place in PAGES],
    options=options(),
)
