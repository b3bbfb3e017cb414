"""Read, write and explain registers by a table of fields for each, from data/registers.csv."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import mul
from typing import Any, NamedTuple

from submissions.domain import tables

Value = int | float | str | bool | None
Values = Mapping[str, Callable[[int], Value]]
_Words = Mapping[str, Callable[[Value], str]]
_NO_WORDS: _Words = {}


def format_value(value: Value) -> str:
    """Return a value as text for a sentence: yes and no for flags, thousands with commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


class Field(NamedTuple):
    """A field of a register: bits high..low (inclusive), and the meaning of their number; a row of data/registers.csv.

    `value` turns the number into a value, None for a reserved code. `says` is a sentence in which "{}" is replaced by
    the value as `words` formats it. `attribute`: the attribute of a subclass of `Register` that has the value.
    """

    name: str
    high: int
    low: int
    says: str = ""
    value: Callable[[int], Value] = int
    words: Callable[[Value], str] = format_value
    attribute: str = ""

    @property
    def digits(self) -> int:
        return (self.high - self.low) // 4 + 1


@dataclass(frozen=True, slots=True)
class ExplainedField:
    """A field of a register explained: its name, its position, the bits, their value and its meaning."""

    register: str
    field: str
    bits: str
    raw: str
    value: Value
    meaning: str


class Layout(NamedTuple):
    """The fields of a register. They cover every bit exactly once (see `layout`), so that writing is exact."""

    register: str
    byte_count: int
    rows: tuple[Field, ...]
    little_endian: bool
    positions: Mapping[str, int]
    shifts: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, repr=False)
class RegisterReading:
    """The numbers of the fields of one register, in the order of its layout. `reading["MID"]` is one of them."""

    layout: Layout
    numbers: tuple[int, ...]

    def __getitem__(self, name: str) -> int:
        return self.numbers[self.layout.positions[name]]

    @property
    def attributes(self) -> dict[str, Any]:
        """Return the values of the register's fields that have an attribute, by the name of the attribute."""
        both = zip(self.layout.rows, self.numbers, strict=True)
        return {row.attribute: row.value(number) for row, number in both if row.attribute}


@dataclass(frozen=True, slots=True)
class Register:
    """The bytes of a register and the numbers of its fields; a subclass names the values that callers need."""

    raw: bytes = field(repr=False)
    reading: RegisterReading = field(repr=False, compare=False)


def table(
    name: str,
    byte_count: int,
    values: Values,
    *,
    little_endian: bool = False,
    words: _Words = _NO_WORDS,
) -> Layout:
    """Return the layout of a register from data/registers.csv.

    `name`: the register, and the kind of card if layouts differ. `values`: functions of this register for names in the
    column `value`, besides `_SHARED`; other cells list codes or a factor. `words`: functions that format the values of
    such names. Positions are counted in bytes for a little endian register, in bits for others.
    """
    cells = [row for row in tables.rows("registers") if name in row["tables"].split()]
    rows = [_field(row, {**_SHARED, **values}, words, size=8 if little_endian else 1) for row in cells]
    return layout(name.partition("-")[0], byte_count, rows, little_endian=little_endian)


def _field(row: Mapping[str, str], values: Values, words: _Words, *, size: int) -> Field:
    """Return a row of data/registers.csv as a field. `size`: number of bits in the unit of its positions."""
    high, low = int(row["high"]) * size + size - 1, int(row["low"]) * size
    value = _text((high - low + 1) // 8) if row["value"] == "text" else _value(row["value"], values)
    return Field(
        row["field"], high, low, row["says"], value, words.get(row["value"], format_value), row["attribute"]
    )


def _value(name: str, values: Values) -> Callable[[int], Value]:
    # "times 512" multiplies, "0: none; 1: FAT" lists codes; all other names are in `values`.
    if name in values:
        return values[name]
    if name.startswith("times "):
        return partial(mul, int(name.removeprefix("times ")))
    codes = (code.split(": ") for code in name.split("; "))
    return {int(code): int(word) if word.isdecimal() else word for code, word in codes}.get


def _text(byte_count: int) -> Callable[[int], str]:
    return lambda number: printable(number.to_bytes(byte_count, "big"))


def layout(register: str, byte_count: int, rows: Sequence[Field], *, little_endian: bool = False) -> Layout:
    """Return a layout with reserved fields for unclaimed bits. Raise ValueError if fields overlap."""
    whole = tuple(_gapless(sorted(rows, key=lambda row: -row.high), byte_count * 8))
    return Layout(
        register=register,
        byte_count=byte_count,
        rows=whole,
        little_endian=little_endian,
        positions={row.name: at for at, row in enumerate(whole)},
        shifts=tuple((row.low, (1 << (row.high - row.low + 1)) - 1) for row in whole),
    )


def _gapless(rows: Sequence[Field], bit_count: int) -> Iterator[Field]:
    above = bit_count
    for row in rows:
        if not 0 <= row.low <= row.high < above:
            raise ValueError(f"row {row.name} overlaps its neighbour or leaves the register")
        if row.high + 1 < above:
            yield _reserved_row(above - 1, row.high + 1)
        yield row
        above = row.low
    if above:
        yield _reserved_row(above - 1, 0)


def _reserved_row(high: int, low: int) -> Field:
    return Field(
        f"reserved_{high}_{low}", high, low, "reserved: the specification gives these bits no meaning"
    )


def read_fields(table: Layout, raw: bytes) -> RegisterReading:
    """Return the numbers of the fields in a register of exactly `table.byte_count` bytes."""
    number = int.from_bytes(raw, "little" if table.little_endian else "big")
    return RegisterReading(table, tuple([(number >> low) & mask for low, mask in table.shifts]))


def encode(reading: RegisterReading) -> bytes:
    """Return the bytes of a register with these numbers in its fields: the inverse of `read_fields`, to the bit."""
    table = reading.layout
    number = 0
    for value, (low, _) in zip(reading.numbers, table.shifts, strict=True):
        number |= value << low
    return number.to_bytes(table.byte_count, "little" if table.little_endian else "big")


def hex_digits(reading: RegisterReading, *, without: Collection[str] = ()) -> str:
    """Return the register as hex, most significant digit first, with dots for the fields `without`.

    Fields of the EXT_CSD cannot be replaced by dots.
    """
    digits = encode(reading).hex()
    for row in (reading.layout.rows[reading.layout.positions[name]] for name in without):
        first, behind = len(digits) - 1 - row.high // 4, len(digits) - row.low // 4
        digits = digits[:first] + "·" * (behind - first) + digits[behind:]
    return digits


def explain(reading: RegisterReading) -> tuple[ExplainedField, ...]:
    """Return every field of a register explained, most significant first (EXT_CSD: highest byte first)."""
    table = reading.layout
    return tuple(
        _explain_row(table, row, number) for row, number in zip(table.rows, reading.numbers, strict=True)
    )


def _explain_row(table: Layout, row: Field, number: int) -> ExplainedField:
    value = row.value(number)
    says = row.says.replace("{}", row.words(value)) if value is not None else f"{row.name}: reserved code"
    return ExplainedField(
        table.register, row.name, _place(table, row), f"0x{number:0{row.digits}x}", value, says
    )


def _place(table: Layout, row: Field) -> str:
    """Return bits as the specification writes them: "127:120", "9"; bytes for the EXT_CSD: "[215:212]"."""
    if table.little_endian:
        high, low = row.high // 8, row.low // 8
        return f"[{high}]" if high == low else f"[{high}:{low}]"
    return f"{row.high}" if row.high == row.low else f"{row.high}:{row.low}"


def plus_one(number: int) -> int:
    return number + 1


def hexadecimal(number: int) -> str:
    return f"0x{number:02x}"


def printable(raw: bytes) -> str:
    """Return the ASCII text of a name field, "?" for other bytes. No NUL is left, which PostgreSQL cannot store."""
    return "".join([chr(byte) if 0x20 <= byte < 0x7F else "?" for byte in raw.rstrip(b"\0 ")])


# Values that rows of several registers share.
_SHARED: Values = {
    "": int,
    "yes or no": bool,
    "plus 1": plus_one,
    "power of 2": partial(pow, 2),
    "hexadecimal": hexadecimal,
}
