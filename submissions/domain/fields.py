"""Types of the fields of a report, each with the people who may read it.

PUBLIC: everybody, as the field was sent. SCRUBBED: everybody, with a bar in place of words that `privacy.permission`
does not permit. PRIVATE: no one. A test fails for a field of the report without one of these.
"""

import datetime as dt
import uuid as uuids
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta

PUBLIC = Meta(extra={"readers": "public"})
SCRUBBED = Meta(extra={"readers": "scrubbed"})
PRIVATE = Meta(extra={"readers": "private"})

# PostgreSQL text cannot hold NUL, and no field of a report needs control characters.
PRINTABLE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*\Z"
Text = Annotated[str, Meta(max_length=200, pattern=PRINTABLE), SCRUBBED]
LongText = Annotated[str, Meta(max_length=4000, pattern=PRINTABLE), SCRUBBED]
WORD = r"^[A-Za-z0-9][A-Za-z0-9_.+/-]*\Z"
Word = Annotated[str, Meta(min_length=1, max_length=64, pattern=WORD), SCRUBBED]
# A word of a measurement: the same few occur thousands of times, so `report.parse` checks each word only once.
WordOfMany = Annotated[str, Meta(min_length=1, max_length=64, extra_json_schema={"pattern": WORD}), SCRUBBED]
_PATTERN = {"pattern": PRINTABLE}
UnitOfMany = Annotated[str, Meta(min_length=1, max_length=16, extra_json_schema=_PATTERN), SCRUBBED]
PATTERNS_OF_MANY = (("workload", WORD), ("metric", WORD), ("unit", PRINTABLE))
Slug = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*\Z"), SCRUBBED]
Url = Annotated[str, Meta(max_length=500, pattern=r'^(https?://[^\s\x00-\x1f"<>]+)?\Z'), SCRUBBED]
# The name of a model, the subject of the site. Serial numbers are removed.
Name = Annotated[str, Meta(max_length=200, pattern=PRINTABLE), PUBLIC]
# A register in hex, which is published decoded, and as hex without serial number.
Register = Annotated[str, Meta(max_length=4096, pattern=PRINTABLE), PRIVATE]
Uuid = Annotated[uuids.UUID, PRIVATE]
Anything = Annotated[dict[str, Any], PRIVATE]
# The owner's own name for the card.
Specimen = Annotated[str, Meta(max_length=200, pattern=PRINTABLE), PRIVATE]
# Marks printed on cards: classes of the SD Physical Layer specification, and the SD Express classes.
Mark = Literal[
    "C2", "C4", "C6", "C10", "U1", "U3", "V6", "V10", "V30", "V60", "V90", "A1", "A2",
    "UHS-I", "UHS-II", "UHS-III", "E150", "E300", "E450", "E600",
]  # fmt: skip
MARKS: tuple[str, ...] = get_args(Mark)
Marks = Annotated[tuple[Mark, ...], Meta(max_length=len(MARKS)), PUBLIC]
# Shapes of cards. A microSD card fits every slot for cards, by an adapter; each other shape fits only its own slot.
_Form = Literal["microSD", "SD", "SD Express", "eMMC", "USB stick", "module"]
FORMS: tuple[str, ...] = get_args(_Form)
Form = Annotated[_Form, PUBLIC]
Interface = Annotated[Literal["mmc", "usb", "spi", "express", "other", "simulated", "unknown"], PUBLIC]
Sync = Annotated[
    Literal[
        "none", "fsync_at_end", "fsync_each", "dsync", "osync", "sync_mount", "background", "remount_each",
        "remount_at_end", "remount_and_sync", "background_and_remount",
    ],
    PUBLIC,
]  # fmt: skip
# Actions on files and file systems, and actions that a person waits for.
Action = Annotated[
    Literal[
        "create", "stat", "read", "rewrite", "append", "delete",
        "mount", "open", "close", "sync", "boot", "install", "install again", "remove", "scan",
    ],
    PUBLIC,
]  # fmt: skip
Condition = Annotated[Literal["fresh", "filled", "trimmed", "used", "unknown"], PUBLIC]
# A day as far as it is known: 2024, 2024-05, 2024-05-17; and three letters of ISO 4217.
Day = Annotated[
    str, Meta(pattern=r"^((19|20)[0-9]{2}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?)?\Z"), PUBLIC
]
Currency = Annotated[str, Meta(pattern=r"^([A-Z]{3})?\Z"), PUBLIC]
Amount = Annotated[float, Meta(ge=0, le=1_000_000), PUBLIC]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1), PUBLIC]
Positive = Annotated[int, Meta(ge=1, le=2**63 - 1), PUBLIC]
Flag = Annotated[bool, PUBLIC]
# Start and length of each area in bytes.
Areas = Annotated[tuple[tuple[int, int], ...], Meta(max_length=10_000), PUBLIC]
Moment = Annotated[dt.datetime, Meta(tz=True), PUBLIC]
