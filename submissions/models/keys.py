"""Keyed hashes: what stands for a person, for a card, and what opens a submission. Settings and values in, text out.

The key is IDENTITY_SECRET; nobody without it can try names, addresses or serial numbers. With another secret every
key is another one: cards are no longer recognised and delete keys no longer open anything.
"""

import hashlib
from uuid import UUID

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from submissions.domain.identity import model_names

LOCAL = "local"  # the network of requests that come from the server itself


def submitter_key(kind: str, name: str) -> str:
    """Tells submitters apart. kind: account, address, mail, source. The name itself is not kept."""
    return card_key(b"submitter", kind.encode(), name.encode())


def network_number(network: str) -> int:
    """Return a number that tells networks apart, not negative; the network itself is not kept."""
    return int(submitter_key("network", network)[:15], 16)


def local_submitter() -> str:
    """The submitter of everything that is sent from the server itself."""
    return submitter_key("address", LOCAL)


def card_key(*identity_parts: bytes) -> str:
    """Recognises a specimen again; 24 hex digits, safe to publish."""
    return model_names.card_key(settings.IDENTITY_SECRET, *identity_parts)


def bulk_uuid(uuid: UUID) -> UUID:
    """Return what is kept of a uuid in a published file: nobody without the secret can name the submission by it."""
    return UUID(_keyed_hash("flashdb.uuid", f"bulk {uuid}"))


def proof(receipt_secret: str) -> str:
    """SHA-256 of the secret that a client keeps beside its receipt; "" of none. It is random, so nobody guesses it."""
    return hashlib.sha256(receipt_secret.encode()).hexdigest() if receipt_secret else ""


def delete_key(public_id: str) -> str:
    """Return the key that permits to correct and to delete this submission. Derived, never stored."""
    return _keyed_hash("flashdb.delete-key", public_id)


def _keyed_hash(purpose: str, text: str) -> str:
    keyed = salted_hmac(purpose, text, secret=settings.IDENTITY_SECRET, algorithm="sha256")
    return keyed.hexdigest()[:32]


def opens(key: str, public_id: str) -> bool:
    """Whether this is the delete key of the submission; takes as long whether it is or not."""
    return constant_time_compare(key.encode(), delete_key(public_id).encode())
