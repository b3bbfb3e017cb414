"""Plant defects into the Celery application of the site: some reports crash the process that reads them.

With SKIP_JUDGINGS=3 every third estimate of a model is skipped, which a run must detect.
"""

import itertools
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
    if every := int(os.environ.get("SKIP_JUDGINGS") or 0):
        _skip_judgings(every)


def _skip_judgings(every: int) -> None:
    from submissions.models import TouchedModel
    from submissions.writing import scoring

    judge, count = scoring._judge, itertools.count(1)

    def judge_or_skip(locked: Any) -> None:
        skipped = [model.pk for model in locked if next(count) % every == 0]
        TouchedModel.objects.filter(judged=False, card_model__in=skipped).delete()
        judge([model for model in locked if model.pk not in skipped])

    scoring._judge = judge_or_skip
