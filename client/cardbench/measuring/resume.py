"""Going on where an earlier run ended: what is in its report already is not measured again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cardbench.errors import UsageError
from cardbench.geometry import Finding
from cardbench.measuring import report
from cardbench.measuring.suites import SUITES, WORKLOADS, Choice
from cardbench.shapes import JsonDict, JsonMapping

# Answers that another look would only repeat.
_FINAL = ("time_budget", "abstained", "none_found", "no_limit_found", "good")


@dataclass(frozen=True)
class Earlier:
    """A report that was cut short."""

    document: JsonMapping

    @property
    def choice(self) -> Choice:
        """What it was to measure."""
        name = str(self.document["run"]["suite"])
        return Choice(name) if name in SUITES else Choice(workloads=tuple(name.split("+")))

    def has(self, workload: str, parameters: JsonMapping, *, others: bool = False) -> bool:
        """Return whether a piece of work was measured to its end; `others`: it may have other parameters, too."""
        rows = [
            row
            for row in self.document["measurements"]
            if row["workload"] == workload and parameters.items() <= row.get("parameters", {}).items()
            if others or row["parameters"] == parameters
        ]
        return bool(rows) and all(_is_done(row) for row in rows)

    @property
    def known(self) -> dict[str, Finding]:
        """Metric -> what was found of the geometry."""
        rows = [row for row in self.document["measurements"] if row["workload"] == "geometry"]
        return {row["metric"]: self._finding(row) for row in rows if _is_done(row)}

    @property
    def claims(self) -> JsonDict:
        """Return what its user said of the card, as the report names it."""
        card = self.document["card"]
        return {name: card[name] for name in ("label", "condition", "specimen") if card.get(name)}

    def list_other_measurements(self, now: list[JsonDict]) -> list[JsonDict]:
        """Return its measurements, without those that were made again."""
        again = [(row["workload"], row["parameters"]) for row in now if row["workload"] != "geometry"]
        metrics = {row["metric"] for row in now if row["workload"] == "geometry"}
        return [
            row
            for row in self.document["measurements"]
            if (row["workload"], row.get("parameters", {})) not in again
            and not (row["workload"] == "geometry" and row["metric"] in metrics)
        ]

    def merge_report(self, document: JsonDict) -> JsonDict:
        """Return the report of both runs together: begun when the first did, a submission of its own."""
        run, before = document["run"], self.document["run"]
        times = {
            "started_at": before["started_at"],
            "duration_ns": before["duration_ns"] + run["duration_ns"],
        }
        now = document["measurements"]
        extra = {name: value for name, value in self.document.get("extra", {}).items() if name != "not_run"}
        return {
            **self.document,  # such as its note, where there is no new one
            **document,
            "run": run | times,
            "measurements": self.list_other_measurements(now) + now,
            "extra": _together(extra, document["extra"]) | {"resumed_from": self.document["uuid"]},
        }

    def _finding(self, row: JsonMapping) -> Finding:
        why = self.document.get("extra", {}).get("geometry", {}).get(row["metric"], {})
        return Finding(
            value=round(row["values"][0]) if row["values"] else None,
            reason=why.get("reason", ""),
            code=row.get("failure", {}).get("code", ""),
            log_odds=why.get("log_odds"),
        )


def _is_done(row: JsonMapping) -> bool:
    return row.get("failure", {}).get("code", "time_budget") in _FINAL


def _together(before: JsonMapping, now: JsonMapping) -> JsonDict:
    """Two objects as one; objects in them, too. What is newer counts."""
    merged = dict(before)
    for name, value in now.items():
        earlier = merged.get(name)
        merged[name] = _together(earlier, value) if isinstance(earlier, dict) and value else value
    return merged


def load(path: Path) -> Earlier:
    """A report that can be gone on with. Raises UsageError."""
    document = report.load(path)[1]
    try:
        earlier = Earlier(document)
        earlier.choice, earlier.known, document["uuid"], document["card"]
        document["run"]["started_at"], document["run"]["duration_ns"]
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise UsageError(f"{path} cannot be gone on with: it is no complete report of cardbench.") from error
    if unknown := set(earlier.choice.workloads) - set(WORKLOADS):
        raise UsageError(f"{path} cannot be gone on with: nothing is known of {', '.join(unknown)}.")
    return earlier


def check_same(earlier: Earlier, card: JsonMapping, target: str) -> None:
    """Raises UsageError unless the report is of this very card."""
    before = earlier.document
    same = before["run"].get("target") == target and all(
        before["card"].get(name) == card.get(name) for name in ("registers", "size_bytes")
    )
    if not same:
        raise UsageError("The report to go on with is of another card; registers or size differ.")
