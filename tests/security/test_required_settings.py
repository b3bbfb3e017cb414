"""Security review, finding 8: a site with a missing setting does not start, and names the setting."""

import os
import subprocess
import sys
from pathlib import Path
from secrets import token_hex, token_urlsafe

import pytest
from django.core.exceptions import ImproperlyConfigured

from flashdb import env
from tests.conftest import PROJECT

SOUND = {
    "DATABASE_URL": "postgresql:///none",
    "SECRET_KEY": token_hex(32),
    "IDENTITY_SECRET": token_hex(32),
    "ALLOWED_HOSTS": "flashdb.example",
}
OURS = (
    *SOUND,
    "DEBUG",
    "SECURE_COOKIES",
    "DJANGO_SETTINGS_MODULE",
    "SECRET_KEY_FILE",
    "IDENTITY_SECRET_FILE",
)
BARE = {name: value for name, value in os.environ.items() if name not in OURS}
COMMANDS = {
    "manage.py": ["manage.py", "check"],
    "gunicorn": ["-m", "gunicorn", "flashdb.wsgi", "--bind", "127.0.0.1:0", "--no-control-socket"],
}


def run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=PROJECT,
        env=BARE | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("forgotten", ["SECRET_KEY", "IDENTITY_SECRET", "ALLOWED_HOSTS"])
def test_a_bare_server_does_not_start(command: str, forgotten: str) -> None:
    done = run(COMMANDS[command], {name: value for name, value in SOUND.items() if name != forgotten})
    assert done.returncode != 0
    assert f"{forgotten} must" in done.stderr


def test_the_refusal_is_a_sentence_without_a_trace() -> None:
    done = run(["manage.py", "check"], {})
    assert done.stderr.startswith("flashdb: ") and "Traceback" not in done.stderr


def test_asking_for_debug_lends_no_secret() -> None:
    done = run(["manage.py", "check"], {"DEBUG": "True", "DATABASE_URL": "postgresql:///none"})
    assert "SECRET_KEY must be set" in done.stderr


def test_debug_is_off_unless_asked_for() -> None:
    show = ["-c", "from flashdb import settings as s; print(s.DEBUG, s.SESSION_COOKIE_SECURE)"]
    assert run(show, SOUND).stdout.split() == ["False", "True"]
    assert run(show, SOUND | {"DEBUG": "True"}).stdout.split() == ["True", "False"]


@pytest.mark.parametrize(
    "weak",
    [
        *("a" * 16, "x" * 64, "only-for-development", "only-for-measuring", "abcdefgh" * 8),
        *("changeme-changeme-changeme", "flashdb flashdb flashdb flashdb", "0123456789abcdef"),
    ],
)
def test_what_could_be_guessed_is_refused(monkeypatch: pytest.MonkeyPatch, weak: str) -> None:
    monkeypatch.setenv("A_SECRET", weak)
    with pytest.raises(ImproperlyConfigured, match="A_SECRET could be guessed"):
        env.read_secret("A_SECRET")


def test_what_is_random_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    for make in (
        lambda: token_hex(16),
        lambda: token_hex(32),
        lambda: token_urlsafe(18),
        lambda: token_urlsafe(48),
    ):
        for _ in range(200):
            monkeypatch.setenv("A_SECRET", value := make())
            assert env.read_secret("A_SECRET") == value


def test_no_secret_stands_in_the_code() -> None:
    settings = Path(PROJECT, "flashdb", "settings.py").read_text(encoding="utf-8")
    assert "only-for" not in settings
    assert settings.count("read_secret(") == 3
