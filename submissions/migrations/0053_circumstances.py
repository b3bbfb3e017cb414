from django.db import migrations, models
from django.db.models import Value


class Migration(migrations.Migration):
    dependencies = [("submissions", "0052_scan")]
    operations = [
        migrations.AddField(
            model_name="run",
            name="circumstances",
            field=models.JSONField(
                db_default=Value({}, models.JSONField()),
                default=dict,
                help_text="what else its report says of the host, of what was measured through, and of their state",
            ),
        ),
    ]
