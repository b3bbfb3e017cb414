"""Map the URLs of version 1 of the API to their views."""

from django.urls import path, re_path

from api.errors import not_found
from api.v1 import rankings, registries, run_views, views
from api.v1.batch import BatchView, DecodeBatchView
from api.v1.compare_view import CompareView
from api.v1.dumps import DumpsView, dump_file
from api.v1.explanation_answer import ExplanationView
from api.v1.index_view import IndexView
from api.v1.parse_view import ParseView
from api.v1.search_view import SearchView
from api.v1.submission_view import RulingView, SubmissionView

urlpatterns = [
    path("", IndexView.as_view(), name="api-index"),
    path("submissions/", views.SubmissionsView.as_view(), name="api-submissions"),
    path("submissions/batch/", BatchView.as_view(), name="api-batch"),
    path("submissions/<slug:public_id>/ruling/", RulingView.as_view(), name="api-ruling"),
    path("submissions/<slug:public_id>/", SubmissionView.as_view(), name="api-submission"),
    path("models/", rankings.ModelsView.as_view(), name="api-models"),
    path("models/<slug:slug>/", rankings.ModelView.as_view(), name="api-model"),
    path("models/<slug:slug>/explanation/", ExplanationView.as_view(), name="api-explanation"),
    path("picks/", rankings.PicksView.as_view(), name="api-picks"),
    path("search/", SearchView.as_view(), name="api-search"),
    path("compare/", CompareView.as_view(), name="api-compare"),
    path("cards/", run_views.CardsView.as_view(), name="api-cards"),
    path("cards/<slug:key>/", run_views.CardView.as_view(), name="api-card"),
    path("runs/", run_views.RunsView.as_view(), name="api-runs"),
    path("runs/<slug:public_id>/", run_views.RunView.as_view(), name="api-run"),
    path("health/", run_views.HealthView.as_view(), name="api-health"),
    path("measurements/", run_views.MeasurementsView.as_view(), name="api-measurements"),
    path("decode/", views.DecodeView.as_view(), name="api-decode"),
    path("decode/batch/", DecodeBatchView.as_view(), name="api-decode-batch"),
    path("parse/", ParseView.as_view(), name="api-parse"),
    path("makers/", registries.MakersView.as_view(), name="api-makers"),
    path("boards/", registries.BoardsView.as_view(), name="api-boards"),
    path("interfaces/", registries.InterfacesView.as_view(), name="api-interfaces"),
    path("uses/", registries.UsesView.as_view(), name="api-uses"),
    path("profiles/", registries.ProfilesView.as_view(), name="api-profiles"),
    path("metrics/", registries.MetricsView.as_view(), name="api-metrics"),
    path("products/", registries.ProductsView.as_view(), name="api-products"),
    path("quirks/", registries.QuirksView.as_view(), name="api-quirks"),
    path("quirks/candidates/", registries.CandidatesView.as_view(), name="api-quirk-candidates"),
    path("sources/", registries.SourcesView.as_view(), name="api-sources"),
    path("dumps/", DumpsView.as_view(), name="api-dumps"),
    path("dumps/<str:version>/<str:name>", dump_file, name="api-dump-file"),
    path("schema/", views.SchemaView.as_view(), name="api-schema"),
    re_path(r"^(?P<address>[\s\S]*)$", not_found),
]
