"""Addresses of the pages."""

from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.urls import path, reverse_lazy

from submissions.views import (
    account,
    cards,
    decode,
    finder,
    makers,
    ownership,
    privacy,
    runs,
    submission,
    submit,
)

urlpatterns = [
    path("", finder.finder, name="finder"),
    path("models/<slug:slug>/", cards.model, name="model"),
    path("cards/<slug:key>/", cards.card, name="card"),
    path("runs/<slug:public_id>/", runs.run, name="run"),
    path("decode/", decode.decode, name="decode"),
    path("makers/", makers.makers, name="makers"),
    path("makers/<str:bus>/<str:number>/", makers.maker, name="maker"),
    path("privacy/", privacy.privacy, name="privacy"),
    path("submit/", submit.submit, name="submit"),
    path("account/", account.account, name="account"),
    path("account/sign-up/", account.sign_up, name="sign-up"),
    path(
        "account/log-in/",
        LoginView.as_view(template_name="account/log_in.html"),
        name="log-in",
    ),
    path("account/log-out/", LogoutView.as_view(), name="log-out"),
    path(
        "account/password/",
        PasswordChangeView.as_view(
            template_name="account/password.html", success_url=reverse_lazy("account")
        ),
        name="password",
    ),
    path("account/close/", account.close, name="close-account"),
    path("account/adopt/", account.adopt, name="adopt"),
    path("account/tokens/", account.make_token, name="make-token"),
    path("account/tokens/<int:pk>/revoke/", account.revoke_token, name="revoke-token"),
    path("submissions/<slug:public_id>/", submission.submission, name="submission"),
    path("submissions/<slug:public_id>/change/", ownership.change, name="change-submission"),
    path("submissions/<slug:public_id>/delete/", ownership.delete, name="delete-submission"),
    path("submissions/<slug:public_id>/text/", submission.text, name="submission-text"),
]
