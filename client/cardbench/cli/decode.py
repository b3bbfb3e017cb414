"""`identify`: what a card says of itself; with --server also what a server, which stores nothing, makes of it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import Any

from cardbench.cli import show, subject
from cardbench.errors import DeviceError, ServerRefused
from cardbench.server import http
from cardbench.server.request import Request, Server
from cardbench.target import identity, sysfs

PATH = "/api/v1/decode/"


def identify(arguments: argparse.Namespace) -> int:
    """Shows the registers of a card; with --server also what the server makes of them."""
    tree = sysfs.Sysfs(arguments.sysfs)
    disk = subject.find_block(tree, arguments.device).disk
    answer = {"card": identity.card(tree, disk), "host": identity.host(tree, disk)}
    page = show.identity(answer["card"], answer["host"])
    if arguments.server:
        answer["decoded"] = ask(arguments.server, answer["card"])
        page += "\n".join(lines(answer["decoded"])) + "\n"
    print(json.dumps(answer, ensure_ascii=False) + "\n" if arguments.json else page, end="")
    return 0


def ask(server: str, card: Mapping[str, Any]) -> dict[str, Any]:
    """Posts the registers of `card` -> the server's decode.

    Raises DeviceError (a reader hides the registers), UsageError, ServerRefused, ServerNotReached.
    """
    if not card.get("registers"):
        raise DeviceError(
            "This disk shows no registers; put the card into a slot instead of a reader.", code="ENODATA"
        )
    surroundings = {name: card[name] for name in ("bus", "size_bytes") if name in card}
    return _post(server, json.dumps(surroundings | dict(card["registers"])).encode())


def _post(server: str, body: bytes) -> dict[str, Any]:
    once = Server(server, attempts=1)
    answer = http.document(http.ask(Request(PATH, "POST", body), once), once)
    if isinstance(answer, dict) and isinstance(answer.get("suspicions"), list):
        return answer
    raise ServerRefused(f"{server} answered, but not with a decode. Is it a flashdb server?")


def lines(decoded: Mapping[str, Any]) -> Iterator[str]:
    """The decode for people; both readings when the server could not tell SD from MMC."""
    yield ""
    for reading in decoded.get("readings") or [decoded]:
        yield from _reading_lines(reading)


def _reading_lines(reading: Mapping[str, Any]) -> Iterator[str]:
    maker = reading.get("maker") or {}
    yield f"  {reading.get('sentence') or 'These registers name neither a maker nor a size.'}"
    if maker.get("brands"):
        yield f"  Brands seen with these numbers: {', '.join(maker['brands'])}; only the label tells which."
    for conflict in maker.get("conflicts", ()):
        yield f"  Another source says: {conflict}"
    for product in reading.get("products", ()):
        yield f"  Products of this name: {product['brand']} {product['line']}"
    for finding in reading.get("findings", ()):
        yield f"  {finding['register'].upper()}: {finding['detail']}"
    if reading.get("verdict"):
        yield f"  Verdict: {reading['verdict']}"
    for suspicion in reading["suspicions"]:
        yield f"  - {suspicion['reason']}"
