"""Read examples for the OpenAPI document from examples.json and REPORT.md. A test checks them against the schemas."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

_REPORT_MD = Path(__file__).parent / "REPORT.md"
_EXAMPLES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
# An answer with status 200 by operation id.
ANSWERS = _EXAMPLES["answers"]
REFUSAL = _EXAMPLES["refusal"]


@cache
def requests() -> dict[str, Any]:
    """Return examples of requests by operation id; the report is the first of REPORT.md."""
    report, *_ = re.findall(r"```json\n(.*?)```", _REPORT_MD.read_text(encoding="utf-8"), re.DOTALL)
    return {"submit": json.loads(report), **_EXAMPLES["requests"]}
