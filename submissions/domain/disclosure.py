"""What of a report's own words may be read by everybody: as `formats.private` has it for pasted text."""

from typing import TypeVar

import msgspec

from submissions.domain.formats.private import scrub
from submissions.domain.registers import Decoded
from submissions.domain.report import Host, Label, Report, Source

_Part = TypeVar("_Part", Host, Label, Source)


def disclosed(given: Report, decoded: Decoded | None) -> Report:
    """The report with nothing private left in what its owner wrote, and no serial number of its card anywhere."""
    serials = _serials(decoded)
    host, card = given.host, given.card
    return msgspec.structs.replace(
        given,
        note=_scrubbed(given.note, serials),
        source=_texts(given.source, serials) if given.source else None,
        host=_texts(host, serials),
        card=msgspec.structs.replace(card, label=_texts(card.label, serials)),
    )


def _serials(decoded: Decoded | None) -> tuple[int, ...]:
    """Of the CID, however it is read."""
    if decoded is None:
        return ()
    readings = (decoded, *decoded.readings)
    return tuple({reading.cid.psn for reading in readings if reading.cid})


def _texts(part: _Part, serials: tuple[int, ...]) -> _Part:
    """Every text of a part but an address on the web, which is published already."""
    told = msgspec.structs.asdict(part)
    texts = {
        name: _scrubbed(value, serials)
        for name, value in told.items()
        if isinstance(value, str) and value and name != "url"
    }
    return msgspec.structs.replace(part, **texts)


def _scrubbed(text: str, serials: tuple[int, ...]) -> str:
    return scrub(text, serials=serials) if text else ""
