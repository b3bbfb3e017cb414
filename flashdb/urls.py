"""All addresses: pages, API, health, admin."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from flashdb.site_health import health, ready

handler500 = "api.errors.server_error"

urlpatterns = [
    # Machines first: they come most often, and need not be compared with every page.
    path("api/", include("api.urls")),
    path("health/", health, name="health"),
    path("ready/", ready, name="ready"),
    path("", include("submissions.pages.urls")),
    path(settings.ADMIN_PATH, admin.site.urls),
]
