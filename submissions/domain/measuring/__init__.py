"""Measurements of a report: the registry of metrics, base units, host links and plausibility."""
