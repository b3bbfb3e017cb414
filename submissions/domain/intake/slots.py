"""Rows of a tool's output, with typed slots (placeholders): “Average {direction:access} Rate: {throughput:rate} …”.

A row is a template for a line: a regular expression in which a blank means one or more blanks, “ ?” any number of
blanks, and {name:type} a value, by a type of TYPES or by a pattern. A row ends at the end of the line, unless it ends
in “…”. A value is converted to a base unit, or has its unit as reports spell it; numbers may be in the notation of any
language. Names that begin with _ are only for the method of the row. `figure`, `fact`, `state` and `noise` make a
reader (a parser of one tool's output) from nothing but rows; a tool that needs more has methods below `@row`. All
patterns are bounded, as those of readers must be.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeAlias

from submissions.domain.intake.lines import NotANumber, decimal, whole
from submissions.domain.intake.parsed import Fact, Span
from submissions.domain.intake.scene import NO_CHOICES, Scene, any_of

_NUMBER = r"(?:[0-9]{1,15}(?:[.,][0-9]{1,9}){0,4}|\.[0-9]{1,9})"
_VOLUME = rf"{_NUMBER} ?(?:[kKMGT]i?)?(?:[Bb](?:ytes?)?)"
_RATE = rf"{_NUMBER} ?(?:[kKMG]i?)?(?:[Bb](?:ytes?)?)/s(?:ec)?(?![a-z])"
_PIECE = re.compile(r"\\.|\[(?:\\.|[^\]\\])+\]|\{([a-z_]*):((?:[^{}]|\{[0-9,]+\})+)\}| +\??")
_METRIC = re.compile(r"throughput|iops|latency_\w+|duration")
_PREFIXES = " KMGT"
_CAPACITY = ("capacity", "real_capacity", "B")
_DATA_LOST = ("data_lost", "Some of the data that was written could not be read back.")
_NOTHING_KEPT = ("damaged", "None of the data that was written could be read back.")
Convert: TypeAlias = Callable[[str], Any]


class Quantity(NamedTuple):
    """A number and its unit, in the spelling of a report."""

    value: float
    unit: str


def spell_unit(text: str, *, binary: bool = False) -> str:
    """Return the unit as a report spells it: "KB/sec" is "kB/s", or "KiB/s" if units are powers of 1024 (`binary`)."""
    per_second, prefix = "/s" if "/" in text else "", text[0].upper()
    if prefix == "B":
        return f"B{per_second}"
    power = "i" if binary or "i" in text else ""
    return f"{prefix if power or prefix != 'K' else 'k'}{power}B{per_second}"


def count_bytes(value: float, unit: str) -> int:
    """Return how many bytes a number of a unit such as "GiB" or "GB" is.

    A bare prefix such as "G" is a power of 1024.
    """
    prefix = unit[:1].upper().replace("B", "") or " "
    return round(value * (1000 if unit[1:] == "B" else 1024) ** _PREFIXES.index(prefix))


def _split(text: str) -> tuple[float, str]:
    unit = text.lstrip("0123456789.,")
    return decimal(text.removesuffix(unit)), unit.strip()


def _rate(text: str, *, binary: bool = False) -> Quantity:
    value, unit = _split(text)
    return Quantity(value, spell_unit(unit, binary=binary))


def _size(text: str, *, binary: bool = False) -> int:
    value, unit = _split(text)
    return count_bytes(value, spell_unit(unit, binary=binary))


def _time(text: str) -> Quantity:
    value, unit = _split(text)
    return Quantity(value, unit.replace("µ", "u").partition("s")[0] + "s")


# name -> pattern, and the value of the text
TYPES: dict[str, tuple[str, Convert]] = {
    "number": (_NUMBER, decimal),
    "count": (r"(?:[0-9]{1,3}(?:[., ][0-9]{3}){1,5}|[0-9]{1,19})", whole),
    "hex": (r"(?:0[xX])?[0-9a-fA-F]{1,16}", lambda text: int(text, 16)),
    "word": (r"\S{1,60}", str),
    "words": (r".{1,120}?", str),
    "size": (_VOLUME, _size),
    "binary_size": (_VOLUME, lambda text: _size(text, binary=True)),
    "rate": (_RATE, _rate),
    "binary_rate": (_RATE, lambda text: _rate(text, binary=True)),
    "time": (rf"{_NUMBER} ?(?:[mnuµ]?s(?:ec)?|seconds)(?![a-z])", _time),
    "mebibytes": (_NUMBER, lambda text: Quantity(decimal(text), "MiB/s")),
    "milliseconds": (_NUMBER, lambda text: Quantity(decimal(text), "ms")),
    "log": (r"(?:.{0,80}[\s`>])?", str),  # time, host and program before a message
    "access": (
        r"[Rr]ead(?:s|ing)?|[Ww]rit(?:es?|ing|ten)|Wrote",
        lambda text: "write" if text[0] in "wW" else "read",
    ),
}


class Found:
    """The values that a line has in the slots (placeholders such as {rate:rate}) of a row.

    `found["rate"]` is the value of a slot, None if it is empty; `found.text("rate")` is its text.
    """

    __slots__ = ("_match", "row")

    def __init__(self, row: "Row", match: re.Match[str]) -> None:
        self.row, self._match = row, match

    def __getitem__(self, name: str | int) -> Any:
        text = self._match[name]
        return text if text is None else self.row.converts.get(str(name), str)(text.strip())

    def text(self, name: str | int = 0) -> str:
        return self._match[name] or ""

    def span(self, name: str | int = 0, /) -> tuple[int, int]:
        return self._match.span(name)


class Row:
    """A compiled row (template for a line of a tool's output), which readers use like a regular expression.

    `pattern`: the regular expression without names, so that several can be joined.
    """

    def __init__(self, template: str, types: Mapping[str, tuple[str, Convert]] = TYPES) -> None:
        self._types, self.converts = types, dict[str, Convert]()
        open_end = template.endswith("…")
        named = _PIECE.sub(self._piece, template.removesuffix("…")) + ("" if open_end else r"\s*\Z")
        self.pattern = re.sub(r"\(\?P<\w+>", "(", named)
        self._compiled = re.compile(named)
        self.flags = self._compiled.flags

    def _piece(self, piece: re.Match[str]) -> str:
        if piece[0][0] == " ":
            return r"\s{0,40}" if piece[0][-1] == "?" else r"\s{1,40}"
        if piece[2] is None:
            return piece[0]
        pattern, convert = self._types.get(piece[2], (piece[2], str))
        if piece[1]:
            self.converts[piece[1]] = convert
        return f"(?P<{piece[1]}>{pattern})" if piece[1] else f"(?:{pattern})"

    def match(self, text: str, start: int = 0) -> Found | None:
        match = self._compiled.match(text, start)
        return Found(self, match) if match else None


Handler: TypeAlias = Callable[..., bool | None]
Place: TypeAlias = Found | re.Match[str] | Span


def row(template: str) -> Callable[[Handler], Handler]:
    """Return a decorator that makes a method the handler of a row (template for a line of a tool's output).

    Several decorators make it the handler of several rows.
    """

    def mark(handler: Handler) -> Handler:
        vars(handler).setdefault("templates", []).insert(0, template)
        return handler

    return mark


class Table:
    """Base class of parsers of one tool's output.

    The lines are matched by rows (templates for a line): those of `lines`, then those of the methods. Each row has a
    handler; if the handler returns False, the line is not understood. All numbers inside a match count as understood.
    `types`: the types of the slots (placeholders) in its rows. `stated`: parameters that lines have stated; `writing`:
    parameters of every write.
    """

    tool: str = ""
    rows: ClassVar[tuple[tuple[Any, Handler], ...]] = ()
    any_row: ClassVar[re.Pattern[str]]
    lines: ClassVar[Iterable[tuple[str, Handler]]] = ()
    types: ClassVar[Mapping[str, tuple[str, Convert]]] = TYPES
    writing: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        of_methods = (
            (template, method)
            for method in vars(cls).values()
            for template in getattr(method, "templates", ())
        )
        every = ((Row(template, cls.types), handler) for template, handler in (*cls.lines, *of_methods))
        cls.rows = (*cls.rows, *every)
        cls.any_row = any_of(pattern for pattern, _ in cls.rows)

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.stated: dict[str, Any] = {}
        self.set_up()
        self.begin()

    def set_up(self) -> None:
        """Prepare the parser for a new text; `begin` is called afterwards."""

    def begin(self) -> None:
        """Prepare for another run of the tool, because a command or a heading was read."""

    def end(self) -> None:
        """Finish the current run of the tool, because a command, a heading or the end of the text follows."""

    def take(self) -> bool:
        """Return whether the current line was understood.

        If so, add its contents to the scene (the state of reading).
        """
        line = self.scene.line
        if not self.any_row.match(line.text, line.start):
            return False
        for pattern, handler in self.rows:
            match = pattern.match(line.text, line.start)
            if match and self._handle(handler, match):
                self.scene.understood.append(self.span(match))
                return True
        return False

    def _handle(self, handler: Handler, match: Found | re.Match[str]) -> bool:
        # Text that only looks like a number refuses the whole line.
        count = len(self.scene.figures)
        try:
            return handler(self, match) is not False
        except NotANumber:
            del self.scene.figures[count:]
            return False

    def span(self, place: Place, group: int | str = 0) -> Span:
        """Return the span of a match, or of a group in the match, in the current line; return a span as it is."""
        if isinstance(place, Span):
            return place
        line = self.scene.line
        return Span(line.number, *line.column_range(*place.span(group)))

    def ask(self, about: str, detail: str, place: Place, choices: Mapping[str, str] = NO_CHOICES) -> str:
        """Ask the sender a question about a row or a span, and return the answer; "" without an answer."""
        return self.scene.ask(self.tool, about, detail, span=self.span(place), choices=choices)

    def add(self, name: str, value: float | str, found: Found, tool: str = "") -> None:
        """Add a fact that the line states about the device in its slot “subject”, or else about the measured device."""
        subject = found.text("subject") if "subject" in found.row.converts else self.scene.device
        self.scene.facts.append(Fact(self.span(found), tool or self.tool, name, value, subject))

    def tell(self, found: Found) -> bool:
        """Add the value in each slot (placeholder of a row) as a fact of the name of the slot.

        Return False if a value is None, which means that it is not understood.
        """
        values = {name: found[name] for name in slot_names(found) if name != "subject"}
        for name, value in values.items():
            self.add(name, value, found)
        return None not in values.values()

    def measure(self, workload: str, found: Found, **parameters: Any) -> None:
        """Add each value of a line as a figure if its slot (placeholder) is named after a metric.

        The values in the other slots are the parameters of these figures.
        """
        values = {name: found[name] for name in slot_names(found)}
        known = self.stated | parameters
        known |= {name: value for name, value in values.items() if not _METRIC.fullmatch(name)}
        known |= self.writing if known.get("direction") == "write" else {}
        for metric in filter(_METRIC.fullmatch, values):
            value = values[metric]
            amount = value if isinstance(value, Quantity) else Quantity(value, "1/s")
            self.add_number((workload, metric, amount.unit), amount.value, found, **known)

    def add_number(self, what: tuple[str, str, str], number: float, place: Place, **parameters: Any) -> None:
        """Add a number of a row or a span as a figure, with `parameters` of the access.

        A number of 0 means that nothing was measured, and is ignored.
        """
        if number:
            span = self.span(place)
            self.scene.add_figure(self.tool, what, number, span=span, parameters=parameters)

    def add_capacity(self, real_bytes: int, found: Found, **kind: str) -> None:
        """Add the number of bytes of a card that keep their data, as a test has found.

        `kind`: the `capacity_kind` of a report, if printed.
        """
        if real_bytes:
            self.add_number(_CAPACITY, real_bytes, found, **kind)
        else:
            self.scene.add_failure(
                self.tool, _CAPACITY, _NOTHING_KEPT, span=self.span(found), parameters=kind
            )

    def add_loss(self, found: Found) -> None:
        """Add that data was lost in a test of a part of the card, which does not show how much the card holds."""
        kind, span = {"capacity_kind": "lost"}, self.span(found)
        self.scene.add_failure(self.tool, _CAPACITY, _DATA_LOST, span=span, parameters=kind)


def slot_names(found: Found) -> list[str]:
    """Return the names of the slots (placeholders of a row) that have a value, without names that begin with _."""
    return [name for name in found.row.converts if found.text(name) and name[0] != "_"]


def figure(template: str, workload: str, **parameters: Any) -> tuple[str, Handler]:
    """Return a row of figures: a template for a line, with slots (placeholders) named after metrics and parameters."""

    def measure(reader: Table, found: Found) -> None:
        reader.measure(workload, found, **parameters)

    return template, measure


def fact(template: str) -> tuple[str, Handler]:
    """Return a row (template for a line) with slots (placeholders) that become facts of the same names."""
    return template, Table.tell


def state(template: str) -> tuple[str, Handler]:
    """Return a row (template for a line) with slots (placeholders) that are parameters of the figures below it."""

    def keep(reader: Table, found: Found) -> None:
        reader.stated |= {name: found[name] for name in slot_names(found)}

    return template, keep


def skip(reader: Table, found: Found) -> None:
    """Accept a line that is understood and not needed, without adding anything."""


def noise(*templates: str) -> Iterable[tuple[str, Handler]]:
    """Return rows (templates for a line) for lines that are understood and not needed."""
    return ((template, skip) for template in templates)
