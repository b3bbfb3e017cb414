"""Register text -> everything it can honestly tell. `decode` is the way in."""

from submissions.domain.registers.cid import Cid, identity_bytes
from submissions.domain.registers.csd import Csd
from submissions.domain.registers.decoded import Decoded, Finding, decode
from submissions.domain.registers.layout import Explanation, encode

__all__ = ["Cid", "Csd", "Decoded", "Explanation", "Finding", "decode", "encode", "identity_bytes"]
