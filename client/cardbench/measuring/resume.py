"""Continue an earlier run: measurements that are already in its report are not made again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cardbench.errors import UsageError
from cardbench.geometry import Finding
from cardbench.measuring import report
from cardbench.measuring.suites import SUITES, WORKLOADS, Choice
from cardbench.shapes import JsonDict, JsonMapping

# Codes of failures that would only occur again.
_FINAL = ("time_budget", "abstained", "none_found", "no_limit_found", "good")


@dataclass(frozen=True)
class Earlier:
    """The report of an earlier run that was cut short."""

    document: JsonMapping

    @property
    def choice(self) -> Choice:
        """Return the suite or the workloads of the earlier run."""
        name = str(self.document["run"]["suite"])
        return Choice(name) if name in SUITES else Choice(workloads=tuple(name.split("+")))

    def has(self, workload: str, parameters: JsonMapping, *, others: bool = False) -> bool:
        """Return whether the earlier run has measured a piece of work to its end.

        If `others`, its measurements may have more parameters than the given ones.
        """
        rows = [
            row
            for row in self.document["measurements"]
            if row["workload"] == workload and parameters.items() <= row.get("parameters", {}).items()
            if others or row["parameters"] == parameters
        ]
        return bool(rows) and all(_is_done(row) for row in rows)

    @property
    def findings(self) -> dict[str, Finding]:
        """Return the findings of the earlier run on the geometry, by metric."""
        rows = [row for row in self.document["measurements"] if row["workload"] == "geometry"]
        return {row["metric"]: self._finding(row) for row in rows if _is_done(row)}

    @property
    def claims(self) -> JsonDict:
        """Return the properties of the card that the user stated, under their names in the report."""
        card = self.document["card"]
        return {name: card[name] for name in ("label", "condition", "specimen") if card.get(name)}

    def list_other_measurements(self, now: list[JsonDict]) -> list[JsonDict]:
        """Return the measurements of the earlier run that were not made again."""
        again = [(row["workload"], row["parameters"]) for row in now if row["workload"] != "geometry"]
        metrics = {row["metric"] for row in now if row["workload"] == "geometry"}
        return [
            row
            for row in self.document["measurements"]
            if (row["workload"], row.get("parameters", {})) not in again
            and not (row["workload"] == "geometry" and row["metric"] in metrics)
        ]

    def merge_report(self, document: JsonDict) -> JsonDict:
        """Return one report of both runs, with the start time of the first, to be submitted as a new report."""
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
            "extra": _merge(extra, document["extra"]) | {"resumed_from": self.document["uuid"]},
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


def _merge(before: JsonMapping, now: JsonMapping) -> JsonDict:
    # Also merges objects inside the objects. The newer value counts.
    merged = dict(before)
    for name, value in now.items():
        earlier = merged.get(name)
        merged[name] = _merge(earlier, value) if isinstance(earlier, dict) and value else value
    return merged


def load(path: Path) -> Earlier:
    """Return the earlier run from a report file. Raise UsageError if it cannot be continued."""
    document = report.load(path)[1]
    try:
        earlier = Earlier(document)
        earlier.choice, earlier.findings, document["uuid"], document["card"]
        document["run"]["started_at"], document["run"]["duration_ns"]
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise UsageError(
            f"{path} cannot be continued: it is not a complete report from cardbench."
        ) from error
    if unknown := set(earlier.choice.workloads) - set(WORKLOADS):
        raise UsageError(
            f"{path} cannot be continued: it contains workloads that cardbench does not know: {', '.join(unknown)}."
        )
    return earlier


def check_same(earlier: Earlier, card: JsonMapping, target: str) -> None:
    """Raise UsageError unless the earlier run measured the same card and target."""
    before = earlier.document
    same = before["run"].get("target") == target and all(
        before["card"].get(name) == card.get(name) for name in ("registers", "size_bytes")
    )
    if not same:
        raise UsageError(
            "The report that you want to continue is about a different card: its registers or size differ."
        )
