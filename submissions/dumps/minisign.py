"""Read and write keys and signatures in the format of minisign, so that `minisign -V` verifies them.

A signature is Ed25519 over the BLAKE2b hash of a text. Source: https://jedisct1.github.io/minisign/#signature-format.
"""

import hashlib
from base64 import b64decode, b64encode
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

_KEY, _SIGNATURE = "untrusted comment: minisign public key of flashdb", "untrusted comment: signed by flashdb"
_TRUSTED = "trusted comment: "


class WrongSignature(ValueError):
    """An error: the signature or the key does not fit the text; the message says why."""


class PublicKey(NamedTuple):
    """An Ed25519 public key.

    `number`: the 8 bytes by which minisign tells keys apart; `point`: the key itself, 32 bytes.
    """

    number: bytes
    point: bytes

    def __str__(self) -> str:
        """Return the key as the option `minisign -P` takes it."""
        return b64encode(b"Ed" + self.number + self.point).decode()

    @property
    def file(self) -> str:
        return f"{_KEY} {self.number[::-1].hex().upper()}\n{self}\n"


def parse_key(text: str) -> PublicKey:
    """Return the public key in a minisign key file, or in its last line. Raise WrongSignature if there is none."""
    words = text.split()
    try:
        packed = b64decode(words[-1] if words else "", validate=True)
    except ValueError:
        packed = b""
    if len(packed) != 42 or packed[:2] != b"Ed":
        raise WrongSignature("this is not a minisign public key")
    return PublicKey(packed[2:10], packed[10:])


class SecretKey(NamedTuple):
    """An Ed25519 key that is derived from a secret of any length; the same secret gives the same key."""

    secret: str

    @property
    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(self.secret.encode()).digest())

    @property
    def public(self) -> PublicKey:
        point = self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return PublicKey(hashlib.blake2b(point, digest_size=8).digest(), point)

    def sign(self, content: bytes, *, comment: str) -> str:
        """Return the text of a signature file. `comment`: one line, shown whenever the signature is verified."""
        signature = self._private.sign(hashlib.blake2b(content).digest())
        return _file(self.public, signature, comment, self._private.sign(signature + comment.encode()))


def _file(key: PublicKey, signature: bytes, comment: str, of_both: bytes) -> str:
    packed = (b64encode(part).decode() for part in (b"ED" + key.number + signature, of_both))
    return f"{_SIGNATURE}\n{next(packed)}\n{_TRUSTED}{comment}\n{next(packed)}\n"


def verify(content: bytes, signature_file: str, key: PublicKey) -> str:
    """Verify a signature of a content and return the comment of the signature.

    Raise WrongSignature if it does not fit the content, or if any other byte of the signature file was changed.
    """
    try:
        _, first, second, third = signature_file.splitlines()
        packed, comment = b64decode(first), second.removeprefix(_TRUSTED)
        signature, of_both = packed[10:], b64decode(third)
    except ValueError:
        raise WrongSignature("this is not a minisign signature") from None
    if packed[2:10] != key.number:
        raise WrongSignature("it was signed with a different key")
    if signature_file != _file(key, signature, comment, of_both):
        raise WrongSignature("other bytes of the signature file were changed")
    public = Ed25519PublicKey.from_public_bytes(key.point)
    try:
        public.verify(signature, hashlib.blake2b(content).digest())
        public.verify(of_both, signature + comment.encode())
    except InvalidSignature:
        raise WrongSignature("the signed file or the signature was changed") from None
    return comment
