"""Who is asking."""

from rest_framework.request import Request


def client_address(request: Request) -> str:
    """Address of the peer. A proxy in front is expected to set REMOTE_ADDR (gunicorn: --forwarded-allow-ips)."""
    return str(request.META.get("REMOTE_ADDR") or "unknown")
