"""A POST to an address that a stranger named: to the open internet alone, by https, within seconds, and no further.

The name is looked up once, every address it has must be public, and the connection goes to the address looked at, so
that a name cannot mean another machine a moment later. Redirects are not followed; of an answer only its status counts.
"""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv6Address, ip_address
from threading import Timer
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

TIMEOUT_S = 8
_PORTS = {"https": 443, "http": 80}


class NotDelivered(Exception):
    """Why, in a few words; it is tried again."""


def checked(address: str) -> SplitResult:
    """The parts of an address a webhook may have. Raises NotDelivered; asks no network."""
    try:
        url = urlsplit(address)
        port, host = url.port, url.hostname
    except ValueError:
        raise NotDelivered(_("this is no address")) from None
    if url.scheme != "https" and not (settings.HOOKS_ANYWHERE and url.scheme == "http"):
        raise NotDelivered(_("it must begin with https://"))
    if (
        not host
        or url.username
        or url.password
        or not address.isascii()
        or not address.isprintable()
        or " " in address
    ):
        raise NotDelivered(_("it needs a host, and no name, password, blank or special character"))
    if port not in (None, 443, 8443) and not settings.HOOKS_ANYWHERE:
        raise NotDelivered(_("only the ports 443 and 8443 are allowed"))
    return url


def post(address: str, content: bytes, headers: dict[str, str]) -> str:
    """-> the status, 2xx. Raises NotDelivered."""
    url = checked(address)
    sent = {"Content-Type": "application/json", "User-Agent": "flashdb", "Connection": "close"} | headers
    try:
        with _connected(url) as plain, _cut_off(plain), _secured(plain, url) as wire:
            status = _asked(wire, url, content, sent)
    except (OSError, HTTPException, ValueError) as error:
        raise NotDelivered(f"{type(error).__name__}: {error}") from error
    if not 200 <= status < 300:
        raise NotDelivered(f"it answered {status}")
    return str(status)


def _asked(wire: socket.socket, url: SplitResult, content: bytes, headers: dict[str, str]) -> int:
    connection = HTTPConnection(url.netloc)
    connection.sock = wire
    target = f"{url.path or '/'}?{url.query}" if url.query else url.path or "/"
    connection.request("POST", target, content, headers)
    return connection.getresponse().status


@contextmanager
def _cut_off(wire: socket.socket) -> Iterator[None]:
    """Whatever drips in, in the handshake or after it, ends after TIMEOUT_S."""
    with wire.dup() as same:
        cut = Timer(TIMEOUT_S, same.shutdown, [socket.SHUT_RDWR])
        cut.daemon = True
        cut.start()
        try:
            yield
        finally:
            cut.cancel()
            cut.join()


def _connected(url: SplitResult) -> socket.socket:
    place = _looked_up(str(url.hostname), _port(url))
    return socket.create_connection((place, _port(url)), timeout=TIMEOUT_S)


def _secured(plain: socket.socket, url: SplitResult) -> socket.socket:
    if url.scheme == "http":
        return plain
    return ssl.create_default_context().wrap_socket(plain, server_hostname=url.hostname)


def _port(url: SplitResult) -> int:
    return url.port or _PORTS[url.scheme]


def _looked_up(host: str, port: int) -> str:
    """The first of its addresses, when all of them are public. Raises NotDelivered."""
    places = [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    if not settings.HOOKS_ANYWHERE and not all(map(is_public, places)):
        raise NotDelivered("its address is not on the open internet")
    return places[0]


def is_public(place: str) -> bool:
    """Whether an IP address belongs to the open internet, and so does the IPv4 address that it may carry."""
    address = ip_address(place.partition("%")[0])
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            return is_public(str(inner))
        if address.teredo or int(address) >> 32 == 0x64FF9B << 64:  # NAT64: behind it may be anything
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved
