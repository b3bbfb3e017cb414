from django.db import migrations, models

_ACTIONS = {
    "amended": "corrected",
    "deleted": "deleted",
    "adopted": "claimed for an account",
    "held": "held back",
    "released": "restored to the rankings",
    "confirmed": "confirmed",
    "disputed": "disputed",
    "excluded": "left out of the rankings",
    "merged": "merged",
    "renamed": "renamed",
    "split": "split",
    "published": "visitor’s remark published",
    "hidden": "visitor’s remark hidden",
}


class Migration(migrations.Migration):
    dependencies = [("submissions", "0056_publications")]
    harmless_because = "only words change, which the database does not store"

    operations = [
        migrations.AlterField(
            model_name="auditentry",
            name="action",
            field=models.CharField(choices=list(_ACTIONS.items()), max_length=16),
        ),
    ]
