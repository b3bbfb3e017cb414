"""Settings come from the environment, and nonsense is refused in words."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from flashdb import env

PROJECT = Path(__file__).parents[2]
STRONG = "4be1c0a85f7d2e93a6b41c7f0d58e2936ab17cd4"


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_URL", "postgresql://me:s%40cret@db.example:5433/cards?sslmode=require")
    assert env.database("A_URL") == {
        "ENGINE": "flashdb.postgresql",
        "NAME": "cards",
        "USER": "me",
        "PASSWORD": "s@cret",
        "HOST": "db.example",
        "PORT": "5433",
        "OPTIONS": {
            "sslmode": "require",
            "options": "-c pg_trgm.word_similarity_threshold=0.5 -c random_page_cost=1.1"
            " -c plan_cache_mode=force_generic_plan",
        },
    }


def test_a_socket_directory_is_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_URL", "postgresql://flashdb@/flashdb?host=/run/here")
    assert env.database("A_URL")["HOST"] == "/run/here"


@pytest.mark.parametrize("url", ["", "sqlite:///db.sqlite3", "mysql://x/y"])
def test_another_database_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("A_URL", url)
    with pytest.raises(ImproperlyConfigured, match="must start with postgresql://"):
        env.database("A_URL")


@pytest.mark.parametrize(
    ("url", "settings"),
    [
        ("", {}),
        ("file:///var/mail%20box", {"EMAIL_FILE_PATH": "/var/mail box"}),
        (
            "smtp://me:s%40cret@mail.example",
            {
                "EMAIL_HOST": "mail.example",
                "EMAIL_PORT": 587,
                "EMAIL_HOST_PASSWORD": "s@cret",
                "EMAIL_USE_TLS": True,
            },
        ),
        ("smtps://mail.example", {"EMAIL_PORT": 465, "EMAIL_USE_SSL": True, "EMAIL_USE_TLS": False}),
        (
            "smtp+plain://mail.example:1025",
            {"EMAIL_PORT": 1025, "EMAIL_USE_SSL": False, "EMAIL_USE_TLS": False},
        ),
    ],
)
def test_how_mail_leaves(monkeypatch: pytest.MonkeyPatch, url: str, settings: dict[str, object]) -> None:
    monkeypatch.setenv("A_URL", url)
    made = env.mail("A_URL")
    assert {name: made[name] for name in settings} == settings
    assert bool(made) == bool(url)


@pytest.mark.parametrize("url", ["mail.example", "http://mail.example", "smtp://"])
def test_mail_leaves_in_no_other_way(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("A_URL", url)
    with pytest.raises(ImproperlyConfigured, match="must start with smtp://"):
        env.mail("A_URL")


def test_a_boolean_is_spelled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_FLAG", "yes")
    with pytest.raises(ImproperlyConfigured, match="must be True or False"):
        env.boolean("A_FLAG", default=True)


def test_a_secret_may_come_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hush\n")
    monkeypatch.setenv("A_SECRET_FILE", str(tmp_path / "secret"))
    assert env.text("A_SECRET") == "hush"
    monkeypatch.setenv("A_SECRET_FILE", str(tmp_path / "nothing"))
    with pytest.raises(ImproperlyConfigured, match="cannot be read"):
        env.text("A_SECRET")


@pytest.mark.parametrize(
    ("contact", "kind"), [("security@flashdb.example", "email"), ("https://flashdb.example/security", "url")]
)
def test_the_api_names_whom_to_write_to(contact: str, kind: str) -> None:
    show = "from django.conf import settings; print(settings.SPECTACULAR_SETTINGS['CONTACT'])"
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "flashdb.settings",
        "DATABASE_URL": "postgresql:///x",
    }
    shown = subprocess.run(
        [sys.executable, "-c", show],
        cwd=PROJECT,
        env=environment | {"SECURITY_CONTACT": contact},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == f"{ {'name': 'Security', kind: contact} }\n"


def test_a_number_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    assert env.number("A_NUMBER", default=2) == 2
    monkeypatch.setenv("A_NUMBER", "-1")
    with pytest.raises(ImproperlyConfigured, match="must be a whole number"):
        env.number("A_NUMBER", default=2)


@pytest.mark.parametrize(
    ("nonsense", "sentence"),
    [
        ({"SECRET_KEY": STRONG, "IDENTITY_SECRET": STRONG}, "two different random strings"),
        ({"ALLOWED_HOSTS": " , "}, "must name the hosts"),
        ({"REDIS_URL": "localhost:6379"}, "must start with redis://"),
        ({"LOG_FORMAT": "xml"}, "LOG_FORMAT must be one of line, json"),
        ({"LOG_LEVEL": "LOUD"}, "LOG_LEVEL must be one of DEBUG"),
        ({"SWEEP_S": "often"}, "must be a whole number"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(nonsense: dict[str, str], sentence: str) -> None:
    sound = {"SECRET_KEY": STRONG, "IDENTITY_SECRET": STRONG[::-1], "ALLOWED_HOSTS": "flashdb.example"}
    sound["DATABASE_URL"] = "postgresql:///none"
    environment = os.environ | {"DEBUG": "False"} | sound | nonsense
    check = [sys.executable, "-c", "import flashdb.settings"]
    done = subprocess.run(check, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert sentence in done.stderr
