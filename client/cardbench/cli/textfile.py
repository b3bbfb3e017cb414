"""What a card says of its wear, as node_exporter's textfile collector reads it (Prometheus' text format, 0.0.4)."""

from __future__ import annotations

from collections.abc import Iterator

from cardbench.target import health
from cardbench.target.health import Health

_UNITS = {"%": ("ratio", 0.01), "B": ("bytes", 1)}


def write(disk: str, found: Health) -> str:
    """A gauge for each figure, in base units; `cardbench_health_known` is 0 for a card that says nothing."""
    figures = dict(_figures(found)) | {
        "known": float(not found.silence),
        "near_its_end": float(found.is_near_its_end),
    }
    return "".join(
        f'# TYPE cardbench_health_{name} gauge\ncardbench_health_{name}{{disk="{disk}"}} {value:.12g}\n'
        for name, value in sorted(figures.items())
    )


def _figures(found: Health) -> Iterator[tuple[str, float]]:
    for name, value in found.figures.items():
        unit, scale = _UNITS.get(health.UNITS[name], ("", 1))
        stem = name.removeprefix("bytes_") if unit == "bytes" else name
        yield "_".join(filter(None, (stem, unit))), value * scale
