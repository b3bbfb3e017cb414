"""Run `make replica`: a site with a replica, which is promoted while reports come in. Status 1 when one is lost.

SECONDS=10 of sending before and after, SEED repeats a run. ASYNCHRONOUS=1 lets no receipt wait for the replica, and
counts how many are lost by that.
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
