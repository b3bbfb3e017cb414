"""A small world with something in it for everybody to reach for: two accounts, a moderator, one submission."""

import json
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client

from submissions.models import ApiToken, Card, CardModel, Run, Submission
from submissions.models.account import SCOPES
from submissions.writing import ingest
from tests.factories import body, specimen, uuid

WHO = ("nobody", "stranger", "owner", "moderator")
NUMBER = 0x5E71A102  # the serial number of the card


@dataclass(frozen=True, slots=True)
class World:
    submission: Submission
    delete_key: str
    clients: dict[str, Client]
    headers: dict[str, dict[str, str]]

    @property
    def run(self) -> Run:
        return Run.objects.get(submission=self.submission)

    @property
    def card(self) -> Card:
        return self.run.card

    @property
    def model(self) -> CardModel:
        return self.card.variant.card_model

    def secrets(self) -> dict[str, str]:
        """What nobody but its owner may ever read, by what it is."""
        return {
            "serial number": f"{NUMBER:08x}",
            "serial number in decimal": str(NUMBER),
            "uuid of the report": str(self.submission.uuid),
            "hash of the report": self.submission.content_hash,
            "key of the submitter": self.submission.submitter,
            "raw report": "kept to ourselves",
            "delete key": self.delete_key,
            "name of the account": "olivia-the-owner",
        }

    def again(self) -> "World":
        """For one more test, of which the database knows nothing yet: whoever asked may have logged out."""
        clients = {who: _with_cookies_of(client) for who, client in self.clients.items()}
        return replace(self, submission=Submission.objects.get(pk=self.submission.pk), clients=clients)

    def ask(self, who: str, method: str, url: str, sent: Any = None) -> Any:
        """A request by session and token, whichever the address looks at."""
        is_api = url.startswith("/api/")
        data = json.dumps(sent) if is_api and sent is not None else sent
        kind = {"content_type": "application/json"} if is_api else {}
        if method in ("PUT", "PATCH", "DELETE") and not is_api:
            kind, data = {"content_type": "application/x-www-form-urlencoded"}, ""
        act = getattr(self.clients[who], method.lower())
        return act(url, data, headers=self.headers[who], **kind)


def build() -> World:
    owner, stranger, moderator = (
        User.objects.create_user(name) for name in ("olivia-the-owner", "sam", "mona")
    )
    moderator.is_staff = True
    moderator.save()
    moderator.user_permissions.set(Permission.objects.filter(content_type__app_label="submissions"))
    sent = body(
        uuid=uuid(77),
        card=specimen(NUMBER, label={"brand": "Kingston"}),
        extra={"private": "kept to ourselves"},
    )
    receipt = ingest.receive(sent, channel="api", submitter="5ec2e7" * 4, account=owner)
    ingest.process(receipt.submission.pk)
    people = {"nobody": None, "stranger": stranger, "owner": owner, "moderator": moderator}
    return World(
        Submission.objects.get(),
        receipt.delete_key or "",
        {who: _client(account) for who, account in people.items()},
        {who: _headers(account) for who, account in people.items()},
    )


def _client(account: User | None) -> Client:
    client = Client(raise_request_exception=True)
    if account:
        client.force_login(account)
    return client


def _with_cookies_of(client: Client) -> Client:
    other = Client(raise_request_exception=True)
    other.cookies = deepcopy(client.cookies)
    return other


def _headers(account: User | None) -> dict[str, str]:
    if account is None:
        return {}
    _, secret = ApiToken.objects.make(account, name="all", scopes=list(SCOPES))
    return {"Authorization": f"Token {secret}"}


# Everything that somebody could change by asking for it: table -> columns.
_CHANGEABLE = {
    "submissions_submission": "account_id, amendments, state, ruling",
    "submissions_run": "submission_id, label, note, excluded",
    "auth_user": "username, password",
    "submissions_apitoken": "account_id, scopes, revoked_at",
    "submissions_remark": "kind, reason, published",
    "submissions_auditentry": "action",
    "submissions_cardmodel": "slug",
}
_STATE = " UNION ALL ".join(
    f"SELECT '{table}', (SELECT json_agg(r ORDER BY r.id)::text FROM (SELECT id, {columns} FROM {table}) AS r)"
    for table, columns in _CHANGEABLE.items()
)


def state() -> list[Any]:
    """The rows of each of these tables; one query, for it is asked after every request."""
    with connection.cursor() as cursor:
        cursor.execute(_STATE)
        return cursor.fetchall()
