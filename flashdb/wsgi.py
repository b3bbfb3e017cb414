"""The WSGI application: `gunicorn flashdb.wsgi`."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")

application = get_wsgi_application()

# What was loaded stays; the collector need not look through it again and again while a visitor waits.
gc.collect()
gc.freeze()
