"""Define the WSGI application of `gunicorn flashdb.wsgi`."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")

application = get_wsgi_application()
import_module(settings.ROOT_URLCONF)  # so that the first visitor does not wait for it
gc.freeze()  # forked processes share the memory of imported modules
gc.collect()  # reset the count of long-lived objects: a full collection comes when they have grown by a quarter
gc.set_threshold(700, 10, 10)  # collect often, because a request and its answer refer to each other
