"""No URL of the site publishes the serial number of a card, in any spelling, or the name of a sender.

The test starts at every URL without a parameter and follows every link of a page or an API response; dumps are
unpacked. So a new page, feed or dump is checked without being listed here. Because this takes long, it is done once,
together with the private words of tests/security/test_private_placements.py on the same site.
"""

import gzip
import html
import io
import json
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from urllib.parse import unquote, urljoin, urlsplit

import duckdb
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, resolve

from submissions.domain.pasting.pasted import Claims
from submissions.domain.report import Label
from submissions.models import Submission
from submissions.writing import ingest
from tests.factories import body, rand_write, report, seq_read, specimen, uuid

pytestmark = pytest.mark.django_db

# Each serial number would be found in a report, in a pasted text and in prose.
SERIALS = (0x35338909, 0xDEC0DE01, 0xA1B2C3D4, 3141592653)
PEOPLE = ("jane.roe", "bigbox", "192.168.7.77", "b8:27:eb:12:34:56", "janes-secret", "9d8a2f4b5a6c")
_OUTSIDE = ("/admin/", "/static/", "/account/")
# Filters have too many combinations to read all; a table of products has a page for each row, in every language.
_MOST, _MOST_OF_A_ROUTE, _MOST_OF_A_PATH = 2400, 45, 4
# The form shows the sender's own text again, with lines that no reader of the site will see.
OWN = re.compile(r'<textarea.*?</textarea>|<li [^>]*class="unpublished">.*?</li>', re.DOTALL)
_LINK = re.compile(r"""(?:href|src|action|hx-get)=["']([^"'#]+)|"((?:https?://testserver)?/[^"\s\\]*)\"""")


def cid(serial: int) -> str:
    return str(specimen(serial)["registers"]["cid"])


def spell_serial(serial: int) -> list[str]:
    """Return the spellings of a serial number: hex, with its bytes separated or reversed, decimal, and binary."""
    pairs = re.findall("..", f"{serial:08x}")
    return [
        f"{serial:08x}",
        *(mark.join(pairs) for mark in " :-,"),
        "".join(reversed(pairs)),
        str(serial),
        f"{serial:b}",
    ]


def pasted_text(serial: int) -> str:
    return (
        f"jane.roe@bigbox:~$ cat /home/janes-secret/log\ncid: {cid(serial)}\nserial: 0x{serial:08x}\n"
        f"the card {serial} of mine, {cid(serial).upper()}\nether b8:27:eb:12:34:56 inet 192.168.7.77\n"
        f"PARTUUID 12345678-1234-1234-1234-9d8a2f4b5a6c\n"
        f"jane.roe@bigbox:~$ sudo hdparm -t --direct /dev/mmcblk0 # {serial}\n"
        " Timing O_DIRECT disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec\n"
    )


@pytest.fixture(name="filed")
def store_reports() -> None:
    file_reports()


def file_reports() -> None:
    """Store four reports with serial numbers: with a note, pasted as text, refused, and with a broken register."""
    note = f"serial {SERIALS[0]}, that is {SERIALS[0]:08x}; write to jane.roe@bigbox.example"
    label = {"brand": "Kingston", "line": f"no. {SERIALS[0]:08x}", "bought_at": "C:\\Users\\janes-secret\\x"}
    for number, card in ((1, specimen(SERIALS[0], label=label)), (2, specimen(SERIALS[1]))):
        given = body(uuid=uuid(number), card=card, note=note, measurements=[rand_write(), seq_read()])
        ingest.process(ingest.receive(given, channel="api", submitter=str(number)).submission.pk)
    claims = Claims(label=Label(brand="Kingston"), note=f"{SERIALS[2]:x} is mine")
    text = pasted_text(SERIALS[2]).encode()
    ingest.process(ingest.receive_parts(text, [claims], channel="page", submitter="3")[0].submission.pk)
    odd = {"cid": cid(SERIALS[3])[:-1], "csd": "zz"}
    for number, brand in ((4, "Kingston"), (5, "")):
        broken = report()["card"] | {"registers": odd, "label": {"brand": brand}}
        given = body(uuid=uuid(number), card=broken, note=f"cid {cid(SERIALS[3])}")
        ingest.process(ingest.receive(given, channel="api", submitter=str(number)).submission.pk)
    assert Submission.objects.filter(state="processed").count() == 4


def list_addresses(resolver: URLResolver, prefix: str = "/") -> Iterator[str]:
    """Yield the path of every URL of the site that needs no parameter."""
    for pattern in resolver.url_patterns:
        route = str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from list_addresses(pattern, prefix + route)
        elif isinstance(pattern, URLPattern) and not re.search(r"[<^(]", route):
            yield prefix + route


def unpack_texts(content: bytes) -> Iterator[str]:
    """Yield the texts in the body of a response, unpacked if it is an archive."""
    if content[:4] == b"PAR1":
        yield read_parquet(content)
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            yield from (packed.read(name).decode("utf-8", "replace") for name in packed.namelist())
    yield content.decode("utf-8", "replace")


def read_parquet(parquet: bytes) -> str:
    """Return the rows of a parquet file as text."""
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        file.write(parquet)
        file.flush()
        rows = duckdb.execute("SELECT COLUMNS(*)::VARCHAR FROM read_parquet(?)", [file.name])
        return str(rows.fetchall())


def find_links(text: str, base: str) -> Iterator[str]:
    for found in _LINK.finditer(text):
        address = urlsplit(urljoin(f"http://testserver{base}", html.unescape(found[1] or found[2])))
        is_here = address.netloc == "testserver" and not address.path.startswith(_OUTSIDE)
        if is_here and "lang=" not in address.query:
            yield address.path + (f"?{address.query}" if address.query else "")


def route_of(address: str) -> str:
    try:
        return resolve(urlsplit(address).path).route
    except Resolver404:
        return ""


def walk_site(client: Client) -> Iterator[tuple[str, str]]:
    """Yield the URL and the response text, headers included, of everything that links lead to."""
    waiting = [one for one in list_addresses(get_resolver()) if not one.startswith(_OUTSIDE)]
    seen: set[str] = set()
    paths, routes = Counter[str](), Counter[str]()
    while waiting and len(seen) < _MOST:
        address = waiting.pop(0)
        path, route = urlsplit(address).path, route_of(address)
        if address in seen or paths[path] == _MOST_OF_A_PATH or routes[route] == _MOST_OF_A_ROUTE:
            continue
        paths[path] += 1
        routes[route] += 1
        response = client.get(address)
        content = b"".join(response) if response.streaming else response.content
        text = "\n".join([*unpack_texts(content), *(f"{k}: {v}" for k, v in response.items())])
        seen.add(address)
        yield address, text
        waiting += [one for one in find_links(text, address) if one not in seen]


def find_traces(text: str, traces: list[str]) -> list[str]:
    lower = unquote(html.unescape(text)).lower()
    return [trace for trace in traces if trace in lower]


def assert_no_trace(seen: Mapping[str, str]) -> None:
    """Assert that no response contains a serial number or name of `file_reports`, and that the walk was complete."""
    traces = [trace for serial in SERIALS for trace in spell_serial(serial)] + list(PEOPLE)
    assert {address: found for address, text in seen.items() if (found := find_traces(text, traces))} == {}
    for kind in (
        "/models/",
        "/cards/",
        "/runs/",
        "/submissions/",
        "/makers/",
        "/api/v1/cards/",
        "/api/v1/runs/",
    ):
        assert any(address.startswith(kind) and len(address) > len(kind) for address in seen), kind
    assert any(address.endswith("/text/") for address in seen)
    assert any(address.endswith("/report.json") for address in seen)
    files = [address for address in seen if re.search(r"/dumps/.+\.(gz|zip|csv|jsonl|parquet)", address)]
    assert files, "no file of a dump was looked at"
    assert len(seen) < _MOST, "the walk did not come to its end"


def test_the_walk_would_see_it(client: Client, filed: None) -> None:
    Submission.objects.exclude(published="").update(published=f"it is {SERIALS[2]}")
    assert any(find_traces(text, spell_serial(SERIALS[2])) for _, text in walk_site(client))


@pytest.mark.parametrize("serial", SERIALS)
def test_asking_tells_nobody_either(client: Client, filed: None, serial: int) -> None:
    """A response to a text contains no serial number, except in that text itself and its lines marked as private.

    Only a parsed report contains the registers from which it was made. No cache keeps either.
    """
    asked = {"cid": cid(serial)}
    answers = [
        client.post("/api/v1/decode/", json.dumps(asked), content_type="application/json"),
        client.post("/decode/", {"text": cid(serial)}),
        client.post("/submit/", {"file": SimpleUploadedFile("x", pasted_text(serial).encode()), "look": "1"}),
        client.post("/api/v1/submissions/?brand=x", pasted_text(serial), content_type="text/plain"),
    ]
    for answer in answers:
        shown = OWN.sub("", answer.content.decode())
        assert answer.status_code in (200, 202) and find_traces(shown, [*spell_serial(serial), *PEOPLE]) == []
        assert answer.headers["Cache-Control"] == "private, no-store"
