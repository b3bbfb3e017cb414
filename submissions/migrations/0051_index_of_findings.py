from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("submissions", "0050_findings")]

    operations = [
        AddIndexConcurrently(
            model_name="run",
            index=models.Index(
                condition=~Q(readings=[]) | Q(says_of_model=True), fields=["card"], name="run_describing"
            ),
        ),
        RemoveIndexConcurrently(model_name="run", name="run_with_readings"),
    ]
