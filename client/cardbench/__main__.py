"""`python3 -m cardbench`, and the first thing that runs when all of cardbench is one file."""

import sys

# Before anything is imported that an older Python cannot even read, and in words that it can.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit("cardbench needs Python 3.11 or later. Raspberry Pi OS has it since version 12 (bookworm).")

from cardbench.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
