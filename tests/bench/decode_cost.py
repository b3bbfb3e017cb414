"""Measure the time of one full decode: registers to fields, maker, products and suspicions."""

import gc
import time

from submissions.domain.identity.identification import Identification, identify
from submissions.domain.registers import decode

GOAL_US = 100.0
ROUNDS, PER_ROUND = 7, 2_000

# All registers of an SD card; Sandisk SC16G of a BeagleBone, tests/data/registers/udevadm-sandisk-sc16g.txt.
REGISTERS = {
    "cid": "035344534331364780ecf4c851011b85",
    "csd": "400e00325b59000076b27f800a404013",
    "scr": "0235804300000000",
    "ssr": "0000000004000000040090000f051a00000000000001" + "0" * 84,
    "ocr": "00200000",
}


def full_decode() -> Identification:
    return identify(decode(REGISTERS, bus="SD"), label_brand="SanDisk", size_bytes=15_931_539_456)


def cost_us() -> float:
    """Return the µs per full decode: the best of several rounds, to exclude other work on the machine."""
    full_decode()  # reads the tables
    gc.disable()
    try:
        return min(_round_us() for _ in range(ROUNDS))
    finally:
        gc.enable()


def _round_us() -> float:
    began = time.perf_counter()
    for _ in range(PER_ROUND):
        full_decode()
    return (time.perf_counter() - began) / PER_ROUND * 1e6


def main() -> None:
    cost = cost_us()
    print(
        f"full decode of five registers: {cost:.0f} µs (goal: under {GOAL_US:.0f} µs), {1e6 / cost:,.0f} cards/s"
    )


if __name__ == "__main__":
    main()
