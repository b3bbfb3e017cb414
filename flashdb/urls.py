"""Map all URLs to their views: pages, API, health, admin."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from flashdb.site_health import health, ready

handler500 = "api.errors.server_error"

urlpatterns = [
    # The API comes first because it gets most requests: Django compares paths in this order.
    path("api/", include("api.urls")),
    path("health/", health, name="health"),
    path("ready/", ready, name="ready"),
    path("", include("submissions.pages.urls")),
    path(settings.ADMIN_PATH, admin.site.urls),
]
