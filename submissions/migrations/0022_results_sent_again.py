import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0021_fit_census")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="result",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(),
                db_default=[],
                default=list,
                help_text="a number for each figure, equal where a result was sent again",
                size=None,
            ),
        ),
    ]
