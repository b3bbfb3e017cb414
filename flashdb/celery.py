"""The Celery application. Workers: `celery -A flashdb worker`."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

from flashdb.process_memory import return_freed, share_imports

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")

app = Celery("flashdb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def prepare(**_: Any) -> None:
    """Before the pool forks."""
    share_imports()
    return_freed()
