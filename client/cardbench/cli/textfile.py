"""Write the wear that a card reports for node_exporter's textfile collector (Prometheus' text format, 0.0.4)."""

from __future__ import annotations

from cardbench.target import health
from cardbench.target.health import Health

_UNITS = {"%": ("ratio", 0.01), "B": ("bytes", 1)}
_PREFIX = "cardbench_health"
KNOWN, NEAR_ITS_END = f"{_PREFIX}_known", f"{_PREFIX}_near_its_end"


def write(disk: str, found: Health) -> str:
    """Return the text with a gauge for each figure of a card's health, in base units.

    The gauge `cardbench_health_known` is 0 for a card that reports nothing.
    """
    figures = {KNOWN: float(not found.silence), NEAR_ITS_END: float(found.is_near_its_end)}
    for name, value in found.figures.items():
        gauge, scale = gauge_of(name)
        figures[gauge] = value * scale
    return "".join(
        f'# TYPE {gauge} gauge\n{gauge}{{disk="{disk}"}} {value:.12g}\n'
        for gauge, value in sorted(figures.items())
    )


def gauge_of(name: str) -> tuple[str, float]:
    """Return the name of the gauge for a figure of a card's health, and the factor to its base unit."""
    unit, scale = _UNITS.get(health.UNITS[name], ("", 1))
    stem = name.removeprefix("bytes_") if unit == "bytes" else name
    return "_".join(filter(None, (_PREFIX, stem, unit))), scale
