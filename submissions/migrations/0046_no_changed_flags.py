from django.db import migrations, models


class Migration(migrations.Migration):
    """Delete flags of models that changed while they were sold: the judgement of variation does not raise them."""

    harmless_because = "a model has one such flag at most, and few models have any"

    dependencies = [("submissions", "0045_lost_data")]

    operations = [
        migrations.RunSQL("DELETE FROM submissions_variationflag WHERE kind = 'changed'", migrations.RunSQL.noop),
        migrations.AlterField(
            "variationflag",
            "kind",
            models.CharField(
                choices=[
                    ("varies", "cards differ by what is inside"),
                    ("suspected", "cards scatter more than usual"),
                    ("geometry_differs", "cards differ in their geometry"),
                ],
                max_length=16,
            ),
        ),
        migrations.AlterField(
            "variationflag",
            "figure",
            models.CharField(help_text="ability, or quantity of the geometry", max_length=64),
        ),
    ]
