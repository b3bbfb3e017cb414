"""What a site that only this machine reaches is set to, where its caller names nothing else."""

import json
import os
import secrets
from pathlib import Path

SECRETS = ("SECRET_KEY", "IDENTITY_SECRET")


def own_settings(state: Path) -> dict[str, str]:
    """Settings by name, with the secrets of this state directory where the caller lacks one."""
    return {
        "ALLOWED_HOSTS": "localhost,127.0.0.1,[::1]",
        "SECURE_COOKIES": "False",  # no TLS in front of 127.0.0.1
        "LIMIT_LOOPBACK": "False",  # whoever asks sits here
        **({} if _are_named() else kept_secrets(state / "secrets.json")),
    }


def _are_named() -> bool:
    """Whether the caller brings every secret, itself or as a file."""
    return all(name in os.environ or f"{name}_FILE" in os.environ for name in SECRETS)


def kept_secrets(path: Path) -> dict[str, str]:
    """The secrets of a state directory, made once: a new one would make every known card look new."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.unlink(missing_ok=True)
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({name: secrets.token_urlsafe(48) for name in SECRETS}, file)
        partial.rename(path)
    kept: dict[str, str] = json.loads(path.read_text())
    return kept
