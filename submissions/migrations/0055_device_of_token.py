from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0054_doubts")]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="device",
            field=models.CharField(
                db_default="",
                help_text="with which the second factor was verified when it was made",
                max_length=100,
            ),
        ),
    ]
