"""Serve the metrics for Prometheus."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from submissions import counters


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Show counters and the state of the queue to Prometheus, on this machine or with METRICS_TOKEN."""
    return HttpResponse(counters.render_metrics(), content_type="text/plain; version=0.0.4; charset=utf-8")
