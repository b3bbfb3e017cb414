"""Puts what may be sent into the OpenAPI document, from the types that check it."""

import json
from typing import Any

import msgspec
from drf_spectacular.extensions import OpenApiAuthenticationExtension

from api.v1 import examples
from submissions.domain.amendment import Amendment
from submissions.domain.question import Question
from submissions.domain.report import Report

_PREFIX = "Submitted"
REPORT_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Report"}
AMENDMENT_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Amendment"}
QUESTION_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Question"}


def add_contracts(result: dict[str, Any], **_options: Any) -> dict[str, Any]:
    """Postprocessing hook of drf-spectacular: adds the components of report, amendment and question."""
    _, components = msgspec.json.schema_components(
        [Report, Amendment, Question], ref_template=f"#/components/schemas/{_PREFIX}{{name}}"
    )
    contracts = {f"{_PREFIX}{name}": _portable(schema) for name, schema in components.items()}
    result["components"]["schemas"] |= contracts
    return result


def add_examples(result: dict[str, Any], **_options: Any) -> dict[str, Any]:
    """Postprocessing hook of drf-spectacular: the examples of `examples`, and one refusal for all."""
    asked, answered = examples.requests(), examples.answers()
    for operation in (one for methods in result["paths"].values() for one in methods.values()):
        name = operation["operationId"]
        if name in asked:
            operation["requestBody"]["content"]["application/json"]["example"] = asked[name]
        for status, response in operation["responses"].items():
            content = response.get("content", {}).get("application/json", {})
            if status == "200" and name in answered:
                content["example"] = answered[name]
            elif status == "400" and content:
                content["example"] = examples.REFUSAL
    return result


def add_what_may_happen_anywhere(result: dict[str, Any], **_options: Any) -> dict[str, Any]:
    """Postprocessing hook: a token is never needed, a wrong one is refused, who asks too often shall wait."""
    for name, shape in result["components"]["schemas"].items():
        if name.endswith("Page"):  # with `fields`, a row has those alone
            rows = shape["properties"]["results"]
            rows["items"] = {"anyOf": [rows["items"], {"type": "object"}]}
    refusal = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    for operation in (one for methods in result["paths"].values() for one in methods.values()):
        operation["security"] = [{"token": []}, {}]
        operation["responses"].setdefault("401", {"description": "The token is not known.", **refusal})
        operation["responses"].setdefault(
            "429", {"description": "Too often; Retry-After says when.", **refusal}
        )
    return result


def _portable(schema: dict[str, Any]) -> Any:
    r"""JSON Schema speaks ECMAScript's regular expressions: `$` for Python's `\Z`."""
    return json.loads(json.dumps(schema).replace("\\\\Z", "$"))


class TokenScheme(OpenApiAuthenticationExtension):
    """How OpenAPI calls it."""

    target_class = "api.access.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "“Token” and the secret, with a blank between. Reading and submitting need none.",
        }
