"""Receive reports: store each report verbatim and only once, and return a receipt. Workers process reports later."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NotRequired, TypedDict, Unpack
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from submissions.domain import report
from submissions.domain.pasting import pasted
from submissions.models import Submission, keys
from submissions.models.submission import new_public_id
from submissions.sandbox import limited_call
from submissions.sql import bulk

# Channels with a delete key for the sender. Bulk loads and mails have none.
_OWNED = ("api", "page")


class Receipt(NamedTuple):
    """The answer to the sender of a report.

    `delete_key` is None for bulk loads and mails, and for a duplicate unless `Sender.proof` matches the stored proof.
    """

    submission: Submission
    created: bool
    delete_key: str | None


class Sender(TypedDict):
    """The sender of a report. A sender who repeats a report with the same `proof` gets the delete key again."""

    channel: str
    submitter: str
    account: NotRequired[User | None]
    proof: NotRequired[str]
    network: NotRequired[int | None]


def receive(body: bytes, **sender: Unpack[Sender]) -> Receipt:
    """Store a report, unless a report with the same uuid or the same content is stored already.

    Raise json_shape.ShapeError, and store nothing, if the report is not valid.
    """
    uuid = report.parse(body).uuid
    return _store(_columns(report.content_hash(body), body, **sender) | {"uuid": uuid})


def receive_parts(text: bytes, claims: Sequence[pasted.Claims], **sender: Unpack[Sender]) -> list[Receipt]:
    """Make a report of each part of a pasted text, and store all reports or none; each of `claims` selects a part.

    Claims are the label and answers that the sender adds. Raise ReportError if nothing in a part is understood, or if
    nothing names the card of a part.
    """
    hashed = {pasted.content_hash(text, one): one for one in claims}
    stored = {row.content_hash: row for row in Submission.objects.filter(content_hash__in=hashed)}
    taken = _take_parts(text, {key: one for key, one in hashed.items() if key not in stored})
    return [
        _store(_columns(key, taken[key].body, **sender) | {"pasted": text, "published": taken[key].published})
        if key in taken
        else _receipt_of_stored(stored[key], key, sender.get("proof", ""))
        for key in hashed
    ]


def _take_parts(text: bytes, claims: Mapping[str, pasted.Claims]) -> dict[str, pasted.PastedReport]:
    taken = limited_call.call(pasted.take_parts, text, [*claims.values()]) if claims else []
    for one in taken:
        report.parse(one.body)
    return dict(zip(claims, taken, strict=True))


def receive_all(reports: Sequence[tuple[bytes, str]], *, channel: str, vouched: bool = False) -> int:
    """Store many reports, each with its submitter, and return the number of new reports; three queries.

    Reports are trusted at once if the operator `vouched` for their source. Raise json_shape.ShapeError, and store no
    report, if one is not valid.
    """
    submissions = [
        Submission(
            uuid=_bulk_uuid(body),
            content_hash=report.content_hash(body),
            body=body,
            channel=channel,
            submitter=submitter,
            vouched=vouched,
        )
        for body, submitter in reports
    ]
    hashes = [submission.content_hash for submission in submissions]
    uuids = [submission.uuid for submission in submissions if submission.uuid]
    same = Submission.objects.filter(Q(content_hash__in=hashes) | Q(uuid__in=uuids))
    before = same.count()
    Submission.objects.bulk_create(submissions, ignore_conflicts=True)
    return same.count() - before


def _columns(content_hash: str, body: bytes, *, account: User | None = None, **sender: Any) -> dict[str, Any]:
    brought = {"content_hash": content_hash, "body": body, "account_id": account.pk if account else None}
    return brought | sender | {"public_id": new_public_id(), "received_at": timezone.now()}


def _store(arrival: dict[str, Any]) -> Receipt:
    submission = bulk.insert_if_new(Submission, arrival)
    if submission is None:
        stored = Submission.objects.get_same(arrival.get("uuid"), arrival["content_hash"])
        return _receipt_of_stored(stored, arrival["content_hash"], arrival.get("proof", ""))
    key = keys.delete_key(submission.public_id) if submission.channel in _OWNED else None
    return Receipt(submission, created=True, delete_key=key)


def _receipt_of_stored(stored: Submission, content_hash: str, proof: str) -> Receipt:
    # The uuid proves nothing: every copy of a report contains it.
    proven = bool(stored.proof) and constant_time_compare(proof, stored.proof)
    is_own = proven and content_hash == stored.content_hash
    return Receipt(stored, created=False, delete_key=keys.delete_key(stored.public_id) if is_own else None)


def _bulk_uuid(body: bytes) -> UUID | None:
    """Return a hash of a report's uuid, or None without a uuid, so that a bulk load only duplicates other bulk loads.

    Raise json_shape.ShapeError if the report is not valid.
    """
    uuid = report.parse(body).uuid
    return keys.bulk_uuid(uuid) if uuid else None
