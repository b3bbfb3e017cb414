"""Wiring only: settings, URLs, Celery, WSGI and the embedded servers. Nothing imports this package."""

import gc

# The 165,000 objects that are made at the start stay: to look which of them go took a seventh of a start, and a tenth
# of a batch of reports.
gc.set_threshold(20_000, 50, 20)
