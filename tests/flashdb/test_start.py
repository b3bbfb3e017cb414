"""Keep the start and the end of a process short: every command and every test pays for them."""

import subprocess
import sys

from .supervision import ROOT

IMPORTED = "import flashdb.wsgi, flashdb.celery, sys; print('scipy' in sys.modules)"
LEFT_ALONE = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 0)); import flashdb"


def _run_python(program: str) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_scipy_waits_until_something_is_judged() -> None:
    """scipy.stats takes half as long as everything else together."""
    assert _run_python(IMPORTED) == "False\n"


def test_what_ends_is_not_searched_for_garbage() -> None:
    assert _run_python(LEFT_ALONE) == "True\n"
