"""Configure Django's admin with a second factor and a rate limit."""

from django.contrib.admin.apps import AdminConfig


class GuardedAdmin(AdminConfig):
    default_site = "submissions.visitors.moderating.Site"
