"""The site's Celery application with a defect planted into it: some reports crash whoever reads them."""

import os
import signal
from typing import Any

from celery.signals import worker_process_init

from flashdb.celery import app
from tests.chaos.load import KILLS, RAISES

__all__ = ["app"]


@worker_process_init.connect
def plant(**_: Any) -> None:
    from submissions.writing import filing

    read = filing.read_report

    def read_or_die(submission: Any) -> Any:
        body = bytes(submission.body).decode()
        if RAISES in body:
            raise RuntimeError("a defect in a parser")
        if KILLS in body:
            os.kill(os.getpid(), signal.SIGKILL)
        return read(submission)

    filing.read_report = read_or_die
