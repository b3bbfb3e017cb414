"""/metrics/: for Prometheus."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from submissions import counters


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Counters and the state of the queue; for this machine, and for requests that bring METRICS_TOKEN."""
    return HttpResponse(counters.render_metrics(), content_type="text/plain; version=0.0.4; charset=utf-8")
