"""`make audit`: known vulnerabilities in what uv.lock names. It fails when it cannot ask, unless AUDIT=offline."""

import os
import subprocess
import sys
from pathlib import Path

BOOTSTRAP = Path(__file__).with_name("bootstrap.py")
# How uv says that the service with the vulnerabilities did not answer.
NOT_REACHED = "error sending request for url"
_NOT_ASKED = (
    "audit: FAILED, the vulnerability service is not reached, so nothing is known of these packages."
    " On a machine without a network: AUDIT=offline make lint"
)


def main() -> int:
    """The exit status: 0 without known vulnerabilities, 1 with one, or when the service is not reached."""
    command = [sys.executable, str(BOOTSTRAP), "uv", "audit", "--frozen"]
    environment = os.environ | {"UV_PREVIEW_FEATURES": "audit-command", "UV_HTTP_RETRIES": "0"}
    asked = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return report(asked, offline=os.environ.get("AUDIT") == "offline")


def report(asked: "subprocess.CompletedProcess[str]", *, offline: bool) -> int:
    """Show what uv said, or one line when it did not reach the service. `offline`: that is allowed."""
    if asked.returncode and NOT_REACHED in asked.stderr:
        if offline:
            print("audit: skipped, the vulnerability service is not reached (AUDIT=offline)")
            return 0
        print(_NOT_ASKED, file=sys.stderr)
        return 1
    print(asked.stdout + asked.stderr, end="", file=sys.stderr if asked.returncode else sys.stdout)
    return asked.returncode


if __name__ == "__main__":
    sys.exit(main())
