"""The WSGI application: `gunicorn flashdb.wsgi`."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")

application = get_wsgi_application()
import_module(settings.ROOT_URLCONF)  # now, not while the first visitor waits

# What was loaded stays; the collector need not look through it again and again while a visitor waits.
gc.collect()
gc.freeze()
