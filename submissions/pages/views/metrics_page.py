"""/metrics/: for Prometheus."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from submissions import counters
from submissions.visitors import visitor


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Counters and the state of the queue; for this machine, and for requests that bring METRICS_TOKEN."""
    if not (visitor.identify(request).is_local or _brings_token(request)):
        raise Http404
    return HttpResponse(counters.render_metrics(), content_type="text/plain; version=0.0.4; charset=utf-8")


def _brings_token(request: HttpRequest) -> bool:
    brought = request.headers.get("Authorization", "").removeprefix("Bearer ")
    token: str = settings.METRICS_TOKEN
    return bool(token) and constant_time_compare(brought, token)
