"""Puts the report contract into the OpenAPI document, from the types that check it."""

import json
from typing import Any

import msgspec

from submissions.domain.report import Report

_PREFIX = "Submitted"
REPORT_SCHEMA = {"$ref": f"#/components/schemas/{_PREFIX}Report"}


def add_report(result: dict[str, Any], **_options: Any) -> dict[str, Any]:
    """Postprocessing hook of drf-spectacular: adds the components of the report."""
    _, components = msgspec.json.schema_components(
        [Report], ref_template=f"#/components/schemas/{_PREFIX}{{name}}"
    )
    report = {f"{_PREFIX}{name}": _portable(schema) for name, schema in components.items()}
    result["components"]["schemas"] |= report
    return result


def _portable(schema: dict[str, Any]) -> Any:
    r"""JSON Schema speaks ECMAScript's regular expressions: `$` for Python's `\Z`."""
    return json.loads(json.dumps(schema).replace("\\\\Z", "$"))
