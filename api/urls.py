"""Map the URLs of the API, and of the pages about it, to their views."""

from django.urls import include, path

from api import reference_pages

urlpatterns = [
    path("", reference_pages.index, name="api"),
    path("reference/", reference_pages.reference, name="api-reference"),
    path("v1/", include("api.v1.urls")),
]
