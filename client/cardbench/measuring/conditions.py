"""Read the state of the host before and after a run, and list the doubts about the figures that follow from it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from cardbench.shapes import JsonDict, JsonMapping
from cardbench.target.sysfs import Sysfs

_BUSY_SHARE = 0.5  # share of the CPUs that other tasks needed before the run
_HOT_CELSIUS = 80  # where a Raspberry Pi begins to slow down
_SLOWED = 0.8  # as a share of the clock before the run
# Bits of get_throttled that mean now: under-voltage, clock capped, throttled, soft temperature limit (raspberrypi.com,
# documentation of vcgencmd).
_THROTTLED_NOW = 0xF
_THROTTLED = "devices/platform/soc/soc:firmware/get_throttled"
_CPU = "devices/system/cpu/cpu0/cpufreq"


def read_conditions(sysfs: Sysfs) -> JsonDict:
    """Return the present state of the host, such as load, clock and temperature, as far as it can be read."""
    conditions = {
        "load_average": round(os.getloadavg()[0], 2),
        "processors": os.cpu_count(),
        "governor": sysfs.text(f"{_CPU}/scaling_governor")[:200],
        "cpu_clock_hz": (sysfs.number(f"{_CPU}/scaling_cur_freq") or 0) * 1000,
        "temperature_celsius": _read_cpu_celsius(sysfs),
        "throttled": _is_throttled(sysfs.text(_THROTTLED)),
    }
    return {name: value for name, value in conditions.items() if value not in ("", 0, None) or value is False}


def load() -> float:
    """Return the number of tasks that run or wait for a CPU, per CPU."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


def _read_cpu_celsius(sysfs: Sysfs) -> float | None:
    # The first thermal zone that is named after the CPU, else the first thermal zone.
    zones = [zone for zone in sysfs.names("class/thermal") if zone.startswith("thermal_zone")]
    zones.sort(key=lambda zone: "cpu" not in sysfs.text(f"class/thermal/{zone}/type"))
    for zone in zones[:1]:
        text = sysfs.text(f"class/thermal/{zone}/temp")
        if text.lstrip("-").isdecimal():
            return int(text) / 1000
    return None


def _is_throttled(text: str) -> bool | None:
    try:
        return bool(int(text, 16) & _THROTTLED_NOW)
    except ValueError:
        return None


def doubts(before: JsonMapping, after: JsonMapping, bus_mode: JsonMapping) -> Iterator[str]:
    """Yield a sentence for each state of the host that makes the figures of a run less reliable."""
    load, processors = before.get("load_average", 0), before.get("processors") or 1
    if load > _BUSY_SHARE * processors:
        yield f"the host was busy before the run (load {load:g} on {processors} processors)"
    if before.get("throttled") or after.get("throttled"):
        yield "the host was throttled because of low voltage or heat"
    if after.get("temperature_celsius", 0) >= _HOT_CELSIUS:
        yield f"the host was hot after the run ({after['temperature_celsius']:.0f} °C)"
    earlier, later = before.get("cpu_clock_hz", 0) / 1e6, after.get("cpu_clock_hz", 0) / 1e6
    if 0 < later < _SLOWED * earlier:
        yield f"the processor slowed down during the run, from {earlier:.0f} to {later:.0f} MHz"
    if before.get("governor") == "powersave":
        yield "the processor was held at low speed (governor powersave)"
    if 0 < bus_mode.get("clock_hz", 0) < 25_000_000:
        yield f"the bus ran at only {bus_mode['clock_hz'] / 1e6:g} MHz, slower than any card"
