from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("submissions", "0033_index_of_what_describes")]

    operations = [
        migrations.AddField(
            model_name="cardmodel",
            name="brand_look",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        AddIndexConcurrently(
            model_name="cardmodel",
            index=models.Index(condition=~Q(brand=""), fields=["brand_look"], name="model_brand_look"),
        ),
    ]
