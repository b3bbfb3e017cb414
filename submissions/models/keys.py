"""Compute keyed hashes that identify people and cards, and the delete keys of submissions.

The key is IDENTITY_SECRET; without it names, addresses and serial numbers cannot be guessed. A new secret changes every
hash: cards are no longer recognised and delete keys no longer work.
"""

import hashlib
from uuid import UUID

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from submissions.domain.identity import model_names

LOCAL = "local"  # the network of requests that come from the server itself


def submitter_key(kind: str, name: str) -> str:
    """Return a hash that tells submitters apart. `kind`: account, address, mail, source. The name is not stored."""
    return card_key(b"submitter", kind.encode(), name.encode())


def network_number(network: str) -> int:
    """Return a number of 60 bits that tells networks apart; the network is not stored."""
    return int(submitter_key("network", network)[:15], 16)


def local_submitter() -> str:
    """Return the submitter of reports that are sent from the server itself."""
    return submitter_key("address", LOCAL)


def card_key(*identity_parts: bytes) -> str:
    """Return a hash that recognises a specimen; 24 hex digits, safe to publish."""
    return model_names.card_key(settings.IDENTITY_SECRET, *identity_parts)


def bulk_uuid(uuid: UUID) -> UUID:
    """Return the uuid to store for one in a published file, so that the published one does not name the submission."""
    return UUID(_keyed_hash("flashdb.uuid", f"bulk {uuid}"))


def proof(receipt_secret: str) -> str:
    """Return the SHA-256 of the random secret that a client keeps beside its receipt; "" without a secret."""
    return hashlib.sha256(receipt_secret.encode()).hexdigest() if receipt_secret else ""


def delete_key(public_id: str) -> str:
    """Return the key that permits correcting and deleting a submission. It is derived, never stored."""
    return _keyed_hash("flashdb.delete-key", public_id)


def _keyed_hash(purpose: str, text: str) -> str:
    keyed = salted_hmac(purpose, text, secret=settings.IDENTITY_SECRET, algorithm="sha256")
    return keyed.hexdigest()[:32]


def is_delete_key(key: str, public_id: str) -> bool:
    """Return whether this is the delete key of a submission, in constant time."""
    return constant_time_compare(key.encode(), delete_key(public_id).encode())
