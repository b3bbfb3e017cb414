"""The body of a request to POST /api/v1/decode/, declared as a type."""

from datetime import date
from typing import Annotated

import msgspec
from msgspec import Meta

from submissions.domain import json_shape
from submissions.domain.fields import Positive, Text
from submissions.domain.identity.identification import Identification, identify
from submissions.domain.registers import decode
from submissions.domain.registers.hexdigits import LENGTHS
from submissions.domain.report import Registers

MAX_BYTES = 65_536


class Question(Registers, frozen=True, kw_only=True):
    """A request to decode registers: registers as hex, and known facts about the card.

    `serial` and `explain` ask for more in the response: the serial number, and each field with its bits.
    """

    bus: (
        Annotated[Text, Meta(description="SD or MMC; if you leave it out, we decide from the registers")]
        | None
    ) = None
    size_bytes: (
        Annotated[Positive, Meta(description="size of the whole device, as the system reports it")] | None
    ) = None
    label_brand: Annotated[Text, Meta(description="brand on the label")] = ""
    serial: Annotated[bool, Meta(description="return the serial number, as psn")] = False
    explain: Annotated[bool, Meta(description="explain every field with its bits")] = False


_decoder = msgspec.json.Decoder(Question)


def parse(body: bytes) -> Question:
    """Return the request in a JSON body. Raise json_shape.ShapeError."""
    if len(body) > MAX_BYTES:
        raise json_shape.ShapeError(
            f"The request has {len(body):,} bytes; the limit is {MAX_BYTES:,}.", code="too_large"
        )
    if not body.strip():
        raise json_shape.ShapeError(
            'The request has no body. Send JSON such as {"cid": "…"}.', code="empty_body"
        )
    return json_shape.decode_body(_decoder, body)


def answer(question: Question, *, received_on: date | None = None) -> Identification:
    """Decode the registers of a request and identify the card.

    Raise DecodeError with the register and the position. `received_on`: the day of the request; a later date of
    manufacture is suspicious.
    """
    registers = {name: text for name in LENGTHS if (text := getattr(question, name))}
    return identify(
        decode(registers, bus=question.bus),
        label_brand=question.label_brand or None,
        size_bytes=question.size_bytes,
        received_on=received_on,
    )
