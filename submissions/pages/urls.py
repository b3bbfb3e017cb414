"""Map the URLs of pages to their views."""

from django.contrib.auth.views import LogoutView, PasswordChangeView
from django.contrib.sitemaps import views as sitemaps
from django.http import HttpRequest
from django.urls import path, reverse_lazy
from django.views.generic import TemplateView

from submissions.freshness import fresh
from submissions.pages.views import (
    about_pages,
    account_pages,
    badge,
    best_page,
    board_pages,
    card_pages,
    compare_page,
    decode_page,
    feeds,
    files,
    finder_page,
    formats_page,
    good_page,
    maker_pages,
    metrics_page,
    ownership_pages,
    products_page,
    quirks_page,
    remark_pages,
    second_factor_page,
    source_pages,
    submission_pages,
    submit_page,
)
from submissions.pages.views.feeds import SITEMAPS
from submissions.pages.views.read_limits import limit


def _choose_limit(request: HttpRequest) -> str:
    # A preview has its own rate limit: it costs processor time, but stores nothing.
    return "look" if "look" in request.POST else "submit"


# Name of a page, which is also its path -> its view.
_VIEWS = {
    "filter": fresh(finder_page.choices),
    "sources": fresh(source_pages.sources),
    "quirks": fresh(quirks_page.quirks),
    "about": TemplateView.as_view(template_name="submissions/about.html"),
    "boards": fresh(board_pages.boards),
    "formats": formats_page.formats,
    "good": fresh(good_page.good),
    "compare": compare_page.compare,
    "decode": limit("look")(decode_page.decode),
    "recent": about_pages.recent,
    "statistics": about_pages.statistics,
    "tour": about_pages.tour,
    "makers": maker_pages.makers,
    "metrics": metrics_page.metrics,
    "methods": about_pages.methods,
    "glossary": about_pages.words,
    "privacy": about_pages.privacy,
    "submit": limit(_choose_limit)(submit_page.submit),
    "account": account_pages.account,
    "follow": TemplateView.as_view(template_name="submissions/follow.html"),
}

urlpatterns = [
    path("", fresh(finder_page.finder), name="finder"),
    *(path(f"{name}/", view, name=name) for name, view in _VIEWS.items()),
    path("models/<slug:slug>/", fresh(card_pages.model), name="model"),
    path("models/<slug:slug>/runs/", fresh(card_pages.runs), name="model-runs"),
    path("models/<slug:slug>/why/", card_pages.why, name="why"),
    path("products/<slug:slug>/", fresh(products_page.product), name="product"),
    path("sources/<slug:slug>/", fresh(source_pages.source), name="source"),
    path("cards/<slug:key>/", fresh(card_pages.card), name="card"),
    path("runs/<slug:public_id>/", fresh(card_pages.run), name="run"),
    path("boards/<slug:slug>/", fresh(board_pages.board), name="board"),
    path("best/<slug:board>/<slug:use>/", fresh(best_page.best), name="best"),
    path("best/<slug:board>/<slug:use>.<slug:form>", best_page.best_as, name="best-as"),
    path("embed/<slug:board>/<slug:use>/", best_page.embed, name="embed"),
    path("feeds/", feeds.Everything(), name="feed"),
    path("feeds/models/<slug:slug>/", feeds.OfModel(), name="model-feed"),
    path("feeds/search/", feeds.OfSearch(), name="search-feed"),
    path("feeds/best/<slug:board>/<slug:use>/", feeds.OfFirstPlace(), name="first-place-feed"),
    path("models/<slug:slug>/badge.svg", badge.badge, name="badge"),
    path(
        "robots.txt",
        TemplateView.as_view(template_name="submissions/robots.txt", content_type="text/plain"),
        name="robots",
    ),
    path(".well-known/security.txt", about_pages.security, name="security"),
    path("llms.txt", about_pages.llms, name="llms"),
    path("sitemap-<section>.xml", sitemaps.sitemap, {"sitemaps": SITEMAPS}, name="sitemap-section"),
    path(
        "sitemap.xml",
        sitemaps.index,
        {"sitemaps": SITEMAPS, "sitemap_url_name": "sitemap-section"},
        name="sitemap",
    ),
    path("makers/<str:bus>/<str:number>/", maker_pages.maker, name="maker"),
    path("cardbench.pyz", files.newest, {"kind": "client", "name": "cardbench.pyz"}, name="client"),
    path(
        "cardbench.pyz.sig",
        files.newest,
        {"kind": "client", "name": "cardbench.pyz.sig"},
        name="client-signature",
    ),
    path("mirror.zip", files.newest, {"kind": "mirror", "name": "mirror.zip"}, name="mirror"),
    path("files/<slug:kind>/<slug:version>/<str:name>", files.send, name="file"),
    path("account/sign-up/", limit("sign-up")(account_pages.sign_up), name="sign-up"),
    path(
        "account/log-in/",
        limit("log-in", subject=account_pages.read_user_name)(account_pages.LogIn.as_view()),
        name="log-in",
    ),
    path("account/log-out/", LogoutView.as_view(), name="log-out"),
    path(
        "account/password/",
        limit("log-in")(
            PasswordChangeView.as_view(
                template_name="account/password.html", success_url=reverse_lazy("account")
            )
        ),
        name="password",
    ),
    path("account/second-factor/", limit("log-in")(second_factor_page.second_factor), name="second-factor"),
    path("account/close/", limit("log-in")(account_pages.close), name="close-account"),
    path("account/adopt/", limit("change")(account_pages.adopt), name="adopt"),
    path("account/tokens/", limit("change")(account_pages.make_token), name="make-token"),
    path("account/tokens/<int:pk>/revoke/", account_pages.revoke_token, name="revoke-token"),
    path("submissions/<slug:public_id>/", submission_pages.submission, name="submission"),
    path(
        "submissions/<slug:public_id>/change/",
        limit("change")(ownership_pages.change),
        name="change-submission",
    ),
    path(
        "submissions/<slug:public_id>/delete/",
        limit("change")(ownership_pages.delete),
        name="delete-submission",
    ),
    path(
        "submissions/<slug:public_id>/remark/",
        limit("remark")(remark_pages.remark_on_submission),
        name="remark",
    ),
    path("models/<slug:slug>/remark/", limit("remark")(remark_pages.remark_on_model), name="remark-on-model"),
    path("submissions/<slug:public_id>/text/", submission_pages.text, name="submission-text"),
    path(
        "submissions/<slug:public_id>/report.json", fresh(submission_pages.report), name="submission-report"
    ),
]
