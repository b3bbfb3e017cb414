from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("submissions", "0027_health")]

    operations = [
        migrations.AddField(
            model_name="cardmodel",
            name="form",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="microSD, SD …; as labels or shops say",
                max_length=16,
            ),
        ),
        AddIndexConcurrently(
            model_name="cardmodel",
            index=models.Index(
                condition=~Q(form__in=("", "microSD", "SD Express")),
                fields=["id"],
                name="model_of_other_form",
            ),
        ),
    ]
