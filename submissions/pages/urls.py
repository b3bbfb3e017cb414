"""Addresses of the pages."""

from django.contrib.auth.views import LogoutView, PasswordChangeView
from django.contrib.sitemaps import views as sitemaps
from django.http import HttpRequest
from django.urls import path, reverse_lazy
from django.views.generic import TemplateView

from submissions.freshness import fresh
from submissions.pages.views import (
    about,
    account,
    badge,
    best,
    boards,
    cards,
    client,
    compare,
    decode,
    families,
    feeds,
    finder,
    formats,
    good,
    makers,
    metrics,
    ownership,
    products,
    quirks,
    remarks,
    second_factor,
    sources,
    submission,
    submit,
)
from submissions.pages.views.feeds import SITEMAPS
from submissions.pages.views.limited import limited


def _sent(request: HttpRequest) -> str:
    """Looking at what a text would become costs us work, too, but stores nothing."""
    return "look" if "look" in request.POST else "submit"


urlpatterns = [
    path("", fresh(finder.finder), name="finder"),
    path("filter/", fresh(finder.choices), name="filter"),
    path("models/<slug:slug>/", fresh(cards.model), name="model"),
    path("models/<slug:slug>/runs/", fresh(cards.runs), name="model-runs"),
    path("models/<slug:slug>/why/", cards.why, name="why"),
    path("products/<slug:slug>/", fresh(products.product), name="product"),
    path("sources/", fresh(sources.sources), name="sources"),
    path("sources/<slug:slug>/", fresh(sources.source), name="source"),
    path("quirks/", fresh(quirks.quirks), name="quirks"),
    path("cid/", fresh(families.families), name="families"),
    path("cid/<str:bus>/<str:number>/<str:name>/", fresh(families.family), name="family"),
    path("cards/<slug:key>/", fresh(cards.card), name="card"),
    path("runs/<slug:public_id>/", fresh(cards.run), name="run"),
    path("about/", TemplateView.as_view(template_name="submissions/about.html"), name="about"),
    path("boards/", fresh(boards.boards), name="boards"),
    path("boards/<slug:slug>/", fresh(boards.board), name="board"),
    path("formats/", formats.formats, name="formats"),
    path("good/", fresh(good.good), name="good"),
    path("best/<slug:board>/<slug:profile>/", fresh(best.best), name="best"),
    path("best/<slug:board>/<slug:profile>.<slug:form>", best.best_as, name="best-as"),
    path("embed/<slug:board>/<slug:profile>/", best.embed, name="embed"),
    path("compare/", compare.compare, name="compare"),
    path("decode/", limited("look")(decode.decode), name="decode"),
    path("feeds/", feeds.Everything(), name="feed"),
    path("feeds/models/<slug:slug>/", feeds.OfModel(), name="model-feed"),
    path("feeds/search/", feeds.OfSearch(), name="search-feed"),
    path("feeds/best/<slug:board>/<slug:profile>/", feeds.OfFirstPlace(), name="first-place-feed"),
    path("feeds/cid/<str:bus>/<str:number>/<str:name>/", feeds.OfFamily(), name="family-feed"),
    path("models/<slug:slug>/badge.svg", badge.badge, name="badge"),
    path("recent/", about.recent, name="recent"),
    path(
        "robots.txt",
        TemplateView.as_view(template_name="submissions/robots.txt", content_type="text/plain"),
        name="robots",
    ),
    path(".well-known/security.txt", about.security, name="security"),
    path("llms.txt", about.llms, name="llms"),
    path("sitemap-<section>.xml", sitemaps.sitemap, {"sitemaps": SITEMAPS}, name="sitemap-section"),
    path(
        "sitemap.xml",
        sitemaps.index,
        {"sitemaps": SITEMAPS, "sitemap_url_name": "sitemap-section"},
        name="sitemap",
    ),
    path("statistics/", about.statistics, name="statistics"),
    path("tour/", about.tour, name="tour"),
    path("makers/", makers.makers, name="makers"),
    path("makers/<str:bus>/<str:number>/", makers.maker, name="maker"),
    path("metrics/", metrics.metrics, name="metrics"),
    path("methods/", about.methods, name="methods"),
    path("glossary/", about.words, name="glossary"),
    path("cardbench.pyz", client.client, name="client"),
    path("privacy/", about.privacy, name="privacy"),
    path("submit/", limited(_sent)(submit.submit), name="submit"),
    path("account/", account.account, name="account"),
    path("account/sign-up/", limited("sign-up")(account.sign_up), name="sign-up"),
    path(
        "account/log-in/",
        limited("log-in", subject=account.whose_password)(account.LogIn.as_view()),
        name="log-in",
    ),
    path("account/log-out/", LogoutView.as_view(), name="log-out"),
    path(
        "account/password/",
        limited("log-in")(
            PasswordChangeView.as_view(
                template_name="account/password.html", success_url=reverse_lazy("account")
            )
        ),
        name="password",
    ),
    path("account/second-factor/", limited("log-in")(second_factor.second_factor), name="second-factor"),
    path("account/close/", limited("log-in")(account.close), name="close-account"),
    path("account/adopt/", limited("change")(account.adopt), name="adopt"),
    path("account/tokens/", limited("change")(account.make_token), name="make-token"),
    path("account/tokens/<int:pk>/revoke/", account.revoke_token, name="revoke-token"),
    path("follow/", about.follow, name="follow"),
    path("submissions/<slug:public_id>/", submission.submission, name="submission"),
    path(
        "submissions/<slug:public_id>/change/", limited("change")(ownership.change), name="change-submission"
    ),
    path(
        "submissions/<slug:public_id>/delete/", limited("change")(ownership.delete), name="delete-submission"
    ),
    path("submissions/<slug:public_id>/remark/", limited("remark")(remarks.on_submission), name="remark"),
    path("models/<slug:slug>/remark/", limited("remark")(remarks.on_model), name="remark-on-model"),
    path("submissions/<slug:public_id>/text/", submission.text, name="submission-text"),
    path("submissions/<slug:public_id>/report.json", fresh(submission.report), name="submission-report"),
]
