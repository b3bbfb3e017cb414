"""All addresses: pages, API, health, admin."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from flashdb.site_health import health, ready

handler500 = "api.errors.server_error"

urlpatterns = [
    # Machines first: they come most often, and need not be compared with every page.
    path("api/", include("api.urls")),
    path("health/", health, name="health"),
    path("ready/", ready, name="ready"),
    path("", include("submissions.pages.urls")),
    # One door with one lock: the admin's own would have to be guarded a second time.
    path("admin/login/", RedirectView.as_view(pattern_name="log-in", query_string=True)),
    path("admin/", admin.site.urls),
]
