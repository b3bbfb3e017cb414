"""Puts what may be sent into the OpenAPI document, from the types that check it."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiParameter

from api import structs
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
    description="random, made by the client for its report and kept; who sends the same report with the same secret"
    " gets the delete key again. Without one the first answer alone has it.",
)
TEXT_SCHEMA = {"type": "string", "minLength": 1, "pattern": r"\S"}
# Web servers take addresses of some four thousand bytes.
LONGEST_NOTE = 300
CLAIMS_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Said"}
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
_DATED = {"type": ["string", "null"], "format": "date-time", "pattern": f"^({'|'.join(map(str, YEARS))})-"}


def _printed(register: str) -> str:
    """Pattern of its digits as the system prints them; other spellings are read, too, but not promised.

    All zeros and all ones are what an unread card shows.
    """
    digits = 2 * LENGTHS[register]
    return f"(?!0{{{digits}}}|[fF]{{{digits}}})[0-9a-fA-F]{{{digits}}}"


def _listed() -> str:
    """Pattern of how the CIDs of SD cards of known makers begin: one of these is not taken for turned bytes."""
    sd = (maker for maker in all_makers() if maker.bus == "SD" and maker.mid and maker.oid is not None)
    return "|".join(sorted({f"{maker.mid:02x}{maker.oid:04x}" for maker in sd}))


# No pattern tells every figure that other tools print: a known maker's CID, as the system prints it, is taken whatever
# stands around.
LOG_SCHEMA = {
    "type": "string",
    "pattern": rf"(^|\n)cid: ({_listed()})[0-9a-fA-F]{{26}}(\n|$)",
    "description": "What another tool printed. Promised is that a text with one CID of a known maker, on a line of its"
    " own, is taken, as the pattern says. Any other is taken when a figure in it is understood and the label is told;"
    " POST /api/v1/parse/ shows beforehand what is understood.",
    "example": "cid: 02544d534130344711c0ffee0000d30f\n4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.25 s, 16.8 MB/s\n",
}
# CSD_STRUCTURE 3 is an eMMC's alone.
_STRUCTURED = [
    {"required": ["bus"], "properties": {"bus": {"const": "MMC"}}},
    {"properties": {"csd": {"pattern": "^([^c-fC-F]|$)"}}},
]


def add_contracts(result: dict[str, Any], **_options: Any) -> dict[str, Any]:
    """Postprocessing hook of drf-spectacular: adds the components of report, amendment and question."""
    components = structs.components([Report, Amendment, Question], prefix=_PREFIX)
    label = components["Label"]["properties"]
    components["Amendment"] |= _amended(components["Amendment"]["properties"], label)
    components["Said"] = _claims(label, components["Amendment"]["properties"])
    components["Label"]["anyOf"] = _PRICED
    components["Run"]["properties"]["started_at"] |= _DATED
    components["Question"] |= _registers(components["Question"]["properties"])
    contracts = {f"{_PREFIX}{name}": structs.portable(schema) for name, schema in components.items()}
    result["components"]["schemas"] |= contracts
    return result


def _amended(properties: dict[str, Any], label: dict[str, Any]) -> dict[str, Any]:
    """Something at least. Of a label any field, null being what the report says."""
    fields = {name: {"anyOf": [_stated(schema), {"type": "null"}]} for name, schema in label.items()}
    gone = {"properties": {name: {"type": "null"} for name in _PRICE}}
    paid = {"properties": _PAID}
    changed = {"type": "object", "properties": fields, "additionalProperties": False}
    return {
        "properties": properties | {"label": changed | {"anyOf": [gone, paid], "dependentRequired": _PRICE}},
        "minProperties": 1,
    }


def _claims(label: dict[str, Any], besides: dict[str, Any]) -> dict[str, Any]:
    """What an address may say of a pasted text. Nothing is null there: what is not known is left out."""
    properties = {name: _stated(schema) for name, schema in (label | besides).items() if name != "label"}
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


def _stated(schema: dict[str, Any]) -> dict[str, Any]:
    """Schema of a value that is stated: without null, and without the default that stands for nothing."""
    kind: dict[str, Any] = schema.get("anyOf", [schema])[0]
    return {name: rule for name, rule in kind.items() if name != "default"}


def _registers(properties: dict[str, Any]) -> dict[str, Any]:
    """At least one register, each as the system prints it."""
    printed = {name: {"pattern": f"^({_printed(name)})?$", "type": ["string", "null"]} for name in LENGTHS}
    sent = [
        {"required": [name], "properties": {name: {"type": "string", "minLength": 1}}} for name in LENGTHS
    ]
    bus = properties["bus"] | {"enum": ["SD", "MMC", "", None]}
    rules = [{"anyOf": sent}, {"anyOf": _STRUCTURED}]
    return {"properties": properties | printed | {"bus": bus}, "allOf": rules}


def _operations(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for methods in result["paths"].values() for operation in methods.values()]


def add_examples(result: dict[str, Any], **_options: Any) -> dict[str, Any]:
    """Postprocessing hook of drf-spectacular: the examples of `examples`, and one refusal for all."""
    asked, answered = examples.requests(), examples.answers()
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


def add_what_may_happen_anywhere(result: dict[str, Any], **_options: Any) -> dict[str, Any]:
    """Postprocessing hook: a body that is described is needed, a token never; a wrong one is refused, and who asks too
    often shall wait.
    """
    refusal = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    for operation in _operations(result):
        operation["security"] = [{"token": []}, {}]
        if "requestBody" in operation:
            operation["requestBody"]["required"] = True
        operation["responses"].setdefault("401", {"description": "The token is not known.", **refusal})
        operation["responses"].setdefault(
            "429", {"description": "Too often; Retry-After says when.", **refusal}
        )
    return result


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
