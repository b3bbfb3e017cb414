"""The Celery application. Workers: `celery -A flashdb worker`."""

import gc
import os
from typing import Any

from celery import Celery
from celery.signals import worker_process_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")

app = Celery("flashdb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_process_init.connect
def collect_seldom(**_: Any) -> None:
    """What was loaded stays, and nearly all of a batch goes without the collector: it took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
