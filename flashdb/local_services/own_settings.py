"""What a site that only this machine reaches is set to, where its caller names nothing else."""

import json
import os
import secrets
from pathlib import Path

SECRETS = ("SECRET_KEY", "IDENTITY_SECRET", "DUMP_KEY")


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
    """The secrets of a state directory, each made once: a new one would make every known card look new."""
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
