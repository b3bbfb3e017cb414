"""Build a small site with data for every kind of visitor, and a client for each visitor."""

import json
import time
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django_otp.plugins.otp_static.models import StaticDevice

from submissions.models import ApiToken, Card, CardModel, Run, Submission
from submissions.writing import ingest
from tests.factories import body, specimen, uuid
from tests.security.actors import (
    FORMER,
    HIS_OWN,
    LOOKER,
    MODERATOR,
    OWNER,
    PERSON,
    SESSIONS,
    STAFF,
    TOKENS,
    Who,
)

NUMBER = 0x5E71A102  # the serial number of the card


@dataclass(frozen=True, slots=True)
class World:
    submission: Submission
    delete_key: str
    clients: Mapping[Who, Client]

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
        """Return the values that only their owner may read, by kind."""
        return {
            "serial number": f"{NUMBER:08x}",
            "serial number in decimal": str(NUMBER),
            "uuid of the report": str(self.submission.uuid),
            "hash of the report": self.submission.content_hash,
            "key of the submitter": self.submission.submitter,
            "raw report": "kept to ourselves",
            "delete key": self.delete_key,
            "name of the account": OWNER,
        }

    def reset(self) -> "World":
        """Return the same site with new clients for the next test, as an earlier test may have logged clients out."""
        clients = {who: _with_cookies_of(client) for who, client in self.clients.items()}
        return replace(self, submission=Submission.objects.get(pk=self.submission.pk), clients=clients)

    def ask(self, who: Who, method: str, url: str, sent: Any = None) -> Any:
        is_api = url.startswith("/api/")
        data = json.dumps(sent) if is_api and sent is not None else sent
        kind = {"content_type": "application/json"} if is_api else {}
        if method in ("PUT", "PATCH", "DELETE") and not is_api:
            kind, data = {"content_type": "application/x-www-form-urlencoded"}, ""
        act = getattr(self.clients[who], method.lower())
        return act(url, data, **kind)


def build() -> World:
    accounts = {name: User.objects.create_user(name) for name in (OWNER, PERSON, STAFF, LOOKER, FORMER)}
    User.objects.filter(username__in=(STAFF, LOOKER)).update(is_staff=True)
    for name in (STAFF, FORMER):
        accounts[name].user_permissions.set(Permission.objects.filter(content_type__app_label="submissions"))
    devices = {name: StaticDevice.objects.create(user=one) for name, one in accounts.items()}
    receipt = _submit(accounts[OWNER])
    world = World(Submission.objects.get(), receipt.delete_key or "", {})
    everybody = {*SESSIONS.values(), *TOKENS.values(), MODERATOR}
    clients = {
        who: _client(who, accounts.get(who.account), devices.get(who.account), world) for who in everybody
    }
    return replace(world, clients=clients)


def _submit(owner: User) -> ingest.Receipt:
    card = specimen(NUMBER, label={"brand": "Kingston"})
    sent = body(uuid=uuid(77), card=card, extra={"private": "kept to ourselves"})
    receipt = ingest.receive(sent, channel="api", submitter="5ec2e7" * 4, account=owner)
    ingest.process(receipt.submission.pk)
    return receipt


def _client(who: Who, account: User | None, own: StaticDevice | None, world: World) -> Client:
    device = own.persistent_id if own and who.device == HIS_OWN else who.device
    headers = {"Delete-Key": world.delete_key} if who.has_key else {}
    if account and who.scopes is not None:
        _, secret = ApiToken.objects.make(account, name="x", scopes=who.scopes, device=device)
        headers = {"Authorization": f"Token {secret}"}
    client = Client(headers=headers, REMOTE_ADDR=who.address)
    if account and who.scopes is None:
        client.force_login(account)
    if who.has_key or (who.device and who.scopes is None):
        session = client.session
        session[world.submission.public_id] = world.delete_key if who.has_key else ""
        session["second_factor"] = [device, time.time() - who.verified_s]
        session.save()
    return client


def _with_cookies_of(client: Client) -> Client:
    other = Client()
    other.defaults = client.defaults
    other.cookies = deepcopy(client.cookies)
    return other


# Table -> its columns that a request could change.
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
    """Return the rows of all tables that a request could change, in one query, because it runs after every request."""
    with connection.cursor() as cursor:
        cursor.execute(_STATE)
        return cursor.fetchall()
