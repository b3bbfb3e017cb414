"""Accounts: a name and a password, no address. They hold submissions and tokens; everything else works without one."""

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
    """An account cannot do this; the detail says how to do it instead."""

    code = "impossible_for_account"


def make_token(account: User, *, name: str, scopes: list[str]) -> tuple[ApiToken, str]:
    """Make a token and return it with its secret, which is not stored. Raise AccountError for more than MOST_TOKENS."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=account.pk)
        if ApiToken.objects.live().filter(account=account).count() >= MOST_TOKENS:
            raise AccountError(f"You have {MOST_TOKENS} tokens; revoke one that is not used any more.")
        return ApiToken.objects.make(account, name=name, scopes=scopes)


def revoke_token(account: User, pk: int) -> None:
    """Revoke a token of this account; do nothing when it belongs to another."""
    ApiToken.objects.live().filter(account=account, pk=pk).update(revoked_at=timezone.now())


class RevokeTokens:
    """An entry of AUTH_PASSWORD_VALIDATORS, so that every new password revokes all tokens of its account."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Accept every password."""

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None:
            ApiToken.objects.live().filter(account=user).update(revoked_at=timezone.now())

    def get_help_text(self) -> str:
        return _("A new password cancels all tokens of the account.")


def adopt(account: User, *, public_id: str, key: str) -> Submission:
    """Put the submission that this delete key opens under an account. Raise AccountError.

    It then counts as measured by the account, so that one person is not counted twice.
    """
    submission = Submission.objects.filter(public_id=public_id).first()
    if submission is None or not keys.opens(key, public_id):
        raise AccountError("There is no submission with this id and this delete key.", field="key")
    if submission.account_id not in (None, account.pk):
        raise AccountError("It belongs to another account already.", field="public_id")
    decisions.adopt(submission, account)
    return submission


def close(account: User, *, with_submissions: bool) -> None:
    """Delete an account and its tokens; its submissions go too, or stay without an account."""
    if with_submissions:
        for submission in Submission.objects.filter(account=account).order_by("pk"):
            decisions.delete(submission, by=Actor(Role.OWNER, account))
    account.delete()
