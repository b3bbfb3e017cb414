"""The WSGI application: `gunicorn flashdb.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")

application = get_wsgi_application()
