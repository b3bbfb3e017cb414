from django.db import migrations, models


class Migration(migrations.Migration):
    """Drop scores, and all that the fit of figures stored."""

    harmless_because = (
        "old code fails to judge models until it is replaced, a few seconds later, and then they are judged again; what"
        " these tables hold is computed from measurements, and nothing reads it any more"
    )

    dependencies = [("submissions", "0046_no_changed_flags")]

    operations = [
        migrations.DeleteModel("Score"),
        migrations.DeleteModel("Estimate"),
        migrations.DeleteModel("FigureFit"),
        migrations.RemoveField("fit", "correlation"),
        migrations.RemoveField("fit", "varies_below"),
        migrations.RemoveField("fit", "suspected_below"),
        migrations.RemoveField("fit", "standing"),
        migrations.RemoveField("fit", "established"),
        migrations.RemoveField("fit", "lines"),
        migrations.AlterField(
            "fit",
            "parameters",
            models.JSONField(help_text="the numbers it was made with; estimation/parameters.py explains them"),
        ),
        migrations.AlterField(
            "observation",
            "untrusted",
            models.SmallIntegerField(help_text="0 if the submitter has a record, or is vouched for"),
        ),
        migrations.AlterField("standing", "agrees", models.BooleanField(help_text="with what others measured")),
    ]
