"""Make the settings and secrets of a site that only this machine can reach."""

import json
import os
import secrets
from pathlib import Path

SECRETS = ("SECRET_KEY", "IDENTITY_SECRET", "DUMP_KEY")


def own_settings(state: Path) -> dict[str, str]:
    """Return settings by name, with the secrets of a state directory unless environment variables have them all."""
    has_all = all(name in os.environ or f"{name}_FILE" in os.environ for name in SECRETS)
    return {
        "ALLOWED_HOSTS": "localhost,127.0.0.1,[::1]",
        "SECURE_COOKIES": "False",  # no TLS in front of 127.0.0.1
        "LIMIT_LOOPBACK": "False",  # all visitors are on this machine
        **({} if has_all else load_secrets(state / "secrets.json")),
    }


def load_secrets(path: Path) -> dict[str, str]:
    """Return the secrets of a state directory, and make missing ones; with new secrets known cards seem new."""
    kept: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    if missing := {name: secrets.token_urlsafe(48) for name in SECRETS if name not in kept}:
        kept |= missing
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.unlink(missing_ok=True)
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(kept, file)
        partial.rename(path)
    return kept
