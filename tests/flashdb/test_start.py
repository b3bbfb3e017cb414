"""What a process of the site imports before it has done anything: every command and every test of a process pays it."""

import subprocess
import sys

from .supervision import ROOT

IMPORTED = "import flashdb.wsgi, flashdb.celery, sys; print('scipy' in sys.modules)"


def test_scipy_waits_until_something_is_judged() -> None:
    """scipy.stats takes half as long as everything else together."""
    command = [sys.executable, "-c", IMPORTED]
    started = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert started.stdout == "False\n"
