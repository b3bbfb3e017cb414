"""`make audit`: known vulnerabilities in what uv.lock names. Without a network it says so and lets work go on."""

import os
import subprocess
import sys
from pathlib import Path

BOOTSTRAP = Path(__file__).with_name("bootstrap.py")
# How uv says that the service with the vulnerabilities did not answer.
NOT_REACHED = "error sending request for url"


def main() -> int:
    """The exit status: 0 without known vulnerabilities, or when the service is not reached."""
    command = [sys.executable, str(BOOTSTRAP), "uv", "audit", "--frozen"]
    environment = os.environ | {"UV_PREVIEW_FEATURES": "audit-command", "UV_HTTP_RETRIES": "0"}
    asked = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return report(asked)


def report(asked: "subprocess.CompletedProcess[str]") -> int:
    """Show what uv said, or one line when it did not reach the service."""
    if asked.returncode and NOT_REACHED in asked.stderr:
        print("audit: skipped, the vulnerability service is not reached")
        return 0
    print(asked.stdout + asked.stderr, end="", file=sys.stderr if asked.returncode else sys.stdout)
    return asked.returncode


if __name__ == "__main__":
    sys.exit(main())
