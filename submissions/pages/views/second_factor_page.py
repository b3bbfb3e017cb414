"""Ask moderators for a second factor before they may open the admin."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from submissions.pages.forms.account_forms import CodeForm
from submissions.pages.views.account_pages import Member
from submissions.pages.views.parts import render_form
from submissions.visitors import second_factor as factors
from submissions.visitors.credentials import find_refusal, remember_factor
from submissions.visitors.permissions import Act


@never_cache
@sensitive_post_parameters()
def second_factor(request: Member) -> HttpResponse:
    """Ask a moderator for a code of the second factor, or set the second factor up.

    A moderator who has verified the second factor may replace it.
    """
    if "another" in request.POST and _is_verified(request):
        factors.delete_devices(request.user)
        return redirect("second-factor")
    form = CodeForm(request.POST or None)
    return _ask(request, form) if factors.is_set_up(request.user) else _set_up(request, form)


def _ask(request: Member, form: CodeForm) -> HttpResponse:
    if form.is_valid():
        if device := factors.verify(request.user, form.cleaned_data["code"]):
            remember_factor(request, device)
            return redirect(_read_next(request))
        form.add_error("code", _("This code is wrong. After several wrong codes, wait a minute."))
    return _show(request, "account/second_factor.html", form, is_verified=_is_verified(request))


def _set_up(request: Member, form: CodeForm) -> HttpResponse:
    if form.is_valid():
        device, codes = factors.confirm(request.user, form.cleaned_data["code"])
        if device:
            remember_factor(request, device)
            return _show(request, "account/backup_codes.html", form, codes=codes)
        form.add_error("code", _("The app shows a different code now. Is your phone’s clock right?"))
    key, address = factors.start_setup(request.user)
    return _show(request, "account/set_up_factor.html", form, key=key, address=address)


def _is_verified(request: HttpRequest) -> bool:
    return find_refusal(request, Act.ADMINISTER) is None


def _read_next(request: HttpRequest) -> str:
    """Return the URL of the page to open afterwards, never of another site."""
    wish = request.POST.get("next", request.GET.get("next", ""))
    is_ours = url_has_allowed_host_and_scheme(wish, {request.get_host()}, require_https=request.is_secure())
    return wish if is_ours else resolve_url("account")


def _show(request: HttpRequest, template: str, form: CodeForm, **more: Any) -> HttpResponse:
    return render_form(request, template, {"form": form, "next": _read_next(request)} | more)
