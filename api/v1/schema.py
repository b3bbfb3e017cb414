"""Puts what may be sent into the OpenAPI document, from the types that check it."""

import json
from typing import Any

import msgspec
from drf_spectacular.extensions import OpenApiAuthenticationExtension

from api.v1 import examples
from submissions.domain.amendment import Amendment
from submissions.domain.identity.decode_question import Question
from submissions.domain.report import MARKS, Report

_PREFIX = "Submitted"
REPORT_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Report"}
AMENDMENT_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Amendment"}
QUESTION_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Question"}
TEXT_SCHEMA = {"type": "string", "minLength": 1, "pattern": r"\S"}
# Web servers take addresses of some four thousand bytes.
LONGEST_NOTE = 300
CLAIMS_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Said"}
# No pattern tells every figure that other tools print: a CID, as the system prints it, is taken whatever stands around.
LOG_SCHEMA = {
    "type": "string",
    "pattern": r"(^|\n)cid: (?!0{32}|[fF]{32})[0-9a-fA-F]{32}(\n|$)",
    "description": "What another tool printed. Promised is that a text with one CID, on a line of its own, is taken, as"
    " the pattern says. Any other is taken when a figure in it is understood and the label is told; POST /api/v1/parse/"
    " shows beforehand what is understood.",
    "example": "cid: 02544d534130344711c0ffee0000d30f\n4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.25 s, 16.8 MB/s\n",
}
# What types do not tell. A price has a currency:
_PRICE = {"price": ["currency"], "currency": ["price"]}
_PAID: dict[str, dict[str, Any]] = {
    "price": {"type": "number"},
    "currency": {"type": "string", "minLength": 3},
}
_PRICED = [
    {"properties": {"price": {"type": "null"}, "currency": {"const": ""}}},
    {"properties": _PAID, "required": ["price", "currency"]},
]
# No host's clock is further off. (report._YEARS)
_DATED = {"type": ["string", "null"], "format": "date-time", "pattern": "^(199[0-9]|20[0-9]{2}|2100)-"}
# Digits of a register as the system prints it. Other spellings are read, too, but not promised.
_DIGITS = {"cid": 32, "csd": 32, "scr": 16, "ssr": 128, "ocr": 8, "ext_csd": 1024}
# CSD_STRUCTURE 3 is an eMMC's alone.
_STRUCTURED = [
    {"required": ["bus"], "properties": {"bus": {"const": "MMC"}}},
    {"properties": {"csd": {"pattern": "^([^c-fC-F]|$)"}}},
]


def add_contracts(result: dict[str, Any], **_options: Any) -> dict[str, Any]:
    """Postprocessing hook of drf-spectacular: adds the components of report, amendment and question."""
    _, components = msgspec.json.schema_components(
        [Report, Amendment, Question], ref_template=f"#/components/schemas/{_PREFIX}{{name}}"
    )
    label = components["Label"]["properties"]
    components["Amendment"] |= _amended(components["Amendment"]["properties"], label)
    components["Said"] = _claims(label, components["Amendment"]["properties"])
    components["Label"]["anyOf"] = _PRICED
    components["Run"]["properties"]["started_at"] |= _DATED
    components["Question"] |= _registers(components["Question"]["properties"])
    contracts = {f"{_PREFIX}{name}": _portable(schema) for name, schema in components.items()}
    result["components"]["schemas"] |= contracts
    return result


def _amended(properties: dict[str, Any], label: dict[str, Any]) -> dict[str, Any]:
    """Something at least. Of a label any field, null being what the report says."""
    fields = {name: {"anyOf": [_known(told), {"type": "null"}]} for name, told in label.items()}
    gone = {"properties": {name: {"type": "null"} for name in _PRICE}}
    paid = {"properties": _PAID}
    told = {"type": "object", "properties": fields, "additionalProperties": False}
    return {
        "properties": properties | {"label": told | {"anyOf": [gone, paid], "dependentRequired": _PRICE}},
        "minProperties": 1,
    }


def _claims(label: dict[str, Any], besides: dict[str, Any]) -> dict[str, Any]:
    """What an address may say of a pasted text. Nothing is null there: what is not known is left out."""
    properties = {name: _known(told) for name, told in (label | besides).items() if name != "label"}
    mark = "|".join(MARKS)
    properties["marks"] = {"type": "string", "pattern": f"^(({mark})(,({mark})){{0,{len(MARKS) - 1}}})?$"}
    properties["currency"] |= _PAID["currency"]
    properties["note"] |= {"maxLength": LONGEST_NOTE}
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "dependentRequired": _PRICE,
    }


def _known(told: dict[str, Any]) -> dict[str, Any]:
    """The schema of what is told, without what stands for nothing."""
    kind: dict[str, Any] = told.get("anyOf", [told])[0]
    return {name: rule for name, rule in kind.items() if name != "default"}


def _registers(properties: dict[str, Any]) -> dict[str, Any]:
    """One at least, each as the system prints it; all zeros and all ones are what an unread card shows."""
    printed = {
        name: {"pattern": rf"^((?!0*$|[fF]*$)[0-9a-fA-F]{{{digits}}})?$", "type": ["string", "null"]}
        for name, digits in _DIGITS.items()
    }
    given = [
        {"required": [name], "properties": {name: {"type": "string", "minLength": 1}}} for name in _DIGITS
    ]
    bus = properties["bus"] | {"enum": ["SD", "MMC", "", None]}
    rules = [{"anyOf": given}, {"anyOf": _STRUCTURED}]
    return {"properties": properties | printed | {"bus": bus}, "allOf": rules}


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
    """Postprocessing hook: a body that is described is needed, a token never; a wrong one is refused, and who asks too
    often shall wait.
    """
    for name, shape in result["components"]["schemas"].items():
        if name.endswith("Page"):  # with `fields`, a row has those alone
            rows = shape["properties"]["results"]
            rows["items"] = {"anyOf": [rows["items"], {"type": "object"}]}
    refusal = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    for operation in (one for methods in result["paths"].values() for one in methods.values()):
        operation["security"] = [{"token": []}, {}]
        if "requestBody" in operation:
            operation["requestBody"]["required"] = True
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
