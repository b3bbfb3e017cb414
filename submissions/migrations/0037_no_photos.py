from django.db import migrations


class Migration(migrations.Migration):
    harmless_because = (
        "old code fails on the page of a submission or a model until it is replaced, a few seconds later; a table that"
        " stays would keep the photos and refuse to delete their submissions"
    )

    dependencies = [("submissions", "0036_trusted")]

    operations = [migrations.DeleteModel("Photo")]
