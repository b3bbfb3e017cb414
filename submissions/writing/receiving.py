"""Reports as they arrive: kept verbatim, each once, and answered with a receipt. Working them out follows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict, Unpack
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from submissions.apart import limited
from submissions.domain import report
from submissions.domain.pasting import pasted
from submissions.models import Submission, keys
from submissions.models.submission import new_public_id
from submissions.sql import bulk

# Channels by which people hand in what is theirs; what came in bulk or by mail has no delete key.
_OWNED = ("api", "page")


@dataclass(frozen=True, slots=True)
class Receipt:
    """`delete_key` is None for what has no owner, and for a report that was there already, unless its sender proves to
    have sent it.
    """

    submission: Submission
    created: bool
    delete_key: str | None


class Sender(TypedDict):
    """`proof`: as `keys.proof` makes it; the same content with the same proof gets its delete key again."""

    channel: str
    submitter: str
    account: NotRequired[User | None]
    proof: NotRequired[str]


def receive(body: bytes, **sender: Unpack[Sender]) -> Receipt:
    """Keep a report. The same uuid or the same content is the same submission.

    Raises report.ShapeError, storing nothing.
    """
    uuid = report.parse(body).uuid
    return _keep(_arrival(report.content_hash(body), body, **sender) | {"uuid": uuid})


def receive_text(text: bytes, *, claims: pasted.Claims, **sender: Unpack[Sender]) -> Receipt:
    """Keep what another tool printed, verbatim, beside the report it becomes. The same text is the same submission.

    Raises ReportError when nothing in it is understood or nothing names the card, storing nothing.
    """
    content_hash = pasted.content_hash(text, claims)
    if stored := Submission.objects.filter(content_hash=content_hash).first():
        return _known(stored, content_hash, sender.get("proof", ""))
    taken = limited.call(pasted.take, text, claims=claims)
    report.parse(taken.body)
    arrival = _arrival(content_hash, taken.body, **sender)
    return _keep(arrival | {"pasted": text, "published": taken.published})


def receive_all(reports: Sequence[tuple[bytes, str]], *, channel: str, vouched: bool = False) -> int:
    """Keep many reports, each with its submitter; two queries. Returns how many are new.

    `vouched`: the operator vouches for their sources, which are trusted at once.
    Raises report.ShapeError, storing nothing of any.
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


def _arrival(content_hash: str, body: bytes, *, account: User | None = None, **sender: str) -> dict[str, Any]:
    """What a submission brings, by column; the others begin with their defaults."""
    brought = {"content_hash": content_hash, "body": body, "account_id": account.pk if account else None}
    return brought | sender | {"public_id": new_public_id(), "received_at": timezone.now()}


def _keep(arrival: dict[str, Any]) -> Receipt:
    submission = bulk.insert_if_new(Submission, arrival)
    if submission is None:
        stored = Submission.objects.get_same(arrival.get("uuid"), arrival["content_hash"])
        return _known(stored, arrival["content_hash"], arrival.get("proof", ""))
    key = keys.delete_key(submission.public_id) if submission.channel in _OWNED else None
    return Receipt(submission, created=True, delete_key=key)


def _known(stored: Submission, content_hash: str, proof: str) -> Receipt:
    """Of what is there already. The uuid is no proof: it stands in every copy of a report."""
    proven = bool(stored.proof) and constant_time_compare(proof, stored.proof)
    is_own = proven and content_hash == stored.content_hash
    return Receipt(stored, created=False, delete_key=keys.delete_key(stored.public_id) if is_own else None)


def _bulk_uuid(body: bytes) -> UUID | None:
    """Published files are known again among themselves alone. Raises report.ShapeError."""
    uuid = report.parse(body).uuid
    return keys.bulk_uuid(uuid) if uuid else None
