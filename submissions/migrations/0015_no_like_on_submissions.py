from django.db import migrations

# Django adds to every unique text an index for LIKE in other collations than ours. Nobody seeks a submission by half
# of its name or hash, and each report that comes in would be entered into both.
# A step of its own: Django makes indexes at the end of the step that makes their table.
_DROP = """
DO $$
DECLARE superfluous text;
BEGIN
    FOR superfluous IN
        SELECT indexname FROM pg_indexes
        WHERE schemaname = current_schema() AND tablename = 'submissions_submission' AND indexname LIKE '%\\_like'
    LOOP
        EXECUTE format('DROP INDEX %I', superfluous);
    END LOOP;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("submissions", "0001_version_0_1")]
    harmless_because = "dropping an index takes a moment, and no code needs these"

    operations = [migrations.RunSQL(_DROP, migrations.RunSQL.noop)]
