"""Following something: the form, and the page of one subscription, which its secret opens."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from submissions import tasks
from submissions.following import outbox
from submissions.following.kinds import KINDS, UnknownSubject, state_of
from submissions.models import Subscription
from submissions.pages.forms.following import FollowForm, subject_of
from submissions.visitors import visitor

_LISTED = 20


def follow(request: HttpRequest) -> HttpResponse:
    """GET: the form for what the address names. POST: ask the address whether it wants that."""
    own = subject_of(request.GET)
    try:
        state = state_of(**own)
    except UnknownSubject as error:
        raise Http404 from error
    form = FollowForm(request.POST if request.method == "POST" else None)
    context = own | _titles(**own) | {"form": form, "now": state}
    if request.method == "POST" and form.is_valid():
        return _subscribed(request, own, context)
    return render(request, "submissions/follow.html", context, status=400 if form.errors else 200)


def _subscribed(request: HttpRequest, own: dict[str, str], context: dict[str, Any]) -> HttpResponse:
    form: FollowForm = context["form"]
    try:
        subscription = outbox.subscribe(
            outbox.follow(**own),
            **form.cleaned_data,
            submitter=visitor.submitter(request),
            site=request.build_absolute_uri("/").rstrip("/"),
            language=get_language() or "en",
        )
    except outbox.TooMany:
        form.add_error(None, _("That is enough for one person or one address: end something else first."))
        return render(request, "submissions/follow.html", context, status=400)
    tasks.tell_soon()
    if subscription and subscription.channel == Subscription.Channel.HOOK:
        return redirect(subscription)
    return render(request, "submissions/follow.html", context | {"asked": True})


def following(request: HttpRequest, secret: str) -> HttpResponse:
    """GET: the state and the last deliveries. POST: confirm. Looking confirms nothing: mail programs look, too."""
    subscription = get_object_or_404(Subscription.objects.select_related("followed"), secret=secret)
    is_hook = subscription.channel == Subscription.Channel.HOOK
    if request.method == "POST":
        if not is_hook:  # a webhook confirms by its answer
            outbox.confirm(subscription)
        return redirect(subscription)
    followed = subscription.followed
    deliveries = subscription.deliveries.select_related("event__followed").order_by("-pk")[:_LISTED]
    context = _titles(followed.kind, followed.subject) | {
        "subscription": subscription,
        "is_hook": is_hook,
        "deliveries": [(one, outbox.words(one.event) if one.event else "") for one in deliveries],
    }
    answer = render(request, "submissions/following.html", context)
    answer.headers["X-Robots-Tag"] = "noindex"
    answer.headers["Cache-Control"] = "private, no-store"  # it shows a key
    return answer


def _titles(kind: str, subject: str) -> dict[str, Any]:
    return {"title": KINDS[kind].title, "subject_words": KINDS[kind].subject(subject)}


@csrf_exempt
def stop(request: HttpRequest, secret: str) -> HttpResponse:
    """RFC 8058: a mail program POSTs here without a cookie; the secret is the permission. The address is deleted."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    Subscription.objects.filter(secret=secret).delete()
    return render(request, "submissions/unfollowed.html")
