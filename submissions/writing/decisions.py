"""What owners, moderators and visitors decide about a submission. Decisions are kept beside the report, which stays
as it was; every later processing honours them, and the audit trail tells them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.db import transaction

from submissions import keys
from submissions.domain import amendment, report
from submissions.domain.amendment import Amendment
from submissions.domain.errors import ReportError
from submissions.domain.intake import pasted
from submissions.domain.intake.pasted import Claims
from submissions.models import AuditEntry, Remark, Submission
from submissions.models.audit import Actor, Role
from submissions.writing import filing, ingest

Action = AuditEntry.Action


def owner(submission: Submission, *, account: User | None, key: str = "") -> Actor | None:
    """In which capacity somebody may correct and delete a submission; None when they may not."""
    if account is not None and account.pk == submission.account_id:
        return Actor(Role.OWNER, account)
    return Actor(Role.KEY, account) if keys.opens(key, submission.public_id) else None


def claims(submission: Submission) -> Claims:
    """What its owner says of it by now. Raises ReportError when the report can no longer be read."""
    given = report.parse(bytes(submission.body))
    return pasted.claims_in(amendment.amended(given, submission.amendments))


def amend(submission: Submission, given: Amendment, *, by: Actor) -> None:
    """Let what is said now stand above the report. Raises ReportError, changing nothing."""
    with _reworked(submission) as locked:
        before = _told(locked)
        locked.amendments = amendment.merged(locked.amendments, given)
        after = _told(locked)
        if before != after:
            _write(Action.AMENDED, locked, by=by, before=before, after=after)


def adopt(submission: Submission, account: User) -> None:
    """Put a submission under an account; from now on it counts as measured by it."""
    with _reworked(submission) as locked:
        locked.account, locked.submitter = account, keys.submitter_key("account", str(account.pk))
        _write(Action.ADOPTED, locked, by=Actor(Role.KEY, account))


def rule(submission: Submission, ruling: Submission.Ruling, *, reason: str, by: Actor) -> None:
    """Decide about a submission for good: no rule and no visitor stands above it. Raises ReportError."""
    if not reason.strip():
        raise ReportError("Say why: the reason stands on its page.", field="reason", code="needs_reason")
    with _reworked(submission) as locked:
        before = {"ruling": locked.ruling, "reason": locked.ruling_reason}
        locked.ruling, locked.ruling_reason = ruling, reason.strip()[:500]
        after = {"ruling": locked.ruling, "reason": locked.ruling_reason}
        _write(Action(ruling), locked, by=by, reason=locked.ruling_reason, before=before, after=after)


def remark(submission: Submission, *, visitor: str, account: User | None, kind: str, reason: str) -> None:
    """Keep what a visitor says about a submission, in place of what they said before. Raises ReportError."""
    if visitor == submission.submitter or (account and account.pk == submission.account_id):
        raise ReportError("It is yours: correct or delete it instead.", code="own_submission")
    with _reworked(submission) as locked:
        _keep_remark(visitor, account, kind, reason, submission=locked)


def remark_on_model(slug: str, *, visitor: str, account: User | None, kind: str, reason: str) -> None:
    """The same about a model. It is counted and shown to moderators; no number of voices hides a model."""
    _keep_remark(visitor, account, kind, reason, slug=slug)


def _keep_remark(visitor: str, account: User | None, kind: str, reason: str, **about: Any) -> None:
    remark = {"kind": kind, "reason": reason, "account": account, "published": False}
    Remark.objects.update_or_create(defaults=remark, visitor=visitor, **about)


def publish(remark: Remark, *, published: bool, by: Actor) -> None:
    """Show readers what a visitor says, or hide it again."""
    Remark.objects.filter(pk=remark.pk).update(published=published)
    action = Action.PUBLISHED if published else Action.HIDDEN
    subject = remark.submission.public_id if remark.submission else remark.slug
    AuditEntry.objects.write(action, by=by, subject=subject, submission=remark.submission)


def delete(submission: Submission, *, by: Actor, reason: str = "") -> None:
    """Remove a submission and all that came of it; that it was there and is gone is all that stays."""
    with transaction.atomic():
        ingest.delete(submission)
        AuditEntry.objects.write(Action.DELETED, by=by, subject=submission.public_id, reason=reason)


@contextmanager
def _reworked(submission: Submission) -> Iterator[Submission]:
    """The submission, locked, to be changed within; then it is worked out again. All of it happens, or nothing."""
    with transaction.atomic():
        name_cache = filing.hold_names()
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        yield locked
        locked.save(update_fields=["account", "submitter", "amendments", "ruling", "ruling_reason"])
        ingest.rework(locked, name_cache)


def _told(submission: Submission) -> dict[str, object]:
    """What may be amended, as JSON can hold it."""
    now = claims(submission)
    return {"label": msgspec.to_builtins(now.label), "condition": now.condition, "note": now.note}


def _write(action: AuditEntry.Action, submission: Submission, *, by: Actor, **what: object) -> None:
    AuditEntry.objects.write(action, by=by, subject=submission.public_id, submission=submission, **what)
