"""Send reports to another system that accepts results over HTTP, and that was set up by hand, for comparison.

    PEER_URL=http://127.0.0.1:8123 PEER=codespeed make bench-server

A new peer is one row: its path, the type of the body, and a function that writes one of our reports in its format.
"""

import http.client
import json
import os
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.bench.live import measure_calls, say

REPORTS = int(os.environ.get("BENCH_PEER_REPORTS", "60"))
_FORM, _JSON = "application/x-www-form-urlencoded", "application/json"


def _codespeed(report: dict[str, Any], number: int) -> bytes:
    # `/result/add/json/` of Codespeed: a form with one list of results. Environment "bench" must exist there.
    rows = [
        {
            "commitid": str(number),
            "project": "flashdb",
            "branch": "default",
            "executable": report["card"]["label"]["brand"],
            "benchmark": f"stream {index}",
            "environment": "bench",
            "result_value": measurement["values"][0],
        }
        for index, measurement in enumerate(report["measurements"])
    ]
    return urlencode({"json": json.dumps(rows)}).encode()


def _as_it_is(report: dict[str, Any], number: int) -> bytes:
    return json.dumps(report | {"number": number}).encode()


PEERS = {"codespeed": ("/result/add/json/", _FORM, _codespeed), "any": ("", _JSON, _as_it_is)}


def measure(ours: float, report: Callable[[int], bytes]) -> None:
    """Print the reports per second of the other system, and the ratio of our rate to it."""
    url, name = urlsplit(os.environ.get("PEER_URL", "")), os.environ.get("PEER", "codespeed")
    if not url.hostname:
        return say("no peer beside it: PEER_URL names one")
    path, kind, spelled = PEERS[name]
    bodies = [spelled(json.loads(report(-(10**6) - number)), number) for number in range(REPORTS)]
    calls = [partial(_post, url.netloc, url.path.rstrip("/") + path, kind, body) for body in bodies]
    calls[0]()
    measured = measure_calls(8, calls[1:])
    say(f"{name}, 8 at once: {measured}; ours is {ours / measured.rate:,.1f} times that")


def _post(host: str, path: str, kind: str, body: bytes) -> None:
    connection = http.client.HTTPConnection(host, timeout=120)
    connection.request("POST", path, body, {"Content-Type": kind})
    response = connection.getresponse()
    text = response.read()
    connection.close()
    if response.status >= 300:
        raise SystemExit(f"{host}{path} answered {response.status}: {text[:300]!r}")
