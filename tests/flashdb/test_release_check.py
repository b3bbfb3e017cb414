"""Nothing is released that the changelog does not name, that is not committed, or whose lock is out of date."""

import subprocess
from pathlib import Path

import pytest

from flashdb import release_check

from .supervision import ROOT
from .test_bootstrap import LOCK, PROJECT

CHANGELOG = "# Changelog\n\n## {} ({})\n\nAdded\n\n## 0.1.0 (2026-11-22)\n"


@pytest.fixture
def checkout(tmp_path: Path, path_with_uv: None) -> Path:
    """A small project of version 1.2.3 with everything committed."""
    files = {
        "CHANGELOG.md": CHANGELOG.format("1.2.3", "2027-01-31"),
        "client/cardbench/__init__.py": '__version__ = "1.2.3"\n',
        "flashdb/bootstrap.py": (ROOT / "flashdb/bootstrap.py").read_text(),
        "pyproject.toml": PROJECT,
        "uv.lock": LOCK,
        ".gitignore": ".venv/\n.tools/\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(root: Path, *words: str) -> None:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=root, check=True)


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "all")


def objection(root: Path) -> str:
    (reason,) = release_check.objections(root)
    return reason


def test_it_works(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release_check.main(checkout) == 0
    assert capsys.readouterr().out == "1.2.3 may be released\n"


def test_a_version_that_is_not_released_yet_is_refused(checkout: Path) -> None:
    (checkout / "CHANGELOG.md").write_text(CHANGELOG.format("1.2.3", "unreleased"))
    commit(checkout)
    assert "must be as" in objection(checkout)


def test_a_version_that_the_changelog_does_not_name_is_refused(checkout: Path) -> None:
    (checkout / "client/cardbench/__init__.py").write_text('__version__ = "1.3.0"\n')
    commit(checkout)
    assert objection(checkout) == "the client calls itself 1.3.0, CHANGELOG.md says 1.2.3"


def test_a_version_is_released_once(checkout: Path) -> None:
    git(checkout, "tag", "v1.2.3")
    assert "released already" in objection(checkout)


def test_what_is_not_committed_is_not_released(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "new.py").touch()
    assert release_check.main(checkout) == 1
    assert "?? new.py" in capsys.readouterr().err


def test_a_lock_that_is_out_of_date_is_refused(checkout: Path) -> None:
    (checkout / "pyproject.toml").write_text(PROJECT.replace("tiny", "other"))
    commit(checkout)
    assert "uv.lock is not what pyproject.toml asks for" in objection(checkout)


def test_the_changelog_of_this_project_names_its_versions() -> None:
    assert release_check.newest(ROOT)[0] > "0.1"
