"""The Celery application. Workers: `celery -A flashdb worker`."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

from flashdb.process_memory import return_freed, share_imports

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")
# Django's checks of models and addresses: `migrate` has made them, and a killed worker is back sooner without.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("flashdb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def prepare(**_: Any) -> None:
    """Before the pool forks."""
    share_imports()
    return_freed()
