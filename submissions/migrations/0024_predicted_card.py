from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0023_index_of_results"),
    ]

    operations = [
        migrations.AddField(
            model_name="estimate",
            name="card_high",
            field=models.FloatField(help_text="… and below this", null=True),
        ),
        migrations.AddField(
            model_name="estimate",
            name="card_low",
            field=models.FloatField(
                help_text="log value; of 100 cards from shops 95 lie above this …", null=True
            ),
        ),
        migrations.AddField(
            model_name="estimate",
            name="slow_share",
            field=models.FloatField(help_text="share of cards far slower than the mean", null=True),
        ),
    ]
