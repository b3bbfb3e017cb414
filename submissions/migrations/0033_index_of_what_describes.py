from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("submissions", "0032_following")]

    operations = [
        AddIndexConcurrently(
            model_name="measurement",
            index=models.Index(
                condition=Q(workload__in=("capacity", "chore", "photos"))
                | Q(metric="latency_max")
                | ~Q(figure=""),
                fields=["run"],
                name="measurement_describing",
            ),
        ),
    ]
