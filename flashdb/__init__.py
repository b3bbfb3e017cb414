"""Wiring only: settings, URLs, Celery, WSGI and the embedded servers. Nothing imports this package."""

# Loaded with Django, so that `shared_task` finds its broker in every process.
from flashdb.celery import app as celery_app
