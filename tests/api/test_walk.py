"""Rules that hold for every URL of the API.

Its index lists the URL, the URL uses or refuses every parameter, GET has an ETag, and headers show the rate limit.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver

from submissions.dumps import shelf
from submissions.models import Run
from tests.api.test_lists import card
from tests.performances import add_performance
from tests.security.actors import MODERATOR
from tests.security.routes import ROWS
from tests.security.world import World, build

pytestmark = pytest.mark.django_db(transaction=True)
METHODS = ("get", "post", "put", "patch", "delete")
# Parameters that a URL requires.
NEEDED = {"api-search": {"q": "kingston"}, "api-compare": {"models": "{slug}"}}
# This URL accepts the label of a card as parameters, and refuses an unknown name with another code.
LABELLED = ("api-submissions", "POST")


@pytest.fixture
def world(settings: Any, tmp_path: Any) -> World:
    settings.MEDIA_ROOT = str(tmp_path)
    world = build()
    shelf.add_dump()
    return world


def addresses(world: World) -> dict[str, str]:
    """Return the URL paths of the API by name."""
    resolver = get_resolver("api.v1.urls")
    found: dict[str, str] = {}
    for name in {key for key in resolver.reverse_dict if isinstance(key, str)}:
        arguments = ROWS[name].where(world)
        if name == "api-dump-file":
            arguments = {"version": shelf.dumps()[0].row.version, "name": "SHA256SUMS"}
        found[name] = f"/api/v1/{resolver.reverse(name, **arguments)}"
    return found


def read(world: World) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the name, the path and the required parameters of every URL that answers GET."""
    for name, address in addresses(world).items():
        needed = {key: value.format(slug=world.model.slug) for key, value in NEEDED.get(name, {}).items()}
        if Client().get(address, needed).status_code == 200:
            yield name, address, needed


def test_the_index_names_every_address(client: Client, world: World) -> None:
    index = client.get("/api/v1/").json()
    schema = client.get("/api/v1/schema/?format=json").json()
    listed = {(one["method"], one["url"].removeprefix("http://testserver")) for one in index["endpoints"]}
    described = {(method.upper(), path) for path, methods in schema["paths"].items() for method in methods}
    assert listed == described and ("GET", "/api/v1/picks/") in listed
    assert all(one["does"] for one in index["endpoints"])
    assert {"name": "read", "count": 3600, "seconds": 3600} in index["limits"]
    assert client.get(index["policy"].removeprefix("http://testserver")).status_code == 200


def test_every_address_refuses_what_it_does_not_know(world: World) -> None:
    moderator = world.clients[MODERATOR]
    for name, address in addresses(world).items():
        allowed = moderator.options(address).headers.get("Allow", "GET").lower()
        for method in METHODS:
            if method not in allowed or (name, method.upper()) == LABELLED:
                continue
            answer = moderator.generic(method.upper(), f"{address}?colour=red", b"{}", "application/json")
            assert answer.status_code == 400, (method, address, answer.status_code)
            assert json.loads(answer.content)["error"]["code"] == "unknown_parameter", (method, address)


def test_every_parameter_is_used(client: Client, world: World) -> None:
    """A senseless value is refused, and a text that matches no row gives an empty list."""
    schema = client.get("/api/v1/schema/?format=json").json()
    tried = 0
    for name, address, needed in read(world):
        operation: dict[str, Any] = next(
            (
                schema["paths"][path]["get"]
                for path in schema["paths"]
                if get_resolver().resolve(path.replace("{", "").replace("}", "")).url_name == name
                and "get" in schema["paths"][path]
            ),
            {"parameters": []},
        )
        for parameter in operation.get("parameters", []):
            if parameter["in"] != "query" or parameter["name"] in needed:
                continue
            answer = client.get(address, needed | {parameter["name"]: "zzz-9"})
            is_empty = answer.status_code == 200 and not answer.json().get("results", True)
            is_for_another = parameter["name"] in ("price_currency", "currency")
            assert answer.status_code in (400, 404) or is_empty or is_for_another, (
                address,
                parameter["name"],
            )
            tried += 1
    assert tried > 80


def _answers_304(client: Client, address: str, needed: Any) -> bool:
    # One attempt may fail, because another test on this server may change the response between two requests.
    first = client.get(address, needed)
    etag = {"If-None-Match": first.headers["ETag"]}
    return bool(client.get(address, needed, headers=etag).status_code == 304)


def test_whatever_is_read_has_an_etag(client: Client, world: World) -> None:
    names = set()
    for name, address, needed in read(world):
        assert any(_answers_304(client, address, needed) for _ in range(20)), address
        names.add(name)
    assert {"api-dumps", "api-explanation", "api-submission", "api-index", "api-picks", "api-health"} <= names


def test_headers_show_the_rate_limit(settings: Any, client: Client) -> None:
    settings.LIMIT_LOOPBACK = True
    settings.RATE_LIMITS = {"read": (3, 3600), "look": (2, 60)}
    answers = [client.get(f"/api/v1/boards/?x={number}").headers for number in range(4)]
    states = [re.fullmatch(r'"read";r=(\d);t=(\d+)', headers["RateLimit"]) for headers in answers]
    assert [state and state[1] for state in states] == ["2", "1", "0", "0"]
    assert {headers["RateLimit-Policy"] for headers in answers} == {'"read";q=3;w=3600'}
    assert states[3]
    assert int(states[3][2]) == pytest.approx(int(answers[3]["Retry-After"]), abs=1)
    assert "RateLimit-Policy" in answers[0]["Access-Control-Expose-Headers"]
    asked = client.post("/api/v1/decode/", {"cid": "02544d534130344711c0ffee0000d30f"}, "application/json")
    assert asked.headers["RateLimit-Policy"] == '"look";q=2;w=60'


def test_without_a_limit_nothing_is_said(client: Client) -> None:
    assert not {"RateLimit", "RateLimit-Policy"} & client.get("/api/v1/boards/").headers.keys()


def test_a_former_parameter_is_told_so(client: Client) -> None:
    headers = client.get("/api/v1/models/?app_class=1").headers
    assert headers["Deprecation"] == "@1795305600"  # 2026-11-22
    assert headers["Link"] == '</api/#what-stays-and-how-often-you-may-ask>; rel="deprecation"'
    kept = client.get("/api/v1/models/?app_class=1").headers
    assert kept["Deprecation"] == headers["Deprecation"]
    assert "Deprecation" not in client.get("/api/v1/models/?app_perf_class=1").headers
    assert "what-stays-and-how-often-you-may-ask" in client.get("/api/").content.decode()


def test_picks_are_those_of_the_page(client: Client, django_assert_max_num_queries: Any) -> None:
    passes = {"small_reads": 4000.0, "large_writes": 40e6}
    add_performance("Kingston", "raspberry-pi-4", {"small_writes": 4000, **passes})
    add_performance("Transcend", "raspberry-pi-4", {"small_writes": 2000, **passes}, people=3)
    with django_assert_max_num_queries(8):  # one of them asks for the snapshot
        rows = client.get("/api/v1/picks/?board=raspberry-pi-4&use=pi-root").json()["results"]
    page = client.get("/best/raspberry-pi-4/pi-root.json").json()
    assert [row["slug"] for row in rows] == [pick["slug"] for pick in page["picks"]]
    assert [(row["titles"], row["place"]) for row in rows] == [(["best"], 1), (["tested"], 2)]
    assert client.get("/api/v1/picks/?board=none").status_code == 400
    assert client.get("/api/v1/picks/?board=raspberry-pi-4&use=express").status_code == 400


def test_health_is_what_cards_say_of_themselves(client: Client) -> None:
    card(1, "Kingston")
    card(2, "Transcend")
    assert client.get("/api/v1/health/").json()["results"] == []
    Run.objects.filter(card__variant__card_model__brand="Kingston").update(life_used=37.5)
    (row,) = client.get("/api/v1/health/?life_used_min=37").json()["results"]
    assert (row["model"]["name"], row["life_used"]) == ("Kingston 4 GB", 37.5)
    assert client.get("/api/v1/health/?life_used_min=38").json()["results"] == []
