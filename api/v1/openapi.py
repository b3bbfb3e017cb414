"""Describe request bodies in the OpenAPI document by the types that validate them."""

import re
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiParameter

from api import problems, structs
from api.structs import Schema
from api.v1 import examples
from submissions.domain.amendment import Amendment
from submissions.domain.fields import MARKS
from submissions.domain.identity.decode_question import Question
from submissions.domain.identity.makers import all_makers
from submissions.domain.registers.hexdigits import LENGTHS
from submissions.domain.report import YEARS, Report
from submissions.visitors import visitor

_PREFIX = "Submitted"
REPORT_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Report"}
AMENDMENT_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Amendment"}
QUESTION_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Question"}
RECEIPT_SECRET = OpenApiParameter(
    visitor.RECEIPT_SECRET,
    {"type": "string", "pattern": f"^{visitor.SECRET_PATTERN}$"},
    OpenApiParameter.HEADER,
    description="random text that the client makes for its report and keeps: send both again"
    " to get the delete key again. Without a secret, only the first answer contains the key.",
)
TEXT_SCHEMA = {"type": "string", "minLength": 1, "pattern": r"\S"}
# A note in the query must be short, because web servers accept URLs of about four thousand bytes.
LONGEST_NOTE = 300
CLAIMS_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Said"}
# Rules that types cannot express. A price has a currency:
_PRICE = {"price": ["currency"], "currency": ["price"]}
_PAID: dict[str, Schema] = {
    "price": {"type": "number"},
    "currency": {"type": "string", "minLength": 3},
}
_PRICED = [
    {"properties": {"price": {"type": "null"}, "currency": {"const": ""}}},
    {"properties": _PAID, "required": ["price", "currency"]},
]
_DATED = {"type": ["string", "null"], "format": "date-time", "pattern": f"^({'|'.join(map(str, YEARS))})-"}


def _register_pattern(register: str) -> str:
    # As the system prints them; other spellings work, but are not documented. All zeros or ones are a failed reading.
    digits = 2 * LENGTHS[register]
    return f"(?!0{{{digits}}}|[fF]{{{digits}}})[0-9a-fA-F]{{{digits}}}"


def _known_cid_pattern() -> str:
    # The CID of a known maker of SD cards is never mistaken for one with its bytes in reverse order.
    sd = (maker for maker in all_makers() if maker.bus == "SD" and maker.mid and maker.oid is not None)
    return "|".join(sorted({f"{maker.mid:02x}{maker.oid:04x}" for maker in sd}))


# No pattern describes all outputs of other tools, so this one only describes texts that are always understood.
LOG_SCHEMA = {
    "type": "string",
    "pattern": rf"(^|\n)cid: ({_known_cid_pattern()})[0-9a-fA-F]{{26}}(\n|$)",
    "description": "Output of another tool. A text that has a single CID of a known maker, on a line of its"
    " own (see the pattern), is always accepted. Any other text needs a label and a figure that we understand;"
    " POST /api/v1/parse/ shows in advance how we understand it.",
    "example": "cid: 02544d534130344711c0ffee0000d30f\n4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.25 s, 16.8 MB/s\n",
}
# Only eMMC has CSD_STRUCTURE 3.
_STRUCTURED = [
    {"required": ["bus"], "properties": {"bus": {"const": "MMC"}}},
    {"properties": {"csd": {"pattern": "^([^c-fC-F]|$)"}}},
]


def add_contracts(result: Schema, **_options: Any) -> Schema:
    """Add schemas of the bodies of requests to the document (a postprocessing hook of drf-spectacular).

    These are reports, amendments, and requests to decode registers.
    """
    components = structs.components([Report, Amendment, Question], prefix=_PREFIX)
    label = components["Label"]["properties"]
    components["Amendment"] |= _amendment_schema(components["Amendment"]["properties"], label)
    components["Said"] = _claims_schema(label, components["Amendment"]["properties"])
    components["Label"]["anyOf"] = _PRICED
    components["Run"]["properties"]["started_at"] |= _DATED
    components["Question"] |= _question_schema(components["Question"]["properties"])
    result["components"]["schemas"] |= structs.components([problems.ProblemDetails])
    contracts = {
        f"{_PREFIX}{name}": structs.translate_patterns(schema) for name, schema in components.items()
    }
    result["components"]["schemas"] |= contracts
    return result


def _amendment_schema(properties: Schema, label: Schema) -> Schema:
    # At least one field. A null in the label restores the value of the report.
    fields = {name: {"anyOf": [_required_schema(schema), {"type": "null"}]} for name, schema in label.items()}
    gone = {"properties": {name: {"type": "null"} for name in _PRICE}}
    paid = {"properties": _PAID}
    changed = {"type": "object", "properties": fields, "additionalProperties": False}
    return {
        "properties": properties | {"label": changed | {"anyOf": [gone, paid], "dependentRequired": _PRICE}},
        "minProperties": 1,
    }


def _claims_schema(label: Schema, besides: Schema) -> Schema:
    # A query cannot contain null.
    properties = {
        name: _required_schema(schema) for name, schema in (label | besides).items() if name != "label"
    }
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


def _required_schema(schema: Schema) -> Schema:
    # Without null and without a default, which have no meaning here.
    kind: Schema = schema.get("anyOf", [schema])[0]
    return {name: rule for name, rule in kind.items() if name != "default"}


def _question_schema(properties: Schema) -> Schema:
    # At least one register, each as the system prints it.
    printed = {
        name: {"pattern": f"^({_register_pattern(name)})?$", "type": ["string", "null"]} for name in LENGTHS
    }
    sent = [
        {"required": [name], "properties": {name: {"type": "string", "minLength": 1}}} for name in LENGTHS
    ]
    bus = properties["bus"] | {"enum": ["SD", "MMC", "", None]}
    rules = [{"anyOf": sent}, {"anyOf": _STRUCTURED}]
    return {"properties": properties | printed | {"bus": bus}, "allOf": rules}


def _operations(result: Schema) -> list[Schema]:
    return [operation for methods in result["paths"].values() for operation in methods.values()]


def add_examples(result: Schema, **_options: Any) -> Schema:
    """Add `examples`, and one example of an error to all operations (a postprocessing hook of drf-spectacular)."""
    asked, answered = examples.requests(), examples.ANSWERS
    for operation in _operations(result):
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


def add_common_responses(result: Schema, **_options: Any) -> Schema:
    """Make tokens optional and bodies required; add summaries and responses 401, 429 (a hook of drf-spectacular)."""
    refusal = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    for operation in _operations(result):
        operation["summary"] = re.split(r"\.\s|\.$", operation["description"])[0]
        operation["security"] = [{"token": []}, {}]
        if "requestBody" in operation:
            operation["requestBody"]["required"] = True
        operation["responses"].setdefault("401", {"description": "The token is unknown.", **refusal})
        operation["responses"].setdefault(
            "429", {"description": "Too many requests; Retry-After says when to try again.", **refusal}
        )
        _add_problems(operation["responses"])
    return result


def _add_problems(responses: Schema) -> None:
    # The same errors as problem details, for clients that accept those.
    for status, response in responses.items():
        if status >= "400" and "content" in response:
            response["content"][problems.MEDIA_TYPE] = {
                "schema": {"$ref": "#/components/schemas/ProblemDetails"}
            }


class TokenScheme(OpenApiAuthenticationExtension):
    """An extension of drf-spectacular that describes authentication by token in the OpenAPI document."""

    target_class = "api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "“Token”, a space and the secret. Reading and submitting need no token.",
        }
