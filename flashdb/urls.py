"""All addresses: pages, API, health, admin."""

from django.contrib import admin
from django.urls import include, path

from flashdb.health import health

handler500 = "api.errors.server_error"

urlpatterns = [
    path("", include("submissions.urls")),
    path("api/v1/", include("api.v1.urls")),
    path("health/", health, name="health"),
    path("admin/", admin.site.urls),
]
