"""Settings come from the environment, and an invalid value is refused with a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from flashdb import env
from flashdb.postgresql.base import DatabaseWrapper

PROJECT = Path(__file__).parents[2]
STRONG = "4be1c0a85f7d2e93a6b41c7f0d58e2936ab17cd4"


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_URL", "postgresql://me:s%40cret@db.example:5433/cards?sslmode=require")
    database = env.read_database("A_URL")
    expected = {
        "ENGINE": "flashdb.postgresql",
        "NAME": "cards",
        "USER": "me",
        "PASSWORD": "s@cret",
        "HOST": "db.example",
        "PORT": 5433,
        "OPTIONS": {"sslmode": "require"},
    }
    assert {name: database[name] for name in expected} == expected
    assert (database["CONN_MAX_AGE"], database["CONN_HEALTH_CHECKS"]) == (60, True)


def test_a_socket_directory_is_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_URL", "postgresql://flashdb@/flashdb?host=/run/here")
    database = DatabaseWrapper(env.read_database("A_URL") | {"TIME_ZONE": None})
    assert database.get_connection_params()["host"] == "/run/here"


@pytest.mark.parametrize("url", ["", "sqlite:///db.sqlite3", "mysql://x/y"])
def test_another_database_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("A_URL", url)
    with pytest.raises(ImproperlyConfigured, match="must start with postgresql://"):
        env.read_database("A_URL")


def test_a_secret_may_come_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hush\n")
    monkeypatch.setenv("A_SECRET_FILE", str(tmp_path / "secret"))
    assert env.env.str("A_SECRET") == "hush"
    monkeypatch.setenv("A_SECRET_FILE", str(tmp_path / "nothing"))
    with pytest.raises(ValueError, match="A_SECRET_FILE must be a readable file path"):
        env.env.str("A_SECRET")


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


@pytest.mark.parametrize(
    ("nonsense", "sentence"),
    [
        ({"SECRET_KEY": STRONG, "IDENTITY_SECRET": STRONG}, "two different random strings"),
        ({"ALLOWED_HOSTS": " , "}, "must name the hosts"),
        ({"REDIS_URL": "localhost:6379"}, "must start with redis://"),
        ({"LOG_FORMAT": "xml"}, '"LOG_FORMAT" invalid: [\'Must be one of: line, json.'),
        ({"LOG_LEVEL": "LOUD"}, '"LOG_LEVEL" invalid: [\'Must be one of: DEBUG'),
        ({"SWEEP_S": "often"}, '"SWEEP_S" invalid: Not a valid integer'),
        ({"SWEEP_S": "-1"}, '"SWEEP_S" invalid: [\'Must be greater than or equal to 0'),
        ({"DEBUG": "perhaps"}, '"DEBUG" invalid: Not a valid boolean'),
        ({"ADMIN_PATH": "/"}, "must be one word followed by a slash"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(nonsense: dict[str, str], sentence: str) -> None:
    sound = {"SECRET_KEY": STRONG, "IDENTITY_SECRET": STRONG[::-1], "ALLOWED_HOSTS": "flashdb.example"}
    sound["DATABASE_URL"] = "postgresql:///none"
    environment = os.environ | {"DEBUG": "False"} | sound | nonsense
    check = [sys.executable, "-c", "import flashdb.settings"]
    done = subprocess.run(check, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert sentence in done.stderr
