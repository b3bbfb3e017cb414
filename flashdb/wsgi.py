"""The WSGI application: `gunicorn flashdb.wsgi`."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from flashdb.process_memory import share_imports

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")

application = get_wsgi_application()
import_module(settings.ROOT_URLCONF)  # now, not while the first visitor waits
share_imports()
gc.set_threshold(700, 10, 10)  # soon: a request and its answer hold each other, and their bodies
