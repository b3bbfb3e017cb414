"""Addresses of API v1."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularAPIView

from api.errors import not_found
from api.v1 import views
from api.v1.parse import ParseView

urlpatterns = [
    path("submissions/", views.SubmissionsView.as_view(), name="api-submissions"),
    path("submissions/<slug:public_id>/", views.SubmissionView.as_view(), name="api-submission"),
    path("models/", views.ModelsView.as_view(), name="api-models"),
    path("decode/", views.DecodeView.as_view(), name="api-decode"),
    path("parse/", ParseView.as_view(), name="api-parse"),
    path("makers/", views.MakersView.as_view(), name="api-makers"),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    re_path(r"^(?P<address>.*)$", not_found),
]
