from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0051_index_of_findings")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="scan",
            field=models.JSONField(
                help_text="which areas were read and are bad or slow, as in the report", null=True
            ),
        ),
    ]
