"""Make and revoke tokens of accounts, give submissions to an account, and delete accounts.

An account has a name and a password, but no e-mail address.
"""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from submissions.domain.errors import ReportError
from submissions.models import ApiToken, Submission, keys
from submissions.models.audit import Actor, Role
from submissions.writing import decisions

MOST_TOKENS = 20


class AccountError(ReportError):
    """An error: an account may not do this; the message says how to proceed instead."""

    code = "impossible_for_account"


def make_token(account: User, *, device: str, name: str, scopes: list[str]) -> tuple[ApiToken, str]:
    """Return a new token and its secret, which is not stored. Raise AccountError if there are MOST_TOKENS tokens."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=account.pk)
        if ApiToken.objects.live().filter(account=account).count() >= MOST_TOKENS:
            raise AccountError(f"You have {MOST_TOKENS} tokens. Revoke one that you no longer use.")
        return ApiToken.objects.make(account, name=name, scopes=scopes, device=device)


def revoke_token(account: User, pk: int) -> None:
    """Revoke a token of this account; do nothing if the token belongs to another account."""
    ApiToken.objects.live().filter(account=account, pk=pk).update(revoked_at=timezone.now())


class RevokeTokens:
    """A validator for AUTH_PASSWORD_VALIDATORS that revokes all tokens of an account when its password changes."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Accept every password, because other validators check it."""

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None:
            ApiToken.objects.live().filter(account=user).update(revoked_at=timezone.now())

    def get_help_text(self) -> str:
        return _("A new password revokes all tokens of the account.")


def adopt(account: User, *, public_id: str, key: str) -> Submission:
    """Give the submission with this delete key to an account, so that one person is not counted twice.

    Raise AccountError if the key is wrong, or if the submission belongs to another account.
    """
    submission = Submission.objects.filter(public_id=public_id).first()
    if submission is None or not keys.is_delete_key(key, public_id):
        raise AccountError("There is no submission with this ID and this delete key.", field="key")
    if submission.account_id not in (None, account.pk):
        raise AccountError("This submission already belongs to a different account.", field="public_id")
    decisions.adopt(submission, account)
    return submission


def close_account(account: User, *, with_submissions: bool) -> None:
    """Delete an account, its tokens and, `with_submissions`, its submissions; otherwise these stay without account."""
    if with_submissions:
        for submission in Submission.objects.filter(account=account).order_by("pk"):
            decisions.delete(submission, by=Actor(Role.OWNER, account))
    account.delete()
