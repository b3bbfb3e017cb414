"""The files that contributors see first fit the project: workflow, commit hooks, issue forms and citation."""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

PROJECT = Path(__file__).parent.parent
FORMS = sorted((PROJECT / ".github" / "ISSUE_TEMPLATE").glob("*-*.yml"))


def read(name: str) -> Any:
    return yaml.safe_load((PROJECT / name).read_text(encoding="utf-8"))


JOBS = read(".github/workflows/ci.yml")["jobs"]


@pytest.mark.parametrize(
    ("job", "commands"), [("test", {"make lint", "make test"}), ("django-main", {"make test"})]
)
def test_the_workflow_runs_the_commands_of_every_desk(job: str, commands: set[str]) -> None:
    assert commands <= {step.get("run") for step in JOBS[job]["steps"]}


def test_the_workflow_begins_with_the_oldest_python_that_is_supported() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={JOBS['test']['strategy']['matrix']['python'][0]}"


def test_only_the_django_of_tomorrow_may_fail() -> None:
    assert [name for name, job in JOBS.items() if job.get("continue-on-error")] == ["django-main"]


def test_every_hook_calls_a_program_of_the_environment() -> None:
    entries = [hook["entry"] for hook in read(".pre-commit-config.yaml")["repos"][0]["hooks"]]
    programs = [re.findall(r"\.venv/bin/(\S+)", entry) for entry in entries]
    assert all((Path(sys.executable).parent / program).exists() for (program,) in programs)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_what_is_needed(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert form["name"] and form["description"]
    assert len({field["id"] for field in fields}) == len(fields)
    assert sum(field.get("validations", {}).get("required", False) for field in fields) >= 3


def test_both_forms_are_there() -> None:
    assert [path.stem for path in FORMS] == ["card-not-recognised", "log-not-understood"]


def test_a_citation_names_license_and_sources() -> None:
    """The citation is written in the formats of GitHub and of Zenodo, which are both read when a tag is pushed."""
    cited, archived = read("CITATION.cff"), read(".zenodo.json")
    assert cited["license"] == archived["license"] == "BSD-3-Clause"
    assert {"url", "repository-code"} <= cited.keys()


WORKFLOWS = [read(f".github/workflows/{name}.yml")["jobs"] for name in ("ci", "release")]


def test_a_workflow_runs_only_what_was_read() -> None:
    """A workflow names actions by commit, because a tag may move to other code; the update bot proposes new commits."""
    steps = [step for jobs in WORKFLOWS for job in jobs.values() for step in job["steps"]]
    used = {step["uses"] for step in steps if "uses" in step}
    assert used and all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action) for action in used)
    assert "github-actions" in {row["package-ecosystem"] for row in read(".github/dependabot.yml")["updates"]}
