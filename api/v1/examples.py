"""Examples in the OpenAPI document: one row per operation. A test holds each against the shape it is an example of."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

_SERVER = "https://flashdb.example"
_REPORT_MD = Path(__file__).parent / "REPORT.md"

MODEL = {
    "slug": "kingston-4-gb",
    "name": "Kingston 4 GB",
    "capacity_gb": 4.0,
    "simulated": False,
}
SCORE = {
    "profile": "pi-root",
    "profile_version": 1,
    "interface": "sdr104",
    "value": 83.1,
    "lower": 61.5,
    "upper": 112.0,
    "bound": 55.2,
    "state": "ranked",
    "range_low": None,
    "range_high": None,
    "cards": 4,
    "runs": 6,
    "submitters": 3,
    "covered": 3,
    "terms": 6,
    "figures": {
        "rand_write_4k": {
            "value": 498.0,
            "measured": 503.0,
            "lower": 402.0,
            "upper": 617.0,
            "cards": 4,
            "at_least": False,
        }
    },
}
RANKED = MODEL | {
    "rank": 1,
    "brand": "Kingston",
    "line": "",
    "model_number": "",
    "named_from": "label",
    "makers": ["Toshiba"],
    "oems": ["0x544d"],
    "bus_modes": ["DDR50"],
    "speed_class": 4,
    "uhs_speed_grade": None,
    "video_speed_class": None,
    "app_perf_class": None,
    "manufactured_first": "2013-03",
    "manufactured_last": "2013-05",
    "known_cards": 4,
    "suspicious_cards": 0,
    "varies": False,
    "price": None,
    "currency": "",
    "price_count": 0,
    "created_at": "2026-11-20T12:00:00Z",
    "score": SCORE,
    "links": {"self": f"{_SERVER}/api/v1/models/kingston-4-gb/", "page": f"{_SERVER}/models/kingston-4-gb/"},
}
MEASUREMENT = {
    "run": "k3v9q2m7wz4d",
    "card": "75785381bf6c9bbbb99af750",
    "model": "kingston-4-gb",
    "board": "Raspberry Pi 4 Model B",
    "interface": "mmc",
    "position": 1,
    "workload": "stream",
    "metric": "iops",
    "parameters": {"direction": "write", "order": "random", "block_size_bytes": 4096, "queue_depth": 1},
    "figure": "rand_write_4k",
    "unit": "1/s",
    "value": 500.0,
    "spread": 0.08,
    "repeats": [500.0, 480.0, 520.0],
    "operations": 512,
    "verdict": "ok",
    "reason": "",
}
REFUSAL = {
    "error": {
        "code": "wrong_parameter",
        "detail": "“x” is not what limit takes: give a whole number from 1 to 1000.",
        "field": "limit",
    }
}


@cache
def _of_report_md() -> list[Any]:
    """The report and the receipt of the contract."""
    blocks = re.findall(r"```json\n(.*?)```", _REPORT_MD.read_text(encoding="utf-8"), re.DOTALL)
    return [json.loads(block) for block in blocks]


def _page(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {"results": [row], "next": f"{_SERVER}/api/v1/{name}/?cursor=…"}


def requests() -> dict[str, Any]:
    """Operation -> what is sent."""
    return {
        "submit": _of_report_md()[0],
        "decode": {"bus": "SD", "cid": "02544d534130344711c0ffee0000d30f"},
    }


def answers() -> dict[str, Any]:
    """Operation -> what is answered with 200."""
    return {
        "models": _page(RANKED, "models"),
        "measurements": _page(MEASUREMENT, "measurements"),
    }
