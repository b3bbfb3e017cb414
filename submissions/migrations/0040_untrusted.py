from django.db import migrations, models


class Migration(migrations.Migration):
    harmless_because = "no release has written the column: its table came after 0.1.0"

    dependencies = [
        ("submissions", "0039_remove_following"),
    ]

    operations = [
        # PostgreSQL keeps the index of a renamed column, Django does not.
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE submissions_observation RENAME COLUMN stranger TO untrusted",
                    "ALTER TABLE submissions_observation RENAME COLUMN untrusted TO stranger",
                )
            ],
            state_operations=[
                migrations.RemoveIndex("observation", "observations_in_turn"),
                migrations.RenameField("observation", "stranger", "untrusted"),
                migrations.AddIndex(
                    "observation",
                    models.Index(
                        fields=["card_model", "figure", "untrusted", "turn", "lot"],
                        name="observations_in_turn",
                    ),
                ),
            ],
        ),
    ]
