"""Where visitors may write to, as an address that a browser opens; "" when the operator has not said."""

from django.conf import settings


def general() -> str:
    return _opened(settings.CONTACT or settings.SECURITY_CONTACT)


def about_security() -> str:
    return _opened(settings.SECURITY_CONTACT)


def _opened(address: str) -> str:
    return f"mailto:{address}" if "@" in address and "://" not in address else address
