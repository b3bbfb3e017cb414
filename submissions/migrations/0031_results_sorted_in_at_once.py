import django.contrib.postgres.indexes
from django.db import migrations

INDEX = django.contrib.postgres.indexes.GinIndex
AT_ONCE = INDEX(fastupdate=False, fields=["result"], name="run_result")


class Migration(migrations.Migration):
    dependencies = [("submissions", "0030_words_of_roles")]

    operations = [
        migrations.RunSQL(
            ["ALTER INDEX run_result SET (fastupdate = off)", "SELECT gin_clean_pending_list('run_result')"],
            ["ALTER INDEX run_result RESET (fastupdate)"],
            state_operations=[
                migrations.RemoveIndex(model_name="run", name="run_result"),
                migrations.AddIndex(model_name="run", index=AT_ONCE),
            ],
        ),
    ]
