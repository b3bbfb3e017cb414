"""Django's settings, read from environment variables; `.env.example` lists their names. A secret has no default."""

from pathlib import Path

from celery.schedules import crontab
from django.core.exceptions import ImproperlyConfigured
from environs import validate

import flashdb.celery  # noqa: F401  # so that `shared_task` finds its broker in every process
from flashdb.env import (
    IS_REDIS,
    URL_PREFIX,
    env,
    read_count,
    read_database,
    read_rates,
    read_secret,
    read_words,
)

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

BASE_DIR = Path(__file__).resolve().parent.parent

DEBUG = env.bool("DEBUG", False)
SECRET_KEY = read_secret("SECRET_KEY")
# The key of the hashes by which cards are recognized. Changing it makes every known card look new.
IDENTITY_SECRET = read_secret("IDENTITY_SECRET")
if SECRET_KEY == IDENTITY_SECRET:
    raise ImproperlyConfigured("SECRET_KEY and IDENTITY_SECRET must be two different random strings")

ALLOWED_HOSTS = read_words("ALLOWED_HOSTS")
if not ALLOWED_HOSTS:
    raise ImproperlyConfigured(
        "ALLOWED_HOSTS must name the hosts that this site serves, as in flashdb.example"
    )
CSRF_TRUSTED_ORIGINS = read_words("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "flashdb.admin_config.GuardedAdmin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.sitemaps",
    "django.contrib.staticfiles",
    "django_htmx",
    "django_otp",
    "django_otp.plugins.otp_static",
    "django_otp.plugins.otp_totp",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "submissions",
    "api",
]

MIDDLEWARE = [
    "flashdb.logs.RequestId",
    "submissions.counters.CountRequests",
    "django.middleware.security.SecurityMiddleware",
    "flashdb.headers.SecurityHeaders",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "api.cors.CorsMiddleware",
    "api.refusals.Refusals",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "flashdb.page_middleware.Sessions",
    "flashdb.languages.Languages",
    "django.middleware.common.CommonMiddleware",
    "flashdb.page_middleware.Forms",
    "flashdb.page_middleware.Accounts",
    "flashdb.page_middleware.Messages",
    "flashdb.page_middleware.Htmx",
    "submissions.pages.views.read_limits.LimitReading",
    "submissions.pages.views.permitting.Permissions",
]

ROOT_URLCONF = "flashdb.urls"
WSGI_APPLICATION = "flashdb.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {"default": read_database("DATABASE_URL")}
# A streaming replica of that database, from which full fits and dumps are read.
if env.str("REPLICA_URL", ""):
    DATABASES["replica"] = read_database("REPLICA_URL")
DATABASE_ROUTERS = ["submissions.sql.replica.Router"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", "redis://localhost:6379/0", validate=IS_REDIS)
# The token with which Prometheus may read /metrics/ from another machine; without one, only this machine may.
METRICS_TOKEN = env.str("METRICS_TOKEN", "")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        # A page must not wait for a Redis that hangs.
        "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 2},
    },
    # Finished answers (submissions.freshness) in the memory of each process, to save time and not to depend on Redis.
    "answers": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "answers",
        "OPTIONS": {"MAX_ENTRIES": 1000},
    },
}

# kombu spells a unix socket redis+socket://, redis-py spells it unix://.
_broker_url = REDIS_URL.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=")
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", _broker_url)
CELERY_TASK_IGNORE_RESULT = True
# A task is acknowledged when it is done, so a killed worker loses none. If the broker loses one, the `sweep` finds its
# submission by Submission.state in the database.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Do not let a sender wait while the broker is down: the sweep will find the submission.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    **{"socket_timeout": 2, "socket_connect_timeout": 2},
    **{"max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.1},
}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False  # LOGGING below is for workers, too
# How often the sweep looks for forgotten submissions, and after how long a submission counts as forgotten.
SWEEP_S = read_count("SWEEP_S", 30)
OVERDUE_S = 2 * SWEEP_S
# This scheduler stores no times of last runs: with them, a clock that is put back would stop the sweep for as long.
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "submissions.sweep", "schedule": float(SWEEP_S)},
    # It runs hourly but writes once a night, so that a missed night is made up for.
    "dump": {"task": "submissions.write_dump", "schedule": crontab(minute="17")},
    # Besides, the sweep starts one whenever there are enough new runs.
    "refit": {
        "task": "submissions.writing.refit",
        "schedule": crontab(hour="3", minute="17"),
        "kwargs": {"only_if_due": False},
    },
}

# Dumps, the archive of the mirror and the client: made and, unless FILES_STORAGE names a bucket, kept in this folder.
MEDIA_ROOT = env.str("FILES_DIR", str(BASE_DIR / ".state" / "files"))
MEDIA_URL = "files/"
# How many dumps are kept.
DUMPS_KEPT = read_count("DUMPS_KEPT", 7)
# How old a page may be, in seconds, for visitors who have sent nothing.
PAGES_MAY_LAG_S = read_count("PAGES_MAY_LAG_S", 1)
# The key that signs dumps (submissions/dumps/seal.py); with a new key later dumps seem to come from another site.
DUMP_KEY = read_secret("DUMP_KEY") if env.str("DUMP_KEY", "") else ""

REST_FRAMEWORK = {
    # The API ignores sessions, so that no page of another site can make a browser use the API in your name.
    "DEFAULT_AUTHENTICATION_CLASSES": ["api.authentication.TokenAuthentication"],
    "DEFAULT_THROTTLE_CLASSES": ["api.throttling.Throttle"],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.AllowAny",
        "api.authentication.Permitted",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "api.errors.handle",
    "UNAUTHENTICATED_USER": None,
    # How many proxies in front of the site add to X-Forwarded-For; with 0 that header is ignored.
    "NUM_PROXIES": read_count("NUM_PROXIES", 0),
}
# Whether requests from this machine are limited, too. If a proxy on it is not counted in NUM_PROXIES, all visitors
# look local.
LIMIT_LOOPBACK = env.bool("LIMIT_LOOPBACK", True)
# Rate limits of one network; a token and larger networks have higher ones (submissions/visitors/limits.py).
RATE_LIMITS = read_rates(
    "RATE_LIMITS",
    "submit=120/hour,look=240/hour,change=120/hour,remark=30/hour,read=3600/hour,page=7200/hour,log-in=20/hour,sign-up=5/day,admin=600/hour",
)
# More cards of one model from one submitter within a day wait for a moderator (measuring/holds.py); 0 is no limit.
MOST_CARDS_IN_A_DAY = read_count("MOST_CARDS_IN_A_DAY", 30)
# Remarks of visitors may hold so many reports within a day; after that only a moderator can hold one.
MOST_HELD_BY_REMARKS = read_count("MOST_HELD_BY_REMARKS", 20)
SPECTACULAR_SETTINGS: dict[str, object] = {
    "TITLE": "flashdb",
    "DESCRIPTION": "What an SD card really is. Data: CC BY 4.0. The report contract: api/v1/REPORT.md.",
    "VERSION": "1",
    "LICENSE": {"name": "CC BY 4.0", "identifier": "CC-BY-4.0"},
    "SERVERS": [{"url": "/"}],
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "StateEnum": ["received", "processed", "rejected", "held"],
        "ValueOriginEnum": "api.v1.advice_serializers.ORIGINS",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "api.v1.openapi.add_contracts",
        "api.v1.openapi.add_examples",
        "api.v1.openapi.add_common_responses",
    ],
}

# The contact for general questions, an e-mail address or a page: on the page about privacy, and below each page.
CONTACT = env.str("CONTACT", "")
# The contact for security problems (SECURITY.md), an e-mail address or a page: in /.well-known/security.txt, in the
# OpenAPI document, and on the page about privacy.
if SECURITY_CONTACT := env.str("SECURITY_CONTACT", ""):
    _kind = "email" if "@" in SECURITY_CONTACT else "url"
    SPECTACULAR_SETTINGS["CONTACT"] = {"name": "Security", _kind: SECURITY_CONTACT}

STATIC_URL = "static/"
STATICFILES_DIRS = [("api", BASE_DIR / "api" / "sdk" / "javascript")]
STATIC_ROOT = env.str("STATIC_ROOT", str(BASE_DIR / ".state" / "static"))
STORAGES = {
    "default": env.json("FILES_STORAGE")
    if env.str("FILES_STORAGE", "")
    else {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "flashdb.static_files.Storage"},
}
WHITENOISE_USE_FINDERS = True

# The path of the admin. With another name, scanners that try /admin/ on all sites do not find it.
ADMIN_PATH = env.str("ADMIN_PATH", "admin/", validate=URL_PREFIX)
OTP_ADMIN_HIDE_SENSITIVE_DATA = True
OTP_TOTP_ISSUER = "flashdb"

LOGIN_URL = "log-in"
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = "finder"
_PASSWORDS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS: list[dict[str, object]] = [
    {"NAME": f"{_PASSWORDS}.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": f"{_PASSWORDS}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_PASSWORDS}.CommonPasswordValidator"},
    {"NAME": "submissions.visitors.accounts.RevokeTokens"},
]

# A pasted text may have 8 MB, and some more for its label.
DATA_UPLOAD_MAX_MEMORY_SIZE = 9_000_000

LANGUAGE_CODE = "en"
LOCALE_PATHS = [BASE_DIR / "submissions" / "locale"]
LANGUAGES = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("fr", "Français"),
    ("es", "Español"),
    ("zh-hans", "简体中文"),
]
# English dates in the British order: 22 November 2026.
FORMAT_MODULE_PATH = ["flashdb.formats"]
TIME_ZONE = "UTC"

# For so long browsers refuse plain http, so set it only if TLS is certain to stay.
SECURE_HSTS_SECONDS = read_count("HSTS_SECONDS", 0)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.bool("SECURE_COOKIES", not DEBUG)
if not DEBUG:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"context": {"()": "flashdb.logs.Context"}},
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
        "json": {"()": "flashdb.logs.JsonLines"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": env.str("LOG_FORMAT", "line", validate=validate.OneOf(["line", "json"])),
            "filters": ["context"],
        }
    },
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", "INFO", validate=validate.OneOf(LEVELS))},
    # Requests are logged only for a log collector.
    "loggers": {"flashdb.requests": {"level": "INFO" if env.str("LOG_FORMAT", "") == "json" else "WARNING"}},
}
