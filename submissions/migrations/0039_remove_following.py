from django.db import migrations


class Migration(migrations.Migration):
    """Drop the tables of followed subjects and of the addresses that followed them."""

    harmless_because = "no release has these tables"

    dependencies = [("submissions", "0038_tokens_without_second_factor")]

    operations = [
        migrations.DeleteModel("Delivery"),
        migrations.DeleteModel("Subscription"),
        migrations.DeleteModel("Event"),
        migrations.DeleteModel("Followed"),
    ]
