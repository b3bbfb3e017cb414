from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0044_crowd"),
    ]

    operations = [
        migrations.AddField(
            "cardmodel",
            "lost_data",
            models.BooleanField(
                db_default=False,
                default=False,
                help_text="a test of the full size found that a card of it lost data",
            ),
        ),
    ]
