from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0055_device_of_token")]

    operations = [
        migrations.CreateModel(
            name="Publication",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=16)),
                ("version", models.CharField(max_length=64)),
                ("made_at", models.DateTimeField()),
                ("files", models.JSONField()),
                ("package", models.JSONField(default=dict)),
                ("public_key", models.TextField(blank=True)),
            ],
            options={"ordering": ["-made_at"]},
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.UniqueConstraint(fields=("kind", "version"), name="one_publication"),
        ),
    ]
