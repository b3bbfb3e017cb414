"""Set the values that the settings of the site need, for tests and for mypy, which needs no server."""

import os

os.environ.setdefault("DATABASE_URL", "postgresql:///none")
os.environ.setdefault("ALLOWED_HOSTS", "*")
os.environ["DEBUG"] = "True"
os.environ["LIMIT_LOOPBACK"] = "False"
os.environ["PAGES_MAY_LAG_S"] = "0"
os.environ["SECRET_KEY"] = "for tests alone: 6f1d0c5b9e27a483"
os.environ["IDENTITY_SECRET"] = "of tests alone: 3e8a74d1b0c95f26"

from flashdb.settings import *  # noqa: F403

# Files have no hashed names in tests, because no test collects static files as `make run` does.
STATIC_ROOT = os.environ.get("STATIC_ROOT", str(BASE_DIR / "tests" / "nothing-collected"))  # noqa: F405
