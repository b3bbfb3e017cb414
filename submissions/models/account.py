"""ApiToken: a token by which scripts act for an account, which is a user of Django with a name and a password."""

import hashlib
import secrets
from collections.abc import Collection
from contextlib import suppress
from datetime import date
from typing import Self

from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import InternalError, models
from django.utils.translation import gettext, gettext_noop

# The scopes of a token, in words. Without a token everybody may submit.
SCOPES = {
    "submit": gettext_noop("submit reports under your name"),
    "correct": gettext_noop("correct and delete your submissions"),
    "moderate": gettext_noop("decide on submissions, if you are a moderator"),
}
_PREFIX = "flashdb_"


def _digest(secret: str) -> str:
    # The secret has 256 random bits, so a plain hash cannot be reversed by guessing.
    return hashlib.sha256(secret.encode()).hexdigest()


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def live(self) -> Self:
        return self.filter(revoked_at=None, account__is_active=True)

    def find_by_secret(self, secret: str) -> "ApiToken | None":
        """Return the token with this secret and its account, or None if it is unknown or revoked; one query."""
        return self.live().filter(digest=_digest(secret)).select_related("account").first()

    def make(
        self, account: User, *, name: str, scopes: Collection[str], device: str = ""
    ) -> tuple["ApiToken", str]:
        """Make a token and return it with its secret, which is not stored and cannot be shown again."""
        secret = _PREFIX + secrets.token_urlsafe(32)
        kept = [scope for scope in SCOPES if scope in scopes]
        token = self.create(account=account, name=name, scopes=kept, digest=_digest(secret), device=device)
        return token, secret

    def note_use(self, token: "ApiToken", *, today: date) -> None:
        """Store the day of a token's last use, with one write a day; do nothing if the database is read-only."""
        if token.last_used_on == today:
            return
        with suppress(InternalError):
            self.filter(pk=token.pk).update(last_used_on=today)


class ApiToken(models.Model):
    account = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100, help_text="what its owner calls it")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the secret")
    scopes = ArrayField(models.CharField(max_length=16), help_text="what it permits")
    device = models.CharField(
        max_length=100, db_default="", help_text="with which the second factor was verified when it was made"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_on = models.DateField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = ApiTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @property
    def permits(self) -> list[str]:
        """Return the actions that this token permits (its scopes), in words."""
        return [gettext(SCOPES[scope]) for scope in self.scopes]
