"""`make lint`: migrations that the old code can work with while the new one starts.

During a deployment both run on one database, and no visitor waits for a lock. So a change comes in steps, each in a
release of its own: add what is new so that old code need not know it; write both; read the new; remove the old.
Where an operation is harmless in its case, the migration says why:

    class Migration(migrations.Migration):
        harmless_because = "the column was never written"
"""

import importlib
import pkgutil
import sys
from collections.abc import Iterator

from django.db import migrations, models
from django.db.migrations.operations.base import Operation

PACKAGE = "submissions.migrations"
# Until the first release there is no old code and no visitor to take into account.
LAST_BEFORE_FIRST_RELEASE = 40

# What breaks old code or holds a lock for long -> what to do instead. A new rule is one row.
FORBIDDEN: dict[type[Operation], str] = {
    migrations.RemoveField: "old code still asks for the column: stop using it in one release, remove it in the next",
    migrations.DeleteModel: "old code still asks for the table: stop using it in one release, remove it in the next",
    migrations.RenameField: "old code knows the old name: add a column, write both, then remove the old one",
    migrations.RenameModel: "old code knows the old name: set db_table, or move in steps",
    migrations.AlterField: "it may rewrite the table under a lock, and old code may write what is no longer allowed",
    migrations.AddIndex: "it locks the table while it is built: use AddIndexConcurrently, with atomic = False",
    migrations.AddConstraint: "it reads the whole table under a lock: AddConstraintNotValid, then ValidateConstraint",
    migrations.AlterUniqueTogether: "it locks the table while the index is built: add the index concurrently first",
    migrations.RunPython: "it may take long in one transaction: a management command that can be repeated is better",
    migrations.RunSQL: "nobody can tell what it locks",
}


def main() -> int:
    """The exit status: 1 with a line per offence."""
    offences = list(_offences_of_all())
    for offence in offences:
        print(offence, file=sys.stderr)
    return 1 if offences else 0


def _offences_of_all() -> Iterator[str]:
    package = importlib.import_module(PACKAGE)
    for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        if int(module[:4]) > LAST_BEFORE_FIRST_RELEASE:
            migration = importlib.import_module(f"{PACKAGE}.{module}").Migration
            yield from offences_of(migration, name=module)


def offences_of(migration: type[migrations.Migration], *, name: str) -> Iterator[str]:
    """In words, each with what to do instead; none when the migration says why it is harmless."""
    if getattr(migration, "harmless_because", ""):
        return
    made_here = {one.name.lower() for one in migration.operations if isinstance(one, migrations.CreateModel)}
    for operation in migration.operations:
        if getattr(operation, "model_name", "") not in made_here and (why := _offence(operation)):
            yield f"{name}: {operation.describe()}: {why}"


def _offence(operation: Operation) -> str:
    if isinstance(operation, migrations.AddField) and not _old_code_may_leave_out(operation.field):
        return "old code writes rows without it: null=True or db_default=… lets it"
    return FORBIDDEN.get(type(operation), "")


def _old_code_may_leave_out(field: models.Field) -> bool:
    return field.null or field.many_to_many or field.db_default is not models.NOT_PROVIDED


if __name__ == "__main__":
    sys.exit(main())
