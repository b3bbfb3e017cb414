"""The Celery application. Workers: `celery -A flashdb worker`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")

app = Celery("flashdb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
