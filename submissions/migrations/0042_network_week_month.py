from django.db import migrations, models

# Written out, because the columns of the evidence may change later.
FILL = """
UPDATE submissions_observation o SET
    week = CASE WHEN s.vouched OR s.channel IN ('bulk', 'mail') THEN -1
        ELSE floor(extract(epoch FROM s.received_at) / 604800)::int END,
    month = coalesce(12 * extract(year FROM r.started_at AT TIME ZONE 'UTC')
        + extract(month FROM r.started_at AT TIME ZONE 'UTC') - 1, 0)::int
FROM submissions_submission s JOIN submissions_run r ON r.submission_id = s.id
WHERE s.id = o.submission_id
"""


class Migration(migrations.Migration):
    harmless_because = "no release has written the table of observations: it came after 0.1.0"

    dependencies = [
        ("submissions", "0041_abilities"),
    ]

    operations = [
        migrations.AddField(
            "submission",
            "network",
            models.BigIntegerField(
                help_text="keyed hash of the network of its sender (IPv4 /24, IPv6 /48), never shown; null if not known",
                null=True,
            ),
        ),
        migrations.AddField(
            "observation",
            "network",
            models.BigIntegerField(db_default=-1, help_text="of its sender, -1 if not known"),
        ),
        migrations.AddField(
            "observation",
            "week",
            models.IntegerField(
                db_default=-1, help_text="of its arrival, since 1970; -1 if the operator brought it"
            ),
        ),
        migrations.AddField(
            "observation",
            "month",
            models.IntegerField(
                db_default=0, help_text="of the measurement: 12 * year + months before it; 0 if not known"
            ),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
