"""Build reports for tests from one complete example, which each test changes."""

import json
from typing import Any
from uuid import UUID

from submissions.domain.registers.crc7 import crc7

SA04G = {
    "cid": "02544d5341303447113533890900d371",
    "csd": "400e00325b5900001d177f800a40008d",
    "scr": "0235800001000000",
}
SA04G_SERIAL = "35338909"


def report(**changes: Any) -> dict[str, Any]:
    """Return a small complete report on the Kingston SA04G card, measured on a Raspberry Pi 4."""
    document: dict[str, Any] = {
        "format": "flashdb-report",
        "format_version": 1,
        "client": {"name": "cardbench", "version": "0.3.0"},
        "card": {"bus": "SD", "registers": dict(SA04G), "size_bytes": 3904897024, "condition": "used"},
        "host": {
            "board": "Raspberry Pi 4 Model B",
            "interface": "mmc",
            "bus_mode": {"name": "DDR50", "clock_hz": 50_000_000, "width_bits": 4},
        },
        "run": {
            "suite": "quick",
            "tool": "cardbench",
            "started_at": "2026-11-20T12:00:00Z",
            "target": "device",
        },
        "measurements": [rand_read(), rand_write()],
    }
    return document | changes


def body(**changes: Any) -> bytes:
    return json.dumps(report(**changes)).encode()


def stream(metric: str, unit: str, values: list[float], **parameters: Any) -> dict[str, Any]:
    defaults = {"queue_depth": 1, "io": "direct", "sync": "none"}
    return {
        "workload": "stream",
        "metric": metric,
        "unit": unit,
        "values": values,
        "parameters": defaults | parameters,
    }


def rand_read(*values: float) -> dict[str, Any]:
    pattern = {"direction": "read", "order": "random", "block_size_bytes": 4096}
    return stream("iops", "1/s", list(values or (1500.0, 1490.0, 1510.0)), **pattern)


def rand_write(*values: float) -> dict[str, Any]:
    pattern = {"direction": "write", "order": "random", "block_size_bytes": 4096}
    return stream("iops", "1/s", list(values or (500.0, 480.0, 520.0)), **pattern)


def rand_write_qd32(*values: float) -> dict[str, Any]:
    """Return a measurement of random writes like Raspberry Pi Diagnostics: 32 commands wait in the card at a time."""
    pattern = {"direction": "write", "order": "random", "block_size_bytes": 4096}
    queued = {"queue_depth": 32, "sync": "fsync_at_end", "command_queue": True}
    return stream("iops", "1/s", list(values or (2000.0,)), **pattern, **queued)


def seq_read(*values: float, unit: str = "MB/s") -> dict[str, Any]:
    pattern = {"direction": "read", "order": "sequential", "block_size_bytes": 1024**2}
    return stream("throughput", unit, list(values or (40.0, 41.0, 42.0)), **pattern)


def specimen(number: int, **card: Any) -> dict[str, Any]:
    """Return the `card` of another SA04G with the same silicon, another serial number and a valid checksum."""
    first = bytes.fromhex(SA04G["cid"])[:9] + number.to_bytes(4, "big") + bytes.fromhex(SA04G["cid"])[13:15]
    cid = (first + bytes([crc7(first) << 1 | 1])).hex()
    return report()["card"] | {"registers": SA04G | {"cid": cid}} | card


def sold_card(**label: Any) -> dict[str, Any]:
    """Return the `card` of a report on a product sold in shops that is known only by its label."""
    product = {"brand": "Kioxia", "line": "EXCERIA", "capacity_gb": 32, "form": "microSD"}
    return {"registers": {}, "size_bytes": None, "label": product | label}


def uuid(number: int) -> str:
    return str(UUID(int=number))
