"""The format of reports: every field that a client may send, declared once as types.

The description for people is api/v1/REPORT.md.

Format versions
    1   2026-11: the first.

A later version adds an `upgrade_N_to_M(document: dict) -> dict` and increases FORMAT_VERSION; old reports can always be
read.
"""

import datetime as dt
import hashlib
import re
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from submissions.domain import spelling
from submissions.domain.fields import (
    PATTERNS_OF_MANY,
    PRINTABLE,
    PUBLIC,
    SCRUBBED,
    Action,
    Amount,
    Anything,
    Areas,
    Condition,
    Count,
    Currency,
    Day,
    Flag,
    Form,
    Interface,
    LongText,
    Marks,
    Moment,
    Name,
    Positive,
    Register,
    Slug,
    Specimen,
    Sync,
    Text,
    UnitOfMany,
    Url,
    Uuid,
    Word,
    WordOfMany,
)
from submissions.domain.json_shape import ShapeError, decode_body, refuse_deep_nesting, shape_error

FORMAT = "flashdb-report"
FORMAT_VERSION = 1
MAX_BYTES = 8_000_000


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base class of the parts of a report. A misspelled field is refused, not silently dropped.

    Fields that the format does not have go into `extra`.
    """


class Registers(_Part, frozen=True):
    """The raw registers of a card as hex, as the host printed them."""

    cid: Register | None = None
    csd: Register | None = None
    scr: Register | None = None
    ssr: Register | None = None
    ocr: Register | None = None
    ext_csd: Register | None = None


class Label(_Part, frozen=True):
    """The print on the card or its box, and where it was bought. The first four fields name the model."""

    brand: Name = ""
    line: Name = ""
    model_number: Name = ""
    capacity_gb: Annotated[float, Meta(gt=0, le=1_000_000), PUBLIC] | None = None
    form: Form | None = None
    marks: Marks = ()
    bought_at: Text = ""
    bought_on: Day = ""
    price: Amount | None = None
    currency: Currency = ""

    def __post_init__(self) -> None:
        if wrong := spelling.problem(self.brand, self.line, self.model_number):
            raise ValueError(wrong)
        if (self.price is None) != (self.currency == ""):
            raise ValueError("A price needs a currency, and a currency needs a price")

    @property
    def names(self) -> tuple[str, str, str, float | None]:
        """Return brand, line, model number and capacity: equal for cards of one model."""
        return self.brand, self.line, self.model_number, self.capacity_gb

    @property
    def is_express(self) -> bool:
        """Return whether the label says E150 to E600 or Express; the system sees such a card as an NVMe disk."""
        named = f"{self.line} {self.model_number}".casefold()
        marked = any(mark.startswith("E") for mark in self.marks)
        return marked or self.form == "SD Express" or "express" in named


class Card(_Part, frozen=True):
    """A single card. Without a CID, `specimen` distinguishes two cards of one submitter.

    `serial_removed`: the CID was published with zeros in place of its serial number, so it identifies the silicon but
    no single card, and its checksum is meaningless.
    """

    bus: Annotated[Literal["SD", "MMC", "USB"], PUBLIC] | None = None
    registers: Registers = Registers()
    size_bytes: Positive | None = None
    preferred_erase_size_bytes: Positive | None = None
    label: Label = Label()
    condition: Condition = "unknown"
    specimen: Specimen = ""
    serial_removed: Flag = False


class BusMode(_Part, frozen=True):
    """The bus mode between host and card, from debugfs `ios`."""

    name: Text = ""
    clock_hz: Positive | None = None
    width_bits: Annotated[Literal[1, 4, 8], PUBLIC] | None = None
    signal_voltage_mv: Positive | None = None


class Host(_Part, frozen=True):
    """The computer that measured the card, without host name, address and user name."""

    board: Text = ""
    machine: Text = ""
    kernel: Text = ""
    device: Annotated[str, Meta(max_length=64, pattern=PRINTABLE), SCRUBBED] = ""
    interface: Interface = "unknown"
    driver: Text = ""
    reader: Text = ""
    bus_mode: BusMode = BusMode()
    memory_bytes: Positive | None = None
    filesystem: Text = ""
    filesystem_block_bytes: Positive | None = None
    mount_options: Text = ""
    scheduler: Text = ""


class Parameters(_Part, frozen=True, omit_defaults=True):
    """The access pattern of one measurement. Unknown parameters are left out, never guessed.

    `io` is “cached” if the source says that the memory of the host answered instead of the card; `variant` says in
    words how a measurement differs from another of the same pattern in the same report.
    """

    direction: Annotated[Literal["read", "write"], PUBLIC] | None = None
    order: Annotated[Literal["sequential", "random"], PUBLIC] | None = None
    block_size_bytes: Positive | None = None
    queue_depth: Positive | None = None
    io: Annotated[Literal["direct", "buffered", "cached"], PUBLIC] | None = None
    sync: Sync | None = None
    span_bytes: Positive | None = None
    file_size_bytes: Positive | None = None
    open_au: Positive | None = None
    erase_size_bytes: Positive | None = None
    align_bytes: Positive | None = None
    erase_block_index: Count | None = None
    data: Annotated[Literal["random", "constant", "zeros"], PUBLIC] | None = None
    command_queue: Flag | None = None
    action: Action | None = None
    file_count: Positive | None = None
    threads: Positive | None = None
    weights: (
        Annotated[str, Meta(max_length=300, pattern=r"^[a-z_]+:[0-9]+( [a-z_]+:[0-9]+)*\Z"), PUBLIC] | None
    ) = None
    offset_bytes: Count | None = None
    capacity_kind: (
        Annotated[Literal["good", "limbo", "wraparound", "chain", "damaged", "lost"], PUBLIC] | None
    ) = None
    variant: Annotated[str, Meta(min_length=1, max_length=200, pattern=PRINTABLE), SCRUBBED] | None = None


class Failure(_Part, frozen=True):
    """The reason why a measurement has fewer values than requested."""

    code: Word
    detail: Text = ""


class Measurement(_Part, frozen=True):
    """One metric of one access pattern, with every repeat in the order in which it was taken."""

    workload: WordOfMany
    metric: WordOfMany
    unit: UnitOfMany
    values: Annotated[tuple[float, ...], Meta(max_length=10_000), PUBLIC]
    parameters: Parameters = Parameters()
    operations: Positive | None = None
    failure: Failure | None = None


class Reading(_Part, frozen=True):
    """A fact about a card that was not measured by the clock: a health counter, a bus mode, a price, a verdict.

    `value` is a number in `unit`, or words.
    """

    name: Annotated[str, Meta(min_length=1, max_length=100, pattern=PRINTABLE), SCRUBBED]
    value: Annotated[float, PUBLIC] | LongText
    unit: Annotated[str, Meta(max_length=16, pattern=PRINTABLE), SCRUBBED] = ""
    of: Text = ""
    tool: Text = ""


class Scan(_Part, frozen=True):
    """How much of a card was read for errors, and which areas are bad, slow, or returned other bytes when read again.

    `largest_gap_bytes`: the longest area that was not read. `verified_bytes` were read twice, with `queue_depth` reads
    in flight and one at a time; areas in `changed_in_queue` were right only one at a time.
    """

    size_bytes: Positive
    block_bytes: Positive
    read_bytes: Count
    largest_gap_bytes: Count
    verified_bytes: Count = 0
    queue_depth: Positive = 1
    bad: Areas = ()
    slow: Areas = ()
    changed: Areas = ()
    changed_in_queue: Areas = ()

    def __post_init__(self) -> None:
        if max(self.read_bytes, self.largest_gap_bytes, self.verified_bytes) > self.size_bytes:
            raise ValueError("No part of a scan can be larger than the scanned device")
        if self.block_bytes > self.size_bytes:
            raise ValueError("A block cannot be larger than the scanned device")
        if not self.largest_gap_bytes and self.read_bytes < self.size_bytes:
            raise ValueError("If not everything was read, there must be a gap")
        for areas in (self.bad, self.slow, self.changed, self.changed_in_queue):
            self._check_areas(areas)

    def _check_areas(self, areas: Areas) -> None:
        end = 0
        for start, length in areas:
            if start < end or length <= 0 or start + length > self.size_bytes:
                raise ValueError(
                    "Areas must be in ascending order, within the scanned device, and must not overlap"
                )
            end = start + length
        if sum(length for _start, length in areas) > self.read_bytes:
            raise ValueError("Areas cannot be larger than what was read")

    @property
    def is_whole(self) -> bool:
        """Return whether the scan has read the whole card."""
        return self.largest_gap_bytes == 0

    @property
    def share_in_words(self) -> str:
        """Return how much of a card was read in words such as "25 %"; never more than "99 %"."""
        return f"{min(100 * self.read_bytes / self.size_bytes, 99):.2g} %"


class Conditions(_Part, frozen=True):
    """The state of the host, before or after a run."""

    load_average: Amount | None = None
    processors: Positive | None = None
    governor: Text = ""
    cpu_clock_hz: Positive | None = None
    temperature_celsius: Annotated[float, Meta(ge=-273, le=1000), PUBLIC] | None = None
    throttled: Flag | None = None


class Run(_Part, frozen=True):
    """One execution of a suite of measurements.

    `doubts`: reasons in words why its figures are less certain. `not_compared`: the reason, stated by the sender, why
    none of its figures may be compared with those of other cards, such as encryption or an unnamed board.
    """

    suite: Word
    tool: Word
    tool_version: Text = ""
    started_at: Moment | None = None
    duration_ns: Count | None = None
    target: Annotated[Literal["device", "file", "directory", "simulated", "unknown"], PUBLIC] = "unknown"
    destructive: Flag = False
    before: Conditions | None = None
    after: Conditions | None = None
    doubts: Annotated[tuple[Text, ...], Meta(max_length=32)] = ()
    not_compared: Text = ""


class Source(_Part, frozen=True):
    """The first publication of results that were taken over from elsewhere.

    `id`: its row in data/sources.csv; `place`: a place in it, such as a file and a commit; `dated`: the time of
    measurement in the words of the source.
    """

    title: Text
    id: Slug | None = None
    place: Annotated[str, Meta(max_length=500, pattern=PRINTABLE), SCRUBBED] = ""
    dated: Text = ""
    author: Text = ""
    url: Url = ""
    licence: Text = ""


class Client(_Part, frozen=True):
    name: Word
    version: Text = ""


class Report(_Part, frozen=True):
    """The measurements of one card, in one host, in one run."""

    format: Annotated[Literal["flashdb-report"], PUBLIC]
    format_version: Annotated[Literal[1], PUBLIC]
    client: Client
    card: Card
    run: Run
    measurements: Annotated[tuple[Measurement, ...], Meta(max_length=20_000)]
    host: Host = Host()
    uuid: Uuid | None = None
    readings: Annotated[tuple[Reading, ...], Meta(max_length=2_000)] = ()
    scan: Scan | None = None
    source: Source | None = None
    simulated: Flag = False
    note: LongText = ""
    extra: Anything = {}

    def __post_init__(self) -> None:
        if self.scan and self.whole_bytes and self.scan.size_bytes > self.whole_bytes:
            raise ValueError("A scan cannot be larger than its card")

    @property
    def whole_bytes(self) -> int | None:
        """Return the size that the host states of the card; None if only a partition or a file was measured."""
        return self.card.size_bytes if self.run.target == "device" else None


_decoder = msgspec.json.Decoder(Report)
_any_decoder = msgspec.json.Decoder()
YEARS = range(1990, 2101)  # no clock of a host is further off


def parse(body: bytes) -> Report:
    """Return the report in a JSON body. Raise ShapeError if it does not have the format of a report.

    Its contents are checked later. If a field is given twice, the last one counts, as in most JSON parsers.
    """
    if len(body) > MAX_BYTES:
        raise ShapeError(
            f"The report has {len(body):,} bytes; the limit is {MAX_BYTES:,}. Send fewer repeats, or"
            " several reports.",
            code="too_large",
        )
    if not body.strip():
        raise ShapeError(
            "The request has no body. Send a report as JSON; see api/v1/REPORT.md.", code="empty_body"
        )
    report: Report = decode_body(_decoder, body)
    _refuse_odd_words(report.measurements)
    _refuse_impossible_clock(report.run.started_at)
    refuse_deep_nesting(report.extra, field="extra")
    return report


def content_hash(body: bytes) -> str:
    """Return the SHA-256 (hex) of a body that `parse` accepts, written with sorted keys and without blanks.

    The same content has the same hash, however it is indented.
    """
    document = _any_decoder.decode(body)
    return hashlib.sha256(msgspec.json.encode(document, order="sorted")).hexdigest()


def _refuse_odd_words(measurements: Sequence[Measurement]) -> None:
    for name, pattern in PATTERNS_OF_MANY:
        words = [getattr(measurement, name) for measurement in measurements]
        odd = next((word for word in dict.fromkeys(words) if not re.match(pattern, word)), None)
        if odd is not None:
            raise shape_error(f"matching regex {pattern}", at=f"measurements[{words.index(odd)}].{name}")


def _refuse_impossible_clock(started_at: dt.datetime | None) -> None:
    if started_at and started_at.year not in YEARS:
        detail = f"The run began in the year {started_at.year}; is the host's clock set?"
        raise ShapeError(detail, field="run.started_at")
