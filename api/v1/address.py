"""What an address says of a text that another tool printed: the label of the card, its condition, a note."""

from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter

from api.v1.schema import CLAIMS_SCHEMA, LONGEST_NOTE
from submissions.domain.errors import ReportError
from submissions.domain.intake import pasted

LABEL = OpenApiParameter(
    "label",
    CLAIMS_SCHEMA,
    style="form",
    explode=True,
    description="each a parameter of its own, as ?brand=Kingston&capacity_gb=4: what the label says of the card that a"
    " pasted text is about. A report says so itself. Besides, `answer.KEY` answers what POST /api/v1/parse/ asks.",
)


def claims(query: QueryDict) -> pasted.Claims:
    """Raises ReportError for nonsense."""
    for name, values in query.lists():
        if len(values) > 1:
            raise _unreadable(name, f"“{name[:60]}” is given {len(values)} times")
    if len(query.get("note", "")) > LONGEST_NOTE:
        raise _unreadable(
            "note", f"A note in an address has at most {LONGEST_NOTE} letters; amend the submission"
        )
    return pasted.claims_of({name: query[name] for name in query})


def _unreadable(name: str, detail: str) -> ReportError:
    return ReportError(f"{detail}.", field=name[:60], code="wrong_label")
