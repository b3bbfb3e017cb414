"""What a process of the site does beside its work, at its start and at its end: every command and every test of a
process pays it."""

import subprocess
import sys

from .supervision import ROOT

IMPORTED = "import flashdb.wsgi, flashdb.celery, sys; print('scipy' in sys.modules)"
LEFT_ALONE = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 0)); import flashdb"


def _printed(program: str) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_scipy_waits_until_something_is_judged() -> None:
    """scipy.stats takes half as long as everything else together."""
    assert _printed(IMPORTED) == "False\n"


def test_what_ends_is_not_searched_for_garbage() -> None:
    assert _printed(LEFT_ALONE) == "True\n"
