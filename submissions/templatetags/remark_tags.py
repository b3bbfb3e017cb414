"""Define the template tag for the remarks of visitors on a submission or a model."""

from typing import Any

from django import template
from django.urls import reverse

from submissions.models import CardModel, Remark, Submission

register = template.Library()

MOST_SHOWN = 20


@register.inclusion_tag("includes/remarks.html")
def remarks(about: Submission | CardModel) -> dict[str, Any]:
    """Return the counts of remarks, the published remarks, and the URL for a new remark; one query."""
    if isinstance(about, Submission):
        rows, url = Remark.objects.on(submission=about), reverse("remark", args=[about.public_id])
    else:
        rows, url = Remark.objects.on(slug=about.slug), reverse("remark-on-model", args=[about.slug])
    listed = list(rows.order_by("-made_at"))
    return {
        "tally": {kind: sum(remark.kind == kind for remark in listed) for kind in Remark.Kind.values},
        "said": [remark for remark in listed if remark.published and remark.reason][:MOST_SHOWN],
        "url": url,
    }
