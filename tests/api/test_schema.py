"""Real responses and the examples have the shapes that the OpenAPI document describes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import regress
import yaml
from django.test import Client
from jsonschema import Draft202012Validator

from api.v1 import examples
from submissions.dumps import shelf
from tests.api.test_lists import card
from tests.factories import SA04G, body

LISTS = [
    *("models", "cards", "runs", "measurements", "submissions", "makers"),
    *("boards", "interfaces", "uses", "profiles", "metrics", "dumps"),
]
KINDS = {"parse": "text/plain", "submit_batch": "application/jsonl"}


@pytest.fixture(scope="module")
def schema() -> Any:
    return yaml.safe_load(Client().get("/api/v1/schema/").content)


def operation(schema: Any, name: str) -> Any:
    operations = [
        operation
        for methods in schema["paths"].values()
        for operation in methods.values()
        if operation["operationId"] == name
    ]
    assert len(operations) == 1, f"{name} is described {len(operations)} times"
    return operations[0]


def content(schema: Any, name: str, status: str = "200") -> Any:
    return operation(schema, name)["responses"][status]["content"]["application/json"]


def find_errors(schema: Any, shape: Any, document: Any) -> list[str]:
    """Return the errors of a document by the shape that it should have."""
    resolved = {**shape, "components": schema["components"]}
    return [
        f"{error.json_path}: {error.message}"
        for error in Draft202012Validator(resolved).iter_errors(document)
    ]


def test_generators_of_clients_take_it(schema: Any) -> None:
    """Generators read regular expressions as ECMAScript with the flag `u`, which refuses a senseless escape."""
    patterns = [text for path, text in _texts_with_keys(schema) if path[-1] == "pattern"]
    assert len(patterns) > 10
    for pattern in patterns:
        regress.Regex(pattern, "u")


def test_every_operation_has_a_short_name(schema: Any) -> None:
    assert schema["info"]["license"]["identifier"] == "CC-BY-4.0"
    assert schema["servers"] == [{"url": "/"}]
    operations = [operation for methods in schema["paths"].values() for operation in methods.values()]
    summaries = [operation["summary"] for operation in operations]
    assert all(0 < len(summary) <= 120 for summary in summaries), max(summaries, key=len)


def _texts_with_keys(node: Any, path: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], str]]:
    pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in pairs:
        yield from _texts_with_keys(value, (*path, key))
    if isinstance(node, str):
        yield path, node


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", LISTS)
def test_a_list_has_the_shape_that_is_described(
    client: Client, schema: Any, name: str, settings: Any, tmp_path: Any
) -> None:
    settings.MEDIA_ROOT = str(tmp_path)
    card(1)
    if name == "dumps":
        shelf.add_dump()
    answer = client.get(f"/api/v1/{name}/").json()
    assert answer["results"]
    assert find_errors(schema, content(schema, name)["schema"], answer) == []
    for row in answer["results"]:
        assert find_errors(schema, _row_shape(schema, content(schema, name)["schema"]), row) == []
    assert set(answer["results"][0]) <= set(_row_shape(schema, content(schema, name)["schema"])["properties"])


@pytest.mark.django_db
def test_one_thing_has_the_shape_that_is_described(client: Client, schema: Any) -> None:
    run = client.get(f"/api/v1/runs/{card(1)}/").json()
    model = client.get(run["links"]["model"]).json()
    specimen = client.get(run["links"]["card"]).json()
    for name, document in (("run", run), ("model", model), ("card", specimen)):
        assert find_errors(schema, content(schema, name)["schema"], document) == []


@pytest.mark.django_db
def test_an_answer_to_what_was_sent_has_the_shape_that_is_described(client: Client, schema: Any) -> None:
    public_id = card(1, "Transcend")
    submission = client.get(f"/api/v1/submissions/{public_id}/").json()
    assert submission["suspicions"]
    assert find_errors(schema, content(schema, "submission")["schema"], submission) == []
    sent = {
        "submissions/": ("submit", "202", body()),
        "submissions/batch/": ("submit_batch", "200", b"{\n[]"),
    }
    sent["decode/"] = ("decode", "200", json.dumps(SA04G | {"serial": True, "explain": True}).encode())
    sent["parse/"] = ("parse", "200", b"12 MB/s\ncid: 02544d534130344711c0ffee0000d30f\n")
    for path, (name, status, document) in sent.items():
        answer = client.post(f"/api/v1/{path}", document, content_type=KINDS.get(name, "application/json"))
        assert answer.status_code == int(status)
        described = content(schema, name, status)["schema"]
        assert find_errors(schema, described, answer.json()) == []
        assert set(answer.json()) == set(_resolve(schema, described)["properties"])


@pytest.mark.parametrize("name", sorted(examples.ANSWERS))
def test_an_example_has_the_shape_it_is_an_example_of(schema: Any, name: str) -> None:
    described = content(schema, name)
    assert described["example"] == examples.ANSWERS[name]
    assert find_errors(schema, described["schema"], described["example"]) == []
    assert set(described["example"]["results"][0]) == set(
        _row_shape(schema, described["schema"])["properties"]
    )


@pytest.mark.parametrize("name", sorted(examples.requests()))
def test_a_request_has_the_shape_it_is_an_example_of(schema: Any, name: str) -> None:
    asked = operation(schema, name)["requestBody"]["content"]["application/json"]
    assert find_errors(schema, asked["schema"], asked["example"]) == []
    assert content(schema, name, "400")["example"] == examples.REFUSAL


def test_every_parameter_of_a_list_is_described(schema: Any) -> None:
    described = {parameter["name"]: parameter for parameter in operation(schema, "models")["parameters"]}
    assert {
        "board",
        "use",
        "q",
        "capacity_gb_max",
        "ordering",
        "cursor",
        "limit",
        "fields",
        "format",
    } <= set(described)
    assert described["limit"]["schema"]["maximum"] == 200
    assert "raspberry-pi-5" in described["board"]["schema"]["enum"]
    assert described["ordering"]["schema"]["default"] == "place"


def _row_shape(schema: Any, shape: Any) -> Any:
    page = _resolve(schema, shape)
    return _resolve(schema, page["properties"]["results"]["items"]["anyOf"][0])


def _resolve(schema: Any, shape: Any) -> Any:
    return schema["components"]["schemas"][shape["$ref"].rpartition("/")[2]] if "$ref" in shape else shape
