"""Define template tags for the footer of all pages: links to the page in each language, and the contact."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django import template
from django.conf import settings

from submissions.pages.content.contact import contact_address

register = template.Library()
register.simple_tag(contact_address, name="contact")


class Language(NamedTuple):
    code: str
    name: str
    address: str


@register.simple_tag(takes_context=True)
def languages(context: Mapping[str, Any]) -> list[Language]:
    """Return the languages with URLs of this page; [] in a mirror, without a request, and for one language."""
    request = context.get("request")
    if request is None or hasattr(request, "mirrored") or len(settings.LANGUAGES) < 2:
        return []
    query = request.GET.copy()
    return [Language(code, name, _address(query, code)) for code, name in settings.LANGUAGES]


def _address(query: Any, code: str) -> str:
    query["lang"] = code
    return f"?{query.urlencode()}"
