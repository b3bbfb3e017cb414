from django.db import migrations

# Accounts that are no moderators could make such tokens, which then needed no second factor.
REVOKE = """
    UPDATE submissions_apitoken SET scopes = array_remove(scopes, 'moderate')
    WHERE 'moderate' = ANY (scopes)
        AND NOT EXISTS (SELECT 1 FROM auth_user WHERE auth_user.id = account_id AND is_staff)
"""


class Migration(migrations.Migration):
    harmless_because = "it changes a few rows of a small table"

    dependencies = [("submissions", "0037_no_photos")]
    operations = [migrations.RunSQL(REVOKE, migrations.RunSQL.noop)]
