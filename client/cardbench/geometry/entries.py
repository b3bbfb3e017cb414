"""Convert estimates of geometry to the format of a report: measurements, and their reasons and costs in `extra`."""

from __future__ import annotations

from collections.abc import Sequence

from cardbench.geometry.estimate import Estimate, SideMeasurement
from cardbench.shapes import JsonDict


def entries(estimates: Sequence[Estimate], io: str) -> list[JsonDict]:
    """Return one measurement or failure per estimate, and the measurements that support it, for the report."""
    rows = [_entry(estimate, io) for estimate in estimates]
    return rows + [_evidence(part, io) for estimate in estimates for part in estimate.finding.evidence]


def reasoning(estimates: Sequence[Estimate]) -> dict[str, JsonDict]:
    """Return the confidence, the reason and the cost of each estimate for the report, by metric."""
    return {
        estimate.metric: {
            "confidence": estimate.finding.confidence,
            # Confidence is cut off at 0.99; a comparison of cards needs the whole weight of the evidence.
            **(
                {} if estimate.finding.log_odds is None else {"log_odds": round(estimate.finding.log_odds, 2)}
            ),
            "reason": estimate.finding.reason,
            "operations": estimate.spent.operations,
            "read_bytes": estimate.spent.read_bytes,
            "written_bytes": estimate.spent.written_bytes,
            "device_duration_ns": estimate.spent.duration_ns,
        }
        for estimate in estimates
    }


def _entry(estimate: Estimate, io: str) -> JsonDict:
    row: JsonDict = {
        "workload": "geometry",
        "metric": estimate.metric,
        "unit": estimate.unit,
        "values": [] if estimate.value is None else [estimate.value],
        "parameters": {"io": io},
    }
    if estimate.spent.operations:
        row["operations"] = estimate.spent.operations
    if estimate.code:
        row["failure"] = {"code": estimate.code, "detail": estimate.finding.reason}
    return row


def _evidence(part: SideMeasurement, io: str) -> JsonDict:
    return {
        "workload": part.workload,
        "metric": "throughput",
        "unit": "B/s",
        "values": [round(value) for value in part.throughput_bytes_per_s],
        "parameters": part.parameters | {"io": io},
        "operations": part.operations,
    }
