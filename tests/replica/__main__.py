"""Run a site with a database replica, and promote the replica while reports come in: `make replica`.

The exit status is 1 if a report is lost. SECONDS=10 of sending before and after; SEED repeats a run. With
ASYNCHRONOUS=1 no receipt waits for the replica, and the reports that are lost by this are counted.
"""

import os
import sys
import time

from tests.replica.promotion import run


def main() -> None:
    seconds, seed = float(os.environ.get("SECONDS", "10")), int(os.environ.get("SEED", "") or time.time())
    synchronous = not os.environ.get("ASYNCHRONOUS")
    print(f"SEED={seed}", flush=True)
    try:
        outcome = run(seconds=seconds, seed=seed, synchronous=synchronous, say=print)
    except AssertionError as error:
        sys.exit(f"FAILED: {error}")
    print(outcome)
    sys.exit(1 if synchronous and outcome.lost else 0)


if __name__ == "__main__":
    main()
