"""Return URLs for messages to the operator, which a browser opens; "" if the settings have no contact."""

from django.conf import settings


def contact_address() -> str:
    return _make_link(settings.CONTACT or settings.SECURITY_CONTACT)


def security_address() -> str:
    return _make_link(settings.SECURITY_CONTACT)


def _make_link(address: str) -> str:
    return f"mailto:{address}" if "@" in address and "://" not in address else address
