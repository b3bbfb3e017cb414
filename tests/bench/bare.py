"""Serve a new Django project on the same server as a baseline: it says hello and stores the bodies of requests.

It has the middleware that `startproject` writes, and one model.
"""

import os
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings

_url = urlsplit(os.environ["DATABASE_URL"])
settings.configure(
    ALLOWED_HOSTS=["*"],
    SECRET_KEY="bench",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    ROOT_URLCONF=__name__,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": _url.path.lstrip("/"),
            "USER": _url.username or "",
            "HOST": dict(parse_qsl(_url.query)).get("host", _url.hostname or ""),
            "PORT": str(_url.port or ""),
            "CONN_MAX_AGE": 60,
        }
    },
)

from django.core.wsgi import get_wsgi_application  # noqa: E402

application = get_wsgi_application()

from django.db import models  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402


class Body(models.Model):
    body = models.BinaryField()

    class Meta:
        app_label = "bench"
        db_table = "bench_floor"


def hello(_: HttpRequest) -> HttpResponse:
    return HttpResponse("hello, world")


@csrf_exempt
def store(request: HttpRequest) -> HttpResponse:
    Body(body=request.body).save(force_insert=True)
    return HttpResponse(status=202)


urlpatterns = [path("hello/", hello), path("store/", store)]
