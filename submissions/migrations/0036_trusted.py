from django.db import migrations, models

HELP = "trusted submitters"


class Migration(migrations.Migration):
    harmless_because = "no release has written the columns: they came after 0.1.0"

    dependencies = [
        ("submissions", "0035_models_by_their_first_report"),
    ]

    operations = [
        migrations.RenameField("estimate", "known", "trusted"),
        migrations.RenameField("score", "known", "trusted"),
        migrations.AlterField(
            "estimate", "trusted", models.PositiveIntegerField(db_default=0, default=0, help_text=HELP)
        ),
        migrations.AlterField(
            "score", "trusted", models.PositiveIntegerField(db_default=0, default=0, help_text=HELP)
        ),
        migrations.AlterField(
            "fit",
            "established",
            models.JSONField(
                db_default=[],
                default=list,
                help_text="ids of the models by which people become trusted, ascending",
            ),
        ),
        migrations.AlterField(
            "fit",
            "lines",
            models.JSONField(
                db_default={},
                default=dict,
                help_text="purpose -> class of slot -> from which value on a model needs trusted people",
            ),
        ),
        migrations.AlterField(
            "observation", "stranger", models.SmallIntegerField(help_text="0 where the submitter is trusted")
        ),
        migrations.AlterField(
            "submission",
            "vouched",
            models.BooleanField(
                db_default=False,
                default=False,
                help_text="the operator vouches for its source: it counts as that of a trusted person",
            ),
        ),
    ]
