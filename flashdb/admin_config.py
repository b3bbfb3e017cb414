"""Django's admin, guarded."""

from django.contrib.admin.apps import AdminConfig


class GuardedAdmin(AdminConfig):
    default_site = "submissions.visitors.moderating.Site"
