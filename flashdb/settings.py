"""All settings, from the environment; `.env.example` lists every name. Development needs none but the two URLs."""

from pathlib import Path

from celery.schedules import crontab
from django.core.exceptions import ImproperlyConfigured

from flashdb import env

FORMATS = ("line", "json")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

BASE_DIR = Path(__file__).resolve().parent.parent

DEBUG = env.boolean("DEBUG", default=True)
_development_secret = "only-for-development" if DEBUG else ""
SECRET_KEY = env.text("SECRET_KEY", _development_secret)
# Keys the hash that recognises a card again. Changing it makes every known card look new.
IDENTITY_SECRET = env.text("IDENTITY_SECRET", _development_secret)
if not (SECRET_KEY and IDENTITY_SECRET):
    raise ImproperlyConfigured("SECRET_KEY and IDENTITY_SECRET must be set when DEBUG is False")
if not DEBUG and (min(len(SECRET_KEY), len(IDENTITY_SECRET)) < 16 or SECRET_KEY == IDENTITY_SECRET):
    raise ImproperlyConfigured(
        "SECRET_KEY and IDENTITY_SECRET must be two different random strings of 16 characters or more; "
        "`openssl rand -hex 32` prints one"
    )

ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "*" if DEBUG else "")
if not ALLOWED_HOSTS:
    raise ImproperlyConfigured(
        "ALLOWED_HOSTS must name the hosts this site answers to when DEBUG is False, as in flashdb.example"
    )
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS", "")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.sitemaps",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "submissions",
    "api",
]

MIDDLEWARE = [
    "flashdb.logs.RequestId",
    "django.middleware.security.SecurityMiddleware",
    "flashdb.headers.SecurityHeaders",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "api.cors.CorsMiddleware",
    "flashdb.page_middleware.Sessions",
    "flashdb.page_middleware.Languages",
    "django.middleware.common.CommonMiddleware",
    "flashdb.page_middleware.Forms",
    "flashdb.page_middleware.Accounts",
    "flashdb.page_middleware.Messages",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "flashdb.page_middleware.Htmx",
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
            ],
        },
    }
]

DATABASES = {
    "default": env.database("DATABASE_URL") | {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True},
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.redis("REDIS_URL", "redis://localhost:6379/0")
# Lets Prometheus read /metrics/ from another machine; without one only this machine may.
METRICS_TOKEN = env.text("METRICS_TOKEN")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        # A page must not wait for a Redis that hangs.
        "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 2},
    },
    # Finished answers (submissions.freshness), in every process for itself: no way to Redis, and no fault with it.
    "answers": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "answers",
        "OPTIONS": {"MAX_ENTRIES": 200},
    },
}

# kombu spells a unix socket redis+socket://, redis-py spells it unix://.
_broker_url = REDIS_URL.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=")
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", _broker_url)
CELERY_TASK_IGNORE_RESULT = True
# A task is acknowledged when it is done, so a killed worker loses none. The database is the queue of record
# (Submission.state); `sweep` finds whatever the broker has forgotten.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 4
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A publisher must not keep a tester waiting for a dead broker: the sweep will find the submission.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    **{"socket_timeout": 2, "socket_connect_timeout": 2},
    **{"max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.1},
}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False  # LOGGING below is for workers, too
# How often the sweep looks for forgotten submissions, and after how long a submission that was begun counts as one.
SWEEP_S = env.number("SWEEP_S", default=30)
OVERDUE_S = 2 * SWEEP_S
# It remembers nothing: with a file of when what ran last, a clock that is put back stops the sweep for as long.
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "submissions.sweep", "schedule": float(SWEEP_S)},
    # Hourly, and it writes once a night: a night on which no beat ran is made up for.
    "dump": {"task": "submissions.write_dump", "schedule": crontab(minute="17")},
    # Besides, the sweep asks for one whenever enough is new.
    "refit": {
        "task": "submissions.writing.refit",
        "schedule": crontab(hour="3", minute="17"),
        "kwargs": {"only_if_due": False},
    },
}

# Bulk dumps: where they stand, and how many are kept.
DUMPS_DIR = env.text("DUMPS_DIR", str(BASE_DIR / ".state" / "dumps"))
DUMPS_KEPT = env.number("DUMPS_KEPT", default=7)

REST_FRAMEWORK = {
    # Sessions count on pages only: so no page of another site can make a browser use the API in your name.
    "DEFAULT_AUTHENTICATION_CLASSES": ["api.access.TokenAuthentication"],
    "DEFAULT_THROTTLE_CLASSES": ["api.throttling.Throttle"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny", "api.access.PermittedByToken"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "api.errors.handle",
    "UNAUTHENTICATED_USER": None,
    # How many proxies in front add to X-Forwarded-For; 0 believes the connection alone.
    "NUM_PROXIES": env.number("NUM_PROXIES", default=0),
}
# What one network may do so often; with a token ten times as often (submissions/visitors/limits.py).
RATE_LIMITS = env.rates(
    "RATE_LIMITS",
    "submit=120/hour,look=240/hour,change=120/hour,remark=30/hour,read=3600/hour,log-in=20/hour,sign-up=5/day",
)
# A submitter of more cards of one model within a day waits for a moderator (submissions/domain/holds.py); 0 is never.
MOST_CARDS_IN_A_DAY = env.number("MOST_CARDS_IN_A_DAY", default=30)
SPECTACULAR_SETTINGS: dict[str, object] = {
    "TITLE": "flashdb",
    "DESCRIPTION": "What an SD card really is. Data: CC BY 4.0. The report contract: api/v1/REPORT.md.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "api.v1.schema.add_contracts",
        "api.v1.schema.add_examples",
        "api.v1.schema.add_what_may_happen_anywhere",
    ],
}

# Whom to write to about a hole (SECURITY.md): an e-mail address or a page, in the OpenAPI document.
if contact := env.text("SECURITY_CONTACT"):
    SPECTACULAR_SETTINGS["CONTACT"] = {"name": "Security", "email" if "@" in contact else "url": contact}

STATIC_URL = "static/"
STATIC_ROOT = env.text("STATIC_ROOT", str(BASE_DIR / ".state" / "static"))
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

LOGIN_URL = "log-in"
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = "finder"
_PASSWORDS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS: list[dict[str, object]] = [
    {"NAME": f"{_PASSWORDS}.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": f"{_PASSWORDS}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_PASSWORDS}.CommonPasswordValidator"},
]

# A text of 8 MB may be pasted into a form, with its label; what is larger is a file, and refused in words.
DATA_UPLOAD_MAX_MEMORY_SIZE = 9_000_000

LANGUAGE_CODE = "en"
# Only languages that are complete; a new one is a row here and a catalogue in submissions/locale.
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [BASE_DIR / "submissions" / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
USE_THOUSAND_SEPARATOR = False

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# Browsers then refuse plain http for so long, whatever happens: set it when TLS is certain to stay.
SECURE_HSTS_SECONDS = env.number("HSTS_SECONDS", default=0)
if not DEBUG:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.boolean("SECURE_COOKIES", default=True)
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
            "formatter": env.choice("LOG_FORMAT", FORMATS),
            "filters": ["context"],
        }
    },
    "root": {"handlers": ["stderr"], "level": env.choice("LOG_LEVEL", LEVELS, default="INFO")},
    # A line per request is for machines that collect them.
    "loggers": {"flashdb.requests": {"level": "INFO" if env.text("LOG_FORMAT") == "json" else "WARNING"}},
}
