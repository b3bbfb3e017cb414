import django.contrib.postgres.indexes
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("submissions", "0022_results_sent_again")]

    operations = [
        AddIndexConcurrently(
            model_name="run",
            index=django.contrib.postgres.indexes.GinIndex(fields=["result"], name="run_result"),
        ),
    ]
