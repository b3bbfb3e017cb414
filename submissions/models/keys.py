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
    """Return a hash that identifies a submitter. `kind`: account, address, mail, source. The name is not stored."""
    return card_key(b"submitter", kind.encode(), name.encode())


def network_number(network: str) -> int:
    """Return a 60-bit hash that identifies the network of a sender; the network itself is not stored."""
    return int(submitter_key("network", network)[:15], 16)


def local_submitter() -> str:
    """Return the submitter hash of reports that are sent from the server itself."""
    return submitter_key("address", LOCAL)


def card_key(*identity_parts: bytes) -> str:
    """Return a hash of 24 hex digits that identifies a physical card and is safe to publish."""
    return model_names.card_key(settings.IDENTITY_SECRET, *identity_parts)


def bulk_uuid(uuid: UUID) -> UUID:
    """Return the uuid to store for a report of a published file: a keyed hash of its uuid, which is no secret."""
    return UUID(_keyed_hash("flashdb.uuid", f"bulk {uuid}"))


def proof(receipt_secret: str) -> str:
    """Return the SHA-256 of the random secret that a client keeps beside its receipt; "" if there is no secret."""
    return hashlib.sha256(receipt_secret.encode()).hexdigest() if receipt_secret else ""


def delete_key(public_id: str) -> str:
    """Return the key that permits correcting and deleting a submission. The key is derived, never stored."""
    return _keyed_hash("flashdb.delete-key", public_id)


def _keyed_hash(purpose: str, text: str) -> str:
    keyed = salted_hmac(purpose, text, secret=settings.IDENTITY_SECRET, algorithm="sha256")
    return keyed.hexdigest()[:32]


def is_delete_key(key: str, public_id: str) -> bool:
    """Return whether this is the delete key of a submission, in constant time."""
    return constant_time_compare(key.encode(), delete_key(public_id).encode())
