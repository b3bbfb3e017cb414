"""`python3 -m cardbench`."""

import sys

from cardbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
