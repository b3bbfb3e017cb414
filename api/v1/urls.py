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

# Name of a list or a question, which is also its path -> its view.
_VIEWS = {
    "submissions": views.SubmissionsView,
    "models": rankings.ModelsView,
    "picks": rankings.PicksView,
    "search": SearchView,
    "compare": CompareView,
    "cards": run_views.CardsView,
    "runs": run_views.RunsView,
    "health": run_views.HealthView,
    "measurements": run_views.MeasurementsView,
    "decode": views.DecodeView,
    "parse": ParseView,
    "makers": registries.MakersView,
    "boards": registries.BoardsView,
    "interfaces": registries.InterfacesView,
    "uses": registries.UsesView,
    "profiles": registries.ProfilesView,
    "metrics": registries.MetricsView,
    "products": registries.ProductsView,
    "quirks": registries.QuirksView,
    "sources": registries.SourcesView,
    "dumps": DumpsView,
    "schema": views.SchemaView,
}

urlpatterns = [
    *(path(f"{name}/", view.as_view(), name=f"api-{name}") for name, view in _VIEWS.items()),
    path("", IndexView.as_view(), name="api-index"),
    path("submissions/batch/", BatchView.as_view(), name="api-batch"),
    path("submissions/<slug:public_id>/ruling/", RulingView.as_view(), name="api-ruling"),
    path("submissions/<slug:public_id>/", SubmissionView.as_view(), name="api-submission"),
    path("models/<slug:slug>/", rankings.ModelView.as_view(), name="api-model"),
    path("models/<slug:slug>/explanation/", ExplanationView.as_view(), name="api-explanation"),
    path("cards/<slug:key>/", run_views.CardView.as_view(), name="api-card"),
    path("runs/<slug:public_id>/", run_views.RunView.as_view(), name="api-run"),
    path("decode/batch/", DecodeBatchView.as_view(), name="api-decode-batch"),
    path("quirks/candidates/", registries.CandidatesView.as_view(), name="api-quirk-candidates"),
    path("dumps/<str:version>/<str:name>", dump_file, name="api-dump-file"),
    re_path(r"^(?P<address>[\s\S]*)$", not_found),
]
