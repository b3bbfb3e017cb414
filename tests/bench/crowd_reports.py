"""Turn a simulated crowd into the reports that its members would send: the input of the load benchmark."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from submissions.domain.registers.crc7 import crc7
from tests.crowd import Crowd
from tests.worlds import NAMES

_GB = (4, 8, 16, 32, 64, 128, 256)
# Type of host in tests/crowd.py -> board, interface, bus mode with its clock.
_HOSTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("Raspberry Pi 3", "mmc", {"name": "SD high-speed", "clock_hz": 50_000_000, "width_bits": 4}),
    ("Raspberry Pi 4", "mmc", {"name": "DDR50", "clock_hz": 50_000_000, "width_bits": 4}),
    ("Raspberry Pi 5", "mmc", {"name": "SDR104", "clock_hz": 208_000_000, "width_bits": 4}),
    ("PC", "usb", {"name": "USB 2"}),
    ("PC", "usb", {}),
)
_DIRECT = {"queue_depth": 1, "io": "direct"}
_PATTERNS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "seq_read": (
        *("stream", "throughput", "B/s"),
        _DIRECT | {"direction": "read", "order": "sequential", "block_size_bytes": 2**20},
    ),
    "seq_write": (
        *("stream", "throughput", "B/s"),
        _DIRECT | {"direction": "write", "order": "sequential", "block_size_bytes": 2**20, "sync": "none"},
    ),
    "rand_read_4k": (
        *("stream", "iops", "1/s"),
        _DIRECT | {"direction": "read", "order": "random", "block_size_bytes": 4096},
    ),
    "rand_write_4k": (
        *("stream", "iops", "1/s"),
        _DIRECT | {"direction": "write", "order": "random", "block_size_bytes": 4096, "sync": "none"},
    ),
    "open_au_random_16k_osync": (
        *("open-au", "throughput", "B/s"),
        _DIRECT
        | {"order": "random", "block_size_bytes": 16384, "open_au": 1, "sync": "osync", "direction": "write"},
    ),
}


def reports(drawn: Crowd) -> Iterator[tuple[bytes, str]]:
    """Yield the report of every run, and the name of its submitter, in a random order."""
    columns = np.array([drawn.values[name] for name in NAMES])
    for run in np.random.default_rng(0).permutation(len(drawn.model)).tolist():
        document = _report(drawn, run, dict(zip(NAMES, columns[:, run].tolist(), strict=True)))
        yield json.dumps(document).encode(), f"person {drawn.submitter[run]}"


def _report(drawn: Crowd, run: int, values: dict[str, float]) -> dict[str, Any]:
    host = int(drawn.host[run])
    board, interface, bus_mode = _HOSTS[int(drawn.host_type[host])]
    measured = [measurement(name, value) for name, value in values.items() if np.isfinite(value)]
    return {
        "format": "flashdb-report",
        "format_version": 1,
        "client": {"name": "bench", "version": "1"},
        "card": _card(drawn, int(drawn.card[run]), shows_cid=interface == "mmc"),
        "host": {"board": board, "machine": f"host {host}", "interface": interface, "bus_mode": bus_mode},
        "run": {"suite": "quick", "tool": "bench", "target": "device"},
        "measurements": measured,
        "extra": {"run": run},
    }


def _card(drawn: Crowd, card: int, *, shows_cid: bool) -> dict[str, Any]:
    model = int(drawn.card_model[card])
    brand, line, capacity = (int(trait) for trait in drawn.traits[model])
    label = {
        "brand": f"Brand {brand}",
        "line": f"Line {line}",
        "model_number": f"M{model}",
        "capacity_gb": _GB[capacity],
    }
    size_bytes = _GB[capacity] * 10**9
    if not shows_cid:
        return {"bus": "SD", "label": label, "specimen": f"card {card}", "size_bytes": size_bytes}
    return {"bus": "SD", "label": label, "registers": {"cid": _cid(drawn, card)}, "size_bytes": size_bytes}


def _cid(drawn: Crowd, card: int) -> str:
    # Maker and product of the model, the silicon as its revision, the card as its serial number.
    model, silicon = int(drawn.card_model[card]), max(int(drawn.signature[card]), 0)
    year, month = divmod(int(drawn.card_month[card]) % 180, 12)
    first = (
        bytes([0xE1, 0x46, 0x44])
        + f"{model:05d}".encode()[-5:]
        + bytes([0x10 * (1 + silicon)])
        + (card + 1).to_bytes(4, "big")
        + ((year + 10) << 4 | (month + 1)).to_bytes(2, "big")
    )
    return (first + bytes([crc7(first) << 1 | 1])).hex()


def measurement(name: str, value: float) -> dict[str, Any]:
    workload, metric, unit, parameters = _PATTERNS[name]
    return {
        "workload": workload,
        "metric": metric,
        "unit": unit,
        "values": [float(f"{value:.6g}")],
        "parameters": parameters,
    }
