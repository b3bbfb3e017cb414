"""The migration linter refuses a migration with which old code cannot work, or that locks a table for long."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import migration_linter
from tests.conftest import PROJECT

pytestmark = pytest.mark.django_db
Plant = Callable[..., int]
INDEX = 'models.Index(fields=["value"], name="by_value")'
MIGRATION = """
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = {atomic}
    dependencies = [("submissions", {last!r})]
    harmless_because = {because!r}
    operations = [{operation}]
"""


@pytest.fixture
def plant(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Return a function that adds a migration with one operation to a copy of ours, and counts the refused ones."""
    migrations = PROJECT / "submissions" / "migrations"
    package = f"planted_{tmp_path.name}"
    shutil.copytree(migrations, tmp_path / package)
    monkeypatch.syspath_prepend(tmp_path)
    last = max(path.stem for path in migrations.glob("0*.py"))

    def plant(operation: str, *, because: str = "", atomic: bool = True) -> int:
        text = MIGRATION.format(operation=operation, last=last, because=because, atomic=atomic)
        (tmp_path / package / "0999_planted.py").write_text(text)
        settings.MIGRATION_MODULES = {"submissions": package}
        linter = migration_linter.make_linter()
        linter.lint_all_migrations("submissions", "0999")
        return int(linter.nb_erroneous)

    return plant


@pytest.mark.django_db(transaction=True)  # an index is built beside the work outside any transaction
def test_every_migration_of_ours_keeps_the_rules() -> None:
    assert migration_linter.main() == 0


@pytest.mark.parametrize(
    "operation",
    [
        'migrations.AddField("run", "weather", models.TextField(null=True))',
        'migrations.AddField("run", "wet", models.BooleanField(db_default=False))',
        'migrations.CreateModel("Cloud", [("id", models.BigAutoField(primary_key=True))])',
    ],
)
def test_what_old_code_can_live_with_passes(plant: Plant, operation: str) -> None:
    assert plant(operation) == 0


@pytest.mark.django_db(transaction=True)
def test_an_index_that_is_built_beside_the_work_passes(plant: Plant) -> None:
    assert plant(f'AddIndexConcurrently("measurement", {INDEX})', atomic=False) == 0


@pytest.mark.parametrize(
    "operation",
    [
        'migrations.RemoveField("run", "note")',
        'migrations.DeleteModel("Word")',
        'migrations.RenameField("run", "note", "remark")',
        'migrations.RenameModel("Word", "Term")',
        'migrations.AlterField("run", "note", models.CharField(max_length=5))',
        f'migrations.AddIndex("measurement", {INDEX})',
        'migrations.AddField("run", "weather", models.TextField(default="dry"))',
        'migrations.AddConstraint("run", models.CheckConstraint(condition=models.Q(pk__gt=0), name="positive"))',
        'migrations.AddConstraint("run", models.UniqueConstraint(fields=["note"], name="one_note"))',
        "migrations.RunPython(migrations.RunPython.noop, migrations.RunPython.noop)",
        'migrations.RunSQL("UPDATE submissions_run SET note = 0", migrations.RunSQL.noop)',
    ],
)
def test_what_needs_steps_is_refused(plant: Plant, operation: str) -> None:
    assert plant(operation) == 1


def test_a_migration_may_say_why_it_is_harmless(plant: Plant) -> None:
    assert plant('migrations.RemoveField("run", "note")', because="it was never written") == 0
