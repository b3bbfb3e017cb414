"""A release has one version and one date, in each file that names them."""

import shutil
from pathlib import Path

import pytest
from cardbench import __version__

from tests.release import PLACES, PROJECT, Place, list_errors


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for path in {"CHANGELOG.md", *(place.path for place in PLACES)}:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / path, tmp_path / path)
    return tmp_path


def test_it_works() -> None:
    assert list(list_errors(PROJECT)) == []


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place.path}, {place.kind}")
def test_a_file_that_was_forgotten_is_named(project: Path, place: Place) -> None:
    file = project / place.path
    newest = next(
        line for line in (PROJECT / "CHANGELOG.md").read_text().splitlines() if line.startswith("## ")
    )
    version, date = newest.removeprefix("## ").removesuffix(")").split(" (")
    file.write_text(file.read_text().replace(version, "9.9.9").replace(date, "1999-01-01"))
    assert any(error.startswith(f"{place.path}: {place.kind} is ") for error in list_errors(project))


def test_the_newest_heading_needs_a_date(project: Path) -> None:
    file = project / "CHANGELOG.md"
    file.write_text(file.read_text().replace("\n## ", "\n## 9.9.9 (unreleased)\n\n## ", 1))
    assert "(unreleased)" in next(list_errors(project))


def test_the_tag_is_the_version(project: Path) -> None:
    assert next(list_errors(project, "v0.0.0")).startswith("the tag is v0.0.0")
    assert list(list_errors(project, f"v{__version__}")) == []
