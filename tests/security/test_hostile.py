"""Reports and requests of an attacker do no harm."""

import ast
import gzip
import json
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from msgspec import inspect

from submissions.domain.report import Report
from submissions.models import Run, Submission
from submissions.writing import ingest
from tests.conftest import PROJECT
from tests.factories import body, report, specimen, uuid
from tests.security.routes import PUBLIC, ROWS
from tests.security.test_access import NAMES, address
from tests.security.world import World, build, state

pytestmark = pytest.mark.django_db

URL = "/api/v1/submissions/"
MARKUP = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7|add:7 }}"


# Tests of markup in every text of a report.


def find_text_fields(kind: inspect.Type, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of every report field that accepts free text."""
    if isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.UnionType):
        kind = next((inner for inner in kind.types if not isinstance(inner, inspect.NoneType)), kind)
    if isinstance(kind, inspect.StructType):
        for field in kind.fields:
            yield from find_text_fields(field.type, (*path, field.encode_name))
    elif isinstance(kind, inspect.StrType) and _takes(MARKUP, kind):
        yield path


def _takes(text: str, kind: inspect.StrType) -> bool:
    meta = msgspec.Meta(max_length=kind.max_length, min_length=kind.min_length, pattern=kind.pattern)
    try:
        msgspec.convert(text, Annotated[str, meta])
    except msgspec.ValidationError:
        return False
    return True


TEXTS = [path for path in find_text_fields(inspect.type_info(Report)) if path[:2] != ("card", "registers")]


def make_hostile_report() -> bytes:
    document = report(uuid=uuid(77), card=specimen(77))
    for path in TEXTS:
        part = document
        for name in path[:-1]:
            part = part.setdefault(name, {})
        part[path[-1]] = MARKUP
    return json.dumps(document).encode()


def test_many_fields_take_text() -> None:
    assert {("card", "label", "brand"), ("host", "board"), ("note",), ("source", "author")} <= set(TEXTS)


def test_markup_in_a_report_stays_text_on_every_page(admin_client: Client) -> None:
    submission = ingest.receive(make_hostile_report(), channel="api", submitter="x").submission
    ingest.process(submission.pk)
    submission.refresh_from_db()
    assert submission.state == "processed"
    world = World(submission, "", {})
    texts = [name for name in PUBLIC if name in NAMES and not name.startswith("api-") and name != "client"]
    pages = [address(name, world) for name in texts]
    pages += [f"{submission.get_absolute_url()}{verb}/" for verb in ("change", "delete", "remark")]
    pages += [
        f"/admin/submissions/{noun}/" for noun in ("submission", "cardmodel", "card", "variant", "auditentry")
    ]
    for url in pages:
        page = admin_client.get(url).content.decode()
        assert "<script>alert" not in page and "<img src=x" not in page, url


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//evil.example", 'https://x" y'])
def test_a_source_is_a_web_address_or_nothing(client: Client, url: str) -> None:
    sent = body(source={"title": "x", "url": url})
    assert client.post(URL, sent, content_type="application/json").status_code == 400


# Tests of harmful shapes.


@pytest.mark.parametrize(
    "sent",
    [
        gzip.compress(body()),  # a bomb would have to be unpacked, and nothing is
        b'{"format":' * 50_000,
        b"[" * 1_000_000,
        body().replace(b"1500.0", b"1" * 100_000),
        body().replace(b"1500.0", b"-1e-400000"),
        body().replace(b"3904897024", b"9" * 30),
        body().replace(b"3904897024", b"-1"),
        b"\xff\xfe" + body(),
        b"\x00" * 1000,
    ],
)
def test_it_is_refused_in_words(client: Client, sent: bytes) -> None:
    answer = client.post(URL, sent, content_type="application/json")
    assert answer.status_code in (400, 413) or Submission.objects.get().state == "received"
    if answer.status_code != 202:
        assert answer.json()["error"]["detail"]
    else:
        ingest.process(Submission.objects.get().pk)
        assert Submission.objects.get().state in ("processed", "held", "rejected")


def test_of_a_field_told_twice_the_last_counts(client: Client) -> None:
    """Only one part of the site reads the whole report, so all parts see the same value."""
    twice = body(uuid=uuid(1)).replace(b'"uuid"', b'"note": "first", "note": "last", "uuid"')
    assert client.post(URL, twice, content_type="application/json").status_code == 202
    ingest.process(Submission.objects.get().pk)
    assert Run.objects.get().note == "last"


def test_a_file_is_not_stored_under_its_name(client: Client) -> None:
    """An uploaded file is read, and never written to a path that the sender names."""
    file = SimpleUploadedFile("../../../etc/cron.d/evil", body())
    assert client.post("/submit/", {"file": file}).status_code == 302
    assert Submission.objects.count() == 1


# Tests of the parts of a URL.

NASTY = [
    "' OR 1=1 --",
    "\x00",
    "../../etc/passwd",
    "9" * 400,
    "NaN",
    "\ud7ff\u202e",
    "a" * 5000,
    "-submission__body__contains",
]
ON_PAGES = (
    "q",
    "profile",
    "interface",
    "board",
    "bus",
    "capacity",
    "m",
    "page",
    "kind",
    "brand",
    "maker",
    "next",
    "add",
    "before",
)


def list_queries(client: Client, nasty: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield every parameter of every list separately, as the schema names it, and all parameters of a page together."""
    world = build()
    for name in sorted(set(PUBLIC) & set(NAMES)):
        if not name.startswith("api-"):
            yield address(name, world), dict.fromkeys(ON_PAGES, nasty)
    paths = client.get("/api/v1/schema/?format=json").json()["paths"]
    for url, methods in paths.items():
        for parameter in methods.get("get", {}).get("parameters", []):
            if parameter["in"] == "query":
                yield url, {parameter["name"]: nasty}


@pytest.mark.parametrize("nasty", NASTY)
def test_no_parameter_breaks_or_changes_anything(client: Client, nasty: str) -> None:
    asked = list(list_queries(client, nasty))
    before = state()
    for url, sent in asked:
        assert client.get(url, sent).status_code in (200, 302, 400, 404), (url, sent)
    assert state() == before and len(asked) > 50


@pytest.mark.parametrize("path", ["/", "/submit/", "/api/v1/models/", "/nothing/"])
def test_no_number_of_parameters_breaks_anything(client: Client, path: str) -> None:
    answer = client.get(path, {f"a{number}": "1" for number in range(1_500)})
    assert (answer.status_code, b"at most 1,000" in answer.content) == (400, True)


@pytest.mark.parametrize("path", ["/feeds/search/", "/api/v1/models/", "/nothing/"])
def test_no_length_of_an_address_breaks_anything(client: Client, path: str) -> None:
    answer = client.get(path, {"q": "sandsik " * 3_000})
    assert (answer.status_code, b"at most 4,096 characters" in answer.content) == (400, True)


@pytest.mark.parametrize("cookie", ["sessionid", "csrftoken", "django_language"])
@pytest.mark.parametrize("nasty", ['"aaaaaaaa\\000"', "a" * 4_000, "é" * 32])
def test_no_cookie_breaks_anything(client: Client, cookie: str, nasty: str) -> None:
    for path in ("/", "/submit/", "/account/"):
        answer = client.get(path, headers={"Cookie": f"{cookie}={nasty}"})
        assert answer.status_code in (200, 302), path


@pytest.mark.parametrize("nasty", ["nobody", "a" * 500, "-", "__class__"])
def test_no_address_breaks(nasty: str, client: Client) -> None:
    world = build()
    for name in NAMES:
        where = {key: nasty for key in ROWS[name].where(world) if key != "pk"}
        if where:
            assert client.get(reverse(name, kwargs=where)).status_code in (200, 302, 404, 405), name


# Test that the server sends no request.


def test_the_server_opens_no_connection_of_its_own() -> None:
    """No visitor can make the server send a request (SSRF), because its code sends none."""
    clients = {
        *("requests", "httpx", "urllib3", "aiohttp", "http.client", "urllib.request", "ftplib", "smtplib"),
        *("socket", "ssl", "asyncio", "django.core.mail"),
    }
    ours = {path for room in ("api", "submissions") for path in (PROJECT / room).rglob("*.py")}
    for path in ours:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[Any] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            assert not clients & set(names), path
