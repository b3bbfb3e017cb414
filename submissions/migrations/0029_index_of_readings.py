from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("submissions", "0028_form_of_models")]

    operations = [
        AddIndexConcurrently(
            model_name="run",
            index=models.Index(condition=~Q(readings=[]), fields=["card"], name="run_with_readings"),
        ),
    ]
