import django.db.models.deletion
from django.db import migrations, models

_COPIED = {"db_constraint": False, "db_index": False, "related_name": "+"}
_COPIED |= {"on_delete": django.db.models.deletion.DO_NOTHING}


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0024_predicted_card"),
    ]

    operations = [
        migrations.CreateModel(
            name="Observation",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "card_id",
                        "figure",
                        "turn",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("figure", models.CharField(max_length=64)),
                (
                    "stranger",
                    models.SmallIntegerField(
                        help_text="0 for the operator's sources and people with a history"
                    ),
                ),
                (
                    "turn",
                    models.IntegerField(
                        help_text="of the values of this figure of this card which it is, in their order"
                    ),
                ),
                (
                    "lot",
                    models.BigIntegerField(help_text="the beginning of the key of the card, as a number"),
                ),
                (
                    "signature",
                    models.BigIntegerField(help_text="id of the variant, -1 where no register told it"),
                ),
                ("person", models.BigIntegerField(help_text="hash of the submitter's key")),
                (
                    "vouched",
                    models.SmallIntegerField(help_text="1 where the operator vouches for what was sent"),
                ),
                ("value", models.FloatField(help_text="in the base unit")),
                ("card", models.ForeignKey(to="submissions.card", **_COPIED)),
                ("card_model", models.ForeignKey(to="submissions.cardmodel", **_COPIED)),
                ("host", models.ForeignKey(to="submissions.host", **_COPIED)),
                ("submission", models.ForeignKey(to="submissions.submission", **_COPIED)),
            ],
        ),
        migrations.AddIndex(
            model_name="observation",
            index=models.Index(
                fields=["card_model", "figure", "stranger", "turn", "lot"], name="observations_in_turn"
            ),
        ),
        migrations.AddField(
            model_name="touchedmodel",
            name="judged",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name="modelsummary",
            name="judged_at",
            field=models.DateTimeField(help_text="when its rows were read", null=True),
        ),
    ]
