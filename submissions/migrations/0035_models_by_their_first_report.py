import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0034_look_of_brands")]

    operations = [
        migrations.AlterField(
            model_name="cardmodel",
            name="created_at",
            field=models.DateTimeField(default=django.utils.timezone.now, editable=False),
        ),
    ]
