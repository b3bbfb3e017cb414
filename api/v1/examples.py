"""Read examples for the OpenAPI document from examples.json and REPORT.md. A test checks them against the schemas."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

_SERVER = "https://flashdb.example"
_REPORT_MD = Path(__file__).parent / "REPORT.md"

_EXAMPLES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
REFUSAL = _EXAMPLES["refusal"]


@cache
def _read_report_md() -> list[Any]:
    blocks = re.findall(r"```json\n(.*?)```", _REPORT_MD.read_text(encoding="utf-8"), re.DOTALL)
    return [json.loads(block) for block in blocks]


def _page(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {"results": [row], "next": f"{_SERVER}/api/v1/{name}/?cursor=20"}


def requests() -> dict[str, Any]:
    """Return examples of requests by operation id."""
    return {
        "submit": _read_report_md()[0],
        "decode": {"bus": "SD", "cid": "02544d534130344711c0ffee0000d30f"},
    }


def answers() -> dict[str, Any]:
    """Return examples of answers with status 200 by operation id."""
    return {
        "models": _page(_EXAMPLES["model"], "models"),
        "measurements": _page(_EXAMPLES["measurement"], "measurements"),
    }
