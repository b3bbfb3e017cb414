"""Serve the pages of accounts: sign up, log in, list own submissions, make tokens. A submission needs no account."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from submissions.models import ApiToken, Submission
from submissions.pages.forms.account_forms import AdoptForm, CloseForm, SignUpForm, TokenForm
from submissions.pages.views.about_pages import SUBMISSIONS_PER_PAGE
from submissions.pages.views.parts import get_inputs, render_form
from submissions.visitors import accounts, limits, visitor
from submissions.visitors.credentials import find_device, find_refusal
from submissions.visitors.permissions import ACTS_OF_SCOPES


class Member(HttpRequest):
    """A request of a user who has logged in; the middleware in `permitting` refuses other requests."""

    user: User


@sensitive_post_parameters()
def sign_up(request: HttpRequest) -> HttpResponse:
    """Show the form to sign up, or make an account and log in."""
    form = SignUpForm(get_inputs(request))
    if form.is_valid():
        login(request, form.save())
        return redirect("account")
    return render_form(request, "account/sign_up.html", {"form": form})


def read_user_name(request: HttpRequest) -> str:
    """Return the name of the account for which the request tries a password; the account may not exist."""
    return request.POST.get("username", "").strip().casefold()[:150]


class LogIn(LoginView):
    template_name = "account/log_in.html"

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        limits.remember_login(read_user_name(self.request), visitor.identify(self.request))
        return super().form_valid(form)


@never_cache
def account(request: Member) -> HttpResponse:
    """Show the submissions and tokens of the user."""
    return _render_account(request)


@never_cache
@require_POST
def make_token(request: Member) -> HttpResponse:
    """Make a token for the API and show its secret, which is never shown again."""
    form = TokenForm(request.POST)
    if form.is_valid() and any(
        find_refusal(request, ACTS_OF_SCOPES[one]) for one in form.cleaned_data["scopes"]
    ):
        form.add_error("scopes", _("To do this, log in with your second factor first: open the admin page."))
    if form.is_valid():
        with form.show_refusals():
            _token, secret = accounts.make_token(
                request.user, device=find_device(request), **form.cleaned_data
            )
            return _render_account(request, secret=secret)
    return _render_account(request, token_form=form)


@require_POST
def revoke_token(request: Member, pk: int) -> HttpResponse:
    accounts.revoke_token(request.user, pk)
    messages.success(request, _("The token no longer works."))
    return redirect("account")


@never_cache
@require_POST
def adopt(request: Member) -> HttpResponse:
    """Give a submission to the user's account, by the delete key of the submission."""
    form = AdoptForm(request.POST)
    if form.is_valid():
        with form.show_refusals():
            accounts.adopt(request.user, **form.cleaned_data)
            messages.success(request, _("Submission %(public_id)s is yours now.") % form.cleaned_data)
            return redirect("account")
    return _render_account(request, adopt_form=form)


@never_cache
@sensitive_post_parameters()
def close(request: Member) -> HttpResponse:
    """Delete the user's account after asking for the password."""
    form = CloseForm(request.user, get_inputs(request))
    if form.is_valid():
        accounts.close_account(request.user, with_submissions=bool(form.cleaned_data["with_submissions"]))
        logout(request)
        return redirect("finder")
    return render_form(request, "account/close.html", {"form": form})


def _render_account(request: Member, *, secret: str = "", **refused_forms: forms.Form) -> HttpResponse:
    mine = Submission.objects.recent().filter(account=request.user)
    # The base template lists the errors of `form` above the page.
    refused = next(iter(refused_forms.values()), None)
    context: dict[str, Any] = {
        "submissions": Paginator(mine, SUBMISSIONS_PER_PAGE).get_page(request.GET.get("page")),
        "tokens": ApiToken.objects.live().filter(account=request.user).order_by("name", "pk"),
        "secret": secret,
        "token_form": TokenForm(),
        "adopt_form": AdoptForm(),
        "form": refused,
    }
    return render(request, "account/account.html", context | refused_forms, status=400 if refused else 200)
