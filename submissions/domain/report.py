"""The report contract: what a client may send, declared once as types.

The text for people is api/v1/REPORT.md.

Format versions
    1   2026-11: the first.
A later version adds an `upgrade_N_to_M(document: dict) -> dict` and bumps FORMAT_VERSION; old reports stay
readable for ever.
"""

import datetime as dt
import hashlib
import re
import uuid as uuids
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from submissions.domain.errors import ReportError

FORMAT = "flashdb-report"
FORMAT_VERSION = 1
MAX_BYTES = 8_000_000
# Far from the interpreter's own limit, which depends on who calls: a worker reads again what a view took in.
MAX_LEVELS = 100

# PostgreSQL text cannot hold NUL, and no field of a report needs control characters.
_PRINTABLE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*\Z"
Text = Annotated[str, Meta(max_length=200, pattern=_PRINTABLE)]
LongText = Annotated[str, Meta(max_length=4000, pattern=_PRINTABLE)]
Word = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+/-]*\Z")]
Url = Annotated[str, Meta(max_length=500, pattern=r"^(https?://[^\s\x00-\x1f\"<>]+)?\Z")]
Register = Annotated[str, Meta(max_length=4096, pattern=_PRINTABLE)]
# What is printed on cards: classes of the SD Physical Layer specification, and the SD Express classes.
Mark = Literal[
    "C2", "C4", "C6", "C10", "U1", "U3", "V6", "V10", "V30", "V60", "V90", "A1", "A2",
    "UHS-I", "UHS-II", "UHS-III", "E150", "E300", "E450", "E600",
]  # fmt: skip
MARKS: tuple[str, ...] = get_args(Mark)
Condition = Literal["fresh", "filled", "trimmed", "used", "unknown"]
# A day as far as it is known: 2024, 2024-05, 2024-05-17; and three letters of ISO 4217.
_DAY = r"^((19|20)[0-9]{2}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?)?\Z"
_CURRENCY = r"^([A-Z]{3})?\Z"
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Positive = Annotated[int, Meta(ge=1, le=2**63 - 1)]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A misspelled field is refused, not silently dropped; free additions go into `extra`."""


class Registers(_Part, frozen=True):
    """Raw registers as hex, as the host printed them."""

    cid: Register | None = None
    csd: Register | None = None
    scr: Register | None = None
    ssr: Register | None = None
    ocr: Register | None = None
    ext_csd: Register | None = None


class Label(_Part, frozen=True):
    """What the box or the print on the card says, and how it was come by. The first four fields name the model."""

    brand: Text = ""
    line: Text = ""
    model_number: Text = ""
    capacity_gb: Annotated[float, Meta(gt=0, le=1_000_000)] | None = None
    marks: Annotated[tuple[Mark, ...], Meta(max_length=len(MARKS))] = ()
    bought_at: Text = ""
    bought_on: Annotated[str, Meta(pattern=_DAY)] = ""
    price: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    currency: Annotated[str, Meta(pattern=_CURRENCY)] = ""

    def __post_init__(self) -> None:
        if (self.price is None) != (self.currency == ""):
            raise ValueError("A price is told with its currency, and a currency with a price")

    @property
    def names(self) -> tuple[str, str, str, float | None]:
        """Brand, line, model number and capacity: equal for cards of one model."""
        return self.brand, self.line, self.model_number, self.capacity_gb


class Card(_Part, frozen=True):
    """One specimen. Without a CID, `specimen` tells two cards of one submitter apart."""

    bus: Literal["SD", "MMC", "USB"] | None = None
    registers: Registers = Registers()
    size_bytes: Positive | None = None
    preferred_erase_size_bytes: Positive | None = None
    label: Label = Label()
    condition: Condition = "unknown"
    specimen: Text = ""


class BusMode(_Part, frozen=True):
    """How the host talks to the card, from debugfs `ios`."""

    name: Text = ""
    clock_hz: Positive | None = None
    width_bits: Literal[1, 4, 8] | None = None
    signal_voltage_mv: Positive | None = None


class Host(_Part, frozen=True):
    """Where it was measured. No host name, no address, no user name."""

    board: Text = ""
    machine: Text = ""
    kernel: Text = ""
    interface: Literal["mmc", "usb", "other", "simulated", "unknown"] = "unknown"
    driver: Text = ""
    reader: Text = ""
    bus_mode: BusMode = BusMode()
    memory_bytes: Positive | None = None
    filesystem: Text = ""
    filesystem_block_bytes: Positive | None = None
    mount_options: Text = ""
    scheduler: Text = ""


class Parameters(_Part, frozen=True, omit_defaults=True):
    """The access pattern of one measurement. What is not known is left out, never guessed."""

    direction: Literal["read", "write"] | None = None
    order: Literal["sequential", "random"] | None = None
    block_size_bytes: Positive | None = None
    queue_depth: Positive | None = None
    io: Literal["direct", "buffered"] | None = None
    sync: Literal["none", "fsync_at_end", "fsync_each", "dsync", "osync", "sync_mount"] | None = None
    span_bytes: Positive | None = None
    file_size_bytes: Positive | None = None
    open_au: Positive | None = None
    erase_size_bytes: Positive | None = None
    align_bytes: Positive | None = None
    erase_block_index: Count | None = None
    data: Literal["random", "constant", "zeros"] | None = None
    command_queue: bool | None = None
    action: Literal["create", "read", "rewrite", "append", "delete"] | None = None
    file_count: Positive | None = None
    threads: Positive | None = None
    capacity_kind: Literal["good", "limbo", "wraparound", "chain", "damaged"] | None = None


class Failure(_Part, frozen=True):
    """Why a measurement has fewer values than asked for."""

    code: Word
    detail: Text = ""


class Measurement(_Part, frozen=True):
    """One metric of one access pattern, every repeat kept in the order it was taken."""

    workload: Word
    metric: Word
    unit: Annotated[str, Meta(min_length=1, max_length=16, pattern=_PRINTABLE)]
    values: Annotated[tuple[float, ...], Meta(max_length=10_000)]
    parameters: Parameters = Parameters()
    operations: Positive | None = None
    failure: Failure | None = None


class Conditions(_Part, frozen=True):
    """State of the host, before or after a run."""

    load_average: Annotated[float, Meta(ge=0, le=1e6)] | None = None
    processors: Positive | None = None
    governor: Text = ""
    cpu_clock_hz: Positive | None = None
    temperature_celsius: Annotated[float, Meta(ge=-273, le=1000)] | None = None
    throttled: bool | None = None


class Run(_Part, frozen=True):
    """One execution of a suite. `doubts`: what makes its figures less sure, in words."""

    suite: Word
    tool: Word
    tool_version: Text = ""
    started_at: Annotated[dt.datetime, Meta(tz=True)] | None = None
    duration_ns: Count | None = None
    target: Literal["device", "file", "directory", "simulated", "unknown"] = "unknown"
    destructive: bool = False
    before: Conditions | None = None
    after: Conditions | None = None
    doubts: Annotated[tuple[Text, ...], Meta(max_length=32)] = ()


class Source(_Part, frozen=True):
    """Who published it first, for results taken over from elsewhere."""

    title: Text
    author: Text = ""
    url: Url = ""
    licence: Text = ""


class Client(_Part, frozen=True):
    name: Word
    version: Text = ""


class Report(_Part, frozen=True):
    """One card, in one host, in one run."""

    format: Literal["flashdb-report"]
    format_version: Literal[1]
    client: Client
    card: Card
    run: Run
    measurements: Annotated[tuple[Measurement, ...], Meta(max_length=20_000)]
    host: Host = Host()
    uuid: uuids.UUID | None = None
    source: Source | None = None
    simulated: bool = False
    note: LongText = ""
    extra: dict[str, Any] = {}


class ShapeError(ReportError):
    """The document is not a report. `field` is the path of the first offence: `measurements[2].values`."""

    code = "wrong_shape"


_decoder = msgspec.json.Decoder(Report)
_any_decoder = msgspec.json.Decoder()
_QUOTED = re.compile(r"`([^`]*)`")
_AT = re.compile(r" - at `\$?\.?(?P<path>[^`]*)`$")
YEARS = range(1990, 2101)  # no clock of a host is further off
_LONGEST_SENTENCE = 300
_FRACTIONLESS = "got `float`"
_TOO_DEEP = "The body is nested too deeply to be read."
# msgspec names the pattern that does not match; people want to know what it asks for. First match wins.
_PATTERN_HINTS = (
    ("https?", "Is no web address; it starts with http:// or https:// and has no blanks"),
    ("(19|20)", "Is no date; write it as far as you know it: 2024, 2024-05 or 2024-05-17"),
    ("[A-Z]{3}", "Is no currency; use its three letters, such as EUR"),
    ("A-Za-z0-9", "Is no word; use letters, digits and _ . + / - without blanks"),
    ("regex", "Contains control characters, which no field may hold"),
)


def parse(body: bytes) -> Report:
    """JSON bytes -> Report. Raises ShapeError; applies no domain rule.

    Of a field given twice the last counts, as in most readers of JSON.
    """
    if len(body) > MAX_BYTES:
        raise ShapeError(
            f"The report has {len(body):,} bytes; at most {MAX_BYTES:,} are taken."
            " Send fewer repeats, or several reports.",
            code="too_large",
        )
    if not body.strip():
        raise ShapeError(
            "The request has no body. Send a report as JSON; see api/v1/REPORT.md.", code="empty_body"
        )
    report: Report = read(_decoder, body)
    _refuse_impossible_clock(report.run.started_at)
    _refuse_deep_nesting(report.extra)
    return report


def content_hash(body: bytes) -> str:
    """SHA-256 (hex) of what `parse` has taken, with sorted keys and no blanks.

    The same content has the same hash, however it was indented.
    """
    document = _any_decoder.decode(body)
    return hashlib.sha256(msgspec.json.encode(document, order="sorted")).hexdigest()


def read(decoder: msgspec.json.Decoder[Any], body: bytes) -> Any:
    """JSON bytes -> what the decoder declares. Raises ShapeError with the path of the field."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        if _FRACTIONLESS not in str(error):
            raise shape_error(str(error)) from error
        return _converted(body, decoder.type)
    except RecursionError as error:
        raise ShapeError(_TOO_DEEP, code="not_json") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ShapeError(f"The body is not JSON: {error}. Was it cut off?", code="not_json") from error


def _converted(body: bytes, kind: Any) -> Any:
    """JSON bytes -> what `kind` declares; 2.0 counts as a whole number, as JSON has it and some programs write it."""
    try:
        return msgspec.convert(_whole(_any_decoder.decode(body)), kind)
    except msgspec.ValidationError as error:
        raise shape_error(str(error)) from error
    except RecursionError as error:
        raise ShapeError(_TOO_DEEP, code="not_json") from error


def _whole(value: Any) -> Any:
    match value:
        case float() if value.is_integer() and abs(value) < 2**63:
            return int(value)
        case dict():
            return {name: _whole(inner) for name, inner in value.items()}
        case list():
            return [_whole(inner) for inner in value]
    return value


def _refuse_impossible_clock(started_at: dt.datetime | None) -> None:
    if started_at and started_at.year not in YEARS:
        detail = f"The run began in the year {started_at.year}; is the clock of the host set?"
        raise ShapeError(detail, field="run.started_at")


def _refuse_deep_nesting(extra: Mapping[str, Any]) -> None:
    """Only `extra` can be deep: everything else has a type."""
    level: list[Any] = [extra]
    for _ in range(MAX_LEVELS):
        level = [inner for outer in level for inner in _parts_of(outer)]
        if not level:
            return
    raise ShapeError(f"Nested too deeply; at most {MAX_LEVELS} levels are taken.", field="extra")


def _parts_of(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def shape_error(message: str, *, at: str = "") -> ShapeError:
    """A message of msgspec as an error for people. `at`: path of the part of the report that was checked."""
    place = _AT.search(message)
    sentence = _QUOTED.sub(r"“\1”", _AT.sub("", message))
    if "matching regex" in sentence:
        sentence = next(hint for word, hint in _PATTERN_HINTS if word in sentence)
    if len(sentence) > _LONGEST_SENTENCE:
        sentence = f"{sentence[:_LONGEST_SENTENCE]}…"
    return ShapeError(sentence, field=".".join(filter(None, (at, place["path"] if place else ""))))
