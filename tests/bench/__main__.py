"""`make bench`: prints figures and ratios of one run. Nothing here passes or fails.

Run it through `make bench`, which starts a PostgreSQL and a Redis of its own.
"""

import os
import sys
from importlib import import_module

PARTS = ("engine_cost", "engine_peers", "flashbench_tables", "decode_cost", "server", "site_pages")


def main() -> None:
    wanted = sys.argv[1:] or PARTS
    print(
        f"{os.cpu_count()} processors, Python {sys.version.split()[0]}; load before: {os.getloadavg()[0]:.2f}"
    )
    for name in wanted:
        print(f"\n== {name.replace('_', ' ')}", flush=True)
        import_module(f"tests.bench.{name}").main()


if __name__ == "__main__":
    main()
