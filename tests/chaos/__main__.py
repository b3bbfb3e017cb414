"""Cause ROUNDS faults of a live site while CLIENTS send reports: `make chaos`. SEED repeats a run.

The exit status is 1 if data is lost.
"""

import os
import sys
import time

from tests.chaos.rounds import run


def main() -> None:
    rounds = int(os.environ.get("ROUNDS", "100"))
    seed = int(os.environ.get("SEED", "") or time.time())
    print(f"{rounds} rounds, SEED={seed}", flush=True)
    try:
        print(run(rounds, seed=seed, say=lambda line: print(line, flush=True)))
    except AssertionError as error:
        sys.exit(f"FAILED: {error}")


if __name__ == "__main__":
    main()
