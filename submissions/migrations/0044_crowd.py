from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0043_started_by"),
    ]

    operations = [
        migrations.AddField(
            model_name="fit",
            name="crowd",
            field=models.JSONField(
                db_default={},
                default=dict,
                help_text="what it learned of abilities, methods and hosts (evidence/crowds.py)",
            ),
        ),
    ]
