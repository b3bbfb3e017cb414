"""Decode the hex text of the registers of a card into their fields. Start at `decode`."""

from submissions.domain.registers.cid import Cid, drop_serial, identity_bytes, month_in_words
from submissions.domain.registers.csd import Csd
from submissions.domain.registers.decoded import Decoded, decode, decode_readable
from submissions.domain.registers.ext_csd import ExtCsd
from submissions.domain.registers.ocr import Ocr
from submissions.domain.registers.oddities import Oddity
from submissions.domain.registers.register_layout import ExplainedField, RegisterReading, encode, hex_digits
from submissions.domain.registers.scr import Scr
from submissions.domain.registers.ssr import Ssr
