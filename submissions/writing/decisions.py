"""Store decisions of owners, moderators and visitors about submissions.

Decisions are kept beside the report, which never changes; processing reads them, and the audit log lists them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.db import transaction

from submissions.domain import amendment, report
from submissions.domain.amendment import Amendment
from submissions.domain.errors import ReportError
from submissions.domain.pasting import pasted
from submissions.domain.pasting.pasted import Claims
from submissions.models import AuditEntry, Remark, Submission, keys
from submissions.models.audit import Actor, Role
from submissions.writing import filing, ingest

Action = AuditEntry.Action


def find_owner(submission: Submission, *, account: User | None, key: str = "") -> Actor | None:
    """Return the owner of a submission, by account or delete key, as the actor of a change; None for other visitors."""
    if account is not None and account.pk == submission.account_id:
        return Actor(Role.OWNER, account)
    return Actor(Role.KEY, account) if keys.is_delete_key(key, submission.public_id) else None


def read_claims(submission: Submission) -> Claims:
    """Return a report's claims (label, condition, note) with amendments. Raise ReportError if it is unreadable now."""
    original = report.parse(bytes(submission.body))
    return pasted.claims_in(amendment.amend(original, submission.amendments))


def amend(submission: Submission, change: Amendment, *, by: Actor) -> None:
    """Add an amendment to the earlier amendments of a submission. Raise ReportError if the change is wrong."""
    with _lock_and_reprocess(submission) as locked:
        before = _amendable_fields(locked)
        locked.amendments = amendment.merge(locked.amendments, change)
        after = _amendable_fields(locked)
        if before != after:
            AuditEntry.objects.write_about(locked, Action.AMENDED, by=by, before=before, after=after)


def adopt(submission: Submission, account: User) -> None:
    """Give a submission to an account, as if the submitter of the account's first submission had sent it."""
    with _lock_and_reprocess(submission) as locked:
        locked.submitter = Submission.objects.voice_of(account) or locked.submitter
        locked.account = account
        AuditEntry.objects.write_about(locked, Action.ADOPTED, by=Actor(Role.KEY, account))


def store_ruling(submission: Submission, ruling: Submission.Ruling, *, reason: str, by: Actor) -> None:
    """Store a moderator's ruling on a submission (confirmed, disputed or excluded), which overrides rules and remarks.

    Raise ReportError if the reason is empty.
    """
    if not reason.strip():
        raise ReportError(
            "Give a reason: the page of the submission shows it.", field="reason", code="needs_reason"
        )
    with _lock_and_reprocess(submission) as locked:
        before = {"ruling": locked.ruling, "reason": locked.ruling_reason}
        locked.ruling, locked.ruling_reason = ruling, reason.strip()[:500]
        after = {"ruling": locked.ruling, "reason": locked.ruling_reason}
        AuditEntry.objects.write_about(
            locked, Action(ruling), by=by, reason=locked.ruling_reason, before=before, after=after
        )


def store_remark(
    submission: Submission, *, visitor: str, account: User | None, kind: str, reason: str
) -> None:
    """Store or replace a visitor's remark on a submission. Raise ReportError if the submission is the visitor's own."""
    if visitor == submission.submitter or (account and account.pk == submission.account_id):
        raise ReportError("This submission is yours: correct or delete it instead.", code="own_submission")
    with _lock_and_reprocess(submission) as locked:
        keep_remark(visitor=visitor, account=account, kind=kind, reason=reason, submission=locked)


def keep_remark(*, visitor: str, account: User | None, kind: str, reason: str, **about: Any) -> None:
    """Store or replace a visitor's remark on the model with a `slug`, which a remark never hides.

    With `submission` it is about that, which the caller has locked: see `store_remark`.
    """
    remark = {"kind": kind, "reason": reason, "account": account, "published": False}
    Remark.objects.update_or_create(defaults=remark, visitor=visitor, **about)


def publish_remark(remark: Remark, *, published: bool, by: Actor) -> None:
    """Show the text of a remark to readers, or hide the text again."""
    Remark.objects.filter(pk=remark.pk).update(published=published)
    action = Action.PUBLISHED if published else Action.HIDDEN
    subject = remark.submission.public_id if remark.submission else remark.slug
    AuditEntry.objects.write(action, by=by, subject=subject, submission=remark.submission)


def delete(submission: Submission, *, by: Actor, reason: str = "") -> None:
    """Delete a submission and all of its results, and note the deletion in the audit log."""
    with transaction.atomic():
        ingest.delete(submission)
        AuditEntry.objects.write(Action.DELETED, by=by, subject=submission.public_id, reason=reason)


@contextmanager
def _lock_and_reprocess(submission: Submission) -> Iterator[Submission]:
    """Lock a submission, let the block change it, and process it again, all in one transaction."""
    with transaction.atomic():
        name_cache = filing.lock_names()
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        yield locked
        locked.save(update_fields=["account", "submitter", "amendments", "ruling", "ruling_reason"])
        ingest.reprocess_locked(locked, name_cache)


def _amendable_fields(submission: Submission) -> dict[str, object]:
    current = read_claims(submission)
    return {"label": msgspec.to_builtins(current.label), "condition": current.condition, "note": current.note}
