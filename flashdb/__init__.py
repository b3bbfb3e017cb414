"""Wiring only: settings, URLs, Celery, WSGI and the embedded servers. Nothing imports this package."""

import atexit
import gc

# The 165,000 objects that are made at the start stay: to look which of them go took a seventh of a start, and a tenth
# of a batch of reports.
gc.set_threshold(20_000, 50, 20)
# And at the end, when all of them go, it looked at each once more: for a fifth of the time of a short command.
atexit.register(gc.freeze)
