from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0026_observe_what_is_stored")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="life_used",
            field=models.FloatField(
                help_text="percent of its life that the card says it has used", null=True
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="life_step",
            field=models.FloatField(help_text="… in steps of so many", null=True),
        ),
        migrations.AddField(
            model_name="cardmodel",
            name="tells_health",
            field=models.BooleanField(
                db_default=False, default=False, help_text="a card of it told how much of its life is used"
            ),
        ),
    ]
