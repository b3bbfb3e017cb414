"""Define the Celery application of `celery -A flashdb worker`."""

import gc
import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")

app = Celery("flashdb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def freeze_imports(**_: Any) -> None:
    """Exclude imported objects from garbage collection, so that forked processes share their memory."""
    gc.freeze()
    gc.collect()
