"""The measurements of a report: the registry of metrics, base units, bus rates and plausibility."""
