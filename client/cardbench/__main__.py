"""Run the command line of cardbench: for `python3 -m cardbench`, and when all of cardbench is one file."""

import sys

# Before the first import that an older Python cannot even parse, and in syntax that it can.
if sys.version_info < (3, 9):  # noqa: UP036
    sys.exit("cardbench needs Python 3.9 or later. Raspberry Pi OS has it since version 11 (bullseye).")

from cardbench.stopping import INTERRUPTED, leave_at_once

if __name__ == "__main__":
    leave_at_once()  # before the other imports, which take a while on a slow board
    try:
        from cardbench.cli.main import main

        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
