"""REPORT.md defines the format of reports, and the OpenAPI document agrees with it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest
import yaml
from django.test import Client

from submissions.domain import report
from submissions.domain.fields import FORMS, MARKS
from submissions.models import Submission
from submissions.writing import ingest
from tests.factories import body, rand_write

REPORT_MD = Path(__file__).parents[2] / "api" / "v1" / "REPORT.md"


def contract() -> str:
    return REPORT_MD.read_text(encoding="utf-8")


def example() -> bytes:
    block = re.search(r"```json\n(.*?)```", contract(), re.DOTALL)
    assert block
    return block[1].encode()


@pytest.mark.django_db
def test_the_example_is_accepted_and_worked_out(client: Client) -> None:
    response = client.post("/api/v1/submissions/", example(), content_type="application/json")
    assert response.status_code == 202
    submission = Submission.objects.get()
    ingest.process(submission.pk)
    submission.refresh_from_db()
    assert (submission.state, submission.not_understood) == ("processed", [])
    assert submission.run.card.variant.card_model.simulated
    assert set(submission.run.measurements.values_list("verdict", flat=True)) <= {"ok", "at_least"}


@pytest.mark.django_db
def test_the_receipt_has_the_fields_of_the_page(client: Client) -> None:
    documented = re.findall(r"```json\n(.*?)```", contract(), re.DOTALL)[1]
    receipt = client.post("/api/v1/submissions/", example(), content_type="application/json").json()
    assert set(json.loads(documented)) <= set(receipt)
    assert set(json.loads(documented)["links"]) == set(receipt["links"])


def test_the_schema_describes_the_report(client: Client) -> None:
    schema = yaml.safe_load(client.get("/api/v1/schema/").content)
    assert schema["openapi"].startswith("3.1")
    body = schema["paths"]["/api/v1/submissions/"]["post"]["requestBody"]["content"]["application/json"][
        "schema"
    ]
    name = body["$ref"].rpartition("/")[2]
    assert set(schema["components"]["schemas"][name]["properties"]) == set(json.loads(example())) | {
        "source",
        "note",
        "readings",
        "scan",
        "extra",
    }
    assert _references(schema) <= {f"#/components/schemas/{name}" for name in schema["components"]["schemas"]}


def _references(node: object) -> set[str]:
    if isinstance(node, dict):
        own = {node["$ref"]} if "$ref" in node else set()
        return own.union(*map(_references, node.values()))
    return set().union(*map(_references, node)) if isinstance(node, list) else set()


def _list_literals(kind: object) -> Iterator[str]:
    yield from (
        [kind]
        if isinstance(kind, str)
        else (word for part in get_args(kind) for word in _list_literals(part))
    )


def test_the_contract_names_every_field_and_every_word() -> None:
    section = contract().split("## Fields\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    quoted = re.findall(r"`([^`]+)`", "".join(rows))
    named = {word for text in quoted for word in text.strip('".').split(".")}

    structs: list[type[msgspec.Struct]]
    structs = [report.Report, report.Client, report.Card, report.Registers, report.Label, report.Host]
    structs += [report.BusMode, report.Run, report.Conditions, report.Source, report.Reading, report.Scan]
    fields = [field for struct in structs for field in msgspec.structs.fields(struct)]
    words = {word for field in fields for word in _list_literals(field.type)}
    words |= set(MARKS + FORMS)
    assert (
        named
        - {"1", "2024", "2024-05", "2024-05-17", "ios", "quick", "standard", "full"}
        - {"life_used", "life_used_step"}
        == {field.name for field in fields} | words
    )


@pytest.mark.parametrize("code", ["empty_body", "not_json", "wrong_shape", "too_large"])
def test_the_contract_names_every_refusal(code: str) -> None:
    assert f"| `{code}` |" in contract()


def test_the_contract_names_every_state() -> None:
    section = contract().split("## The receipt\n")[1].split("\n## ")[0]
    assert all(f"`{state}`" in section for state in Submission.State.values)


@pytest.mark.django_db
def test_a_value_that_no_card_can_have_is_filed_and_not_ranked(client: Client) -> None:
    """The contract said that it is under `not_understood`, and only in the raw report."""
    slip, impossible = rand_write(1e19), rand_write(10_000_000)
    sent = client.post(
        "/api/v1/submissions/", body(measurements=[slip, impossible]), "application/json"
    ).json()
    ingest.process(Submission.objects.get().pk)
    answer = client.get(sent["links"]["self"]).json()
    assert [one["field"] for one in answer["not_understood"]] == ["measurements[0].values[0]"]
    assert answer["not_ranked"]
    (kept,) = Submission.objects.get().run.measurements.all()
    assert kept.verdict == "impossible"
    assert "A value that no card can have is filed, marked `impossible`" in contract()
