"""A process starts and ends quickly, because every command and every test waits for this."""

import subprocess
import sys

from .supervision import ROOT

IMPORTED = "import flashdb.wsgi, flashdb.celery, sys; print('scipy' in sys.modules)"
LEFT_ALONE = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 0)); import flashdb"


def _run_python(program: str) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_scipy_waits_until_something_is_judged() -> None:
    """To import scipy.stats takes half as long as all other imports together."""
    assert _run_python(IMPORTED) == "False\n"


def test_what_ends_is_not_searched_for_garbage() -> None:
    assert _run_python(LEFT_ALONE) == "True\n"
