"""Configure the site: settings, URLs, Celery, WSGI, and the servers of `make run`. No other package imports this."""

import atexit
import gc

# The 165,000 objects of a start stay for good. With Python's thresholds the garbage collector examines them so often
# that it takes a seventh of the start, and a tenth of the time for a batch of reports.
gc.set_threshold(20_000, 50, 20)
# At the exit it would examine all of them again, in a fifth of the time of a short command.
atexit.register(gc.freeze)
