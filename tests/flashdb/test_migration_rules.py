"""A migration that old code cannot live with, or that holds a lock, is refused with what to do instead."""

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations.operations.base import Operation

from flashdb import migration_rules
from flashdb.migration_rules import FORBIDDEN, offences_of

INDEX = models.Index(fields=["value"], name="by_value")


def migration(*operations: Operation, **said: str) -> type[migrations.Migration]:
    return type("Migration", (migrations.Migration,), {"operations": list(operations), **said})


def test_it_works() -> None:
    harmless = migration(
        migrations.AddField("run", "weather", models.TextField(null=True)),
        migrations.AddField("run", "wet", models.BooleanField(db_default=False)),
        AddIndexConcurrently("run", INDEX),
        migrations.CreateModel("Cloud", [("id", models.BigAutoField(primary_key=True))]),
        migrations.AddIndex("cloud", INDEX),
    )
    assert list(offences_of(harmless, name="0099")) == []


def test_every_migration_of_ours_keeps_the_rules() -> None:
    assert migration_rules.main() == 0


@pytest.mark.parametrize(
    "operation",
    [
        migrations.RemoveField("run", "note"),
        migrations.DeleteModel("Run"),
        migrations.RenameField("run", "note", "remark"),
        migrations.RenameModel("Run", "Execution"),
        migrations.AlterField("run", "note", models.CharField(max_length=5)),
        migrations.AddIndex("run", INDEX),
        migrations.AddField("run", "weather", models.TextField(default="dry")),
        migrations.RunPython(migrations.RunPython.noop),
        migrations.RunSQL("SELECT 1"),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_what_needs_steps_is_refused(operation: Operation) -> None:
    (offence,) = offences_of(migration(operation), name="0099")
    assert offence.startswith("0099: ")
    assert list(offences_of(migration(operation, harmless_because="nobody wrote it"), name="0099")) == []


def test_every_rule_says_what_to_do() -> None:
    assert all(FORBIDDEN.values())
