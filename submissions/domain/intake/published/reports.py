"""Convert the rows of a published table to reports, one for each card, host and run, and judge every row."""

import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from submissions.domain import tables
from submissions.domain.errors import ReportError
from submissions.domain.intake.published.access import Access, describe_access
from submissions.domain.intake.published.specimens import (
    describe_card,
    describe_host,
    not_compared,
)
from submissions.domain.intake.published.table import Line, Row, explain_refusal
from submissions.domain.intake.structures import drop_empty, group_by
from submissions.domain.measuring import units
from submissions.domain.report import FORMAT, FORMAT_VERSION, parse

_NAMESPACE = uuid.UUID("0e1c2a52-2f8e-5b44-9d3c-7a2f2f3f7b10")
_CLIENT = {"name": "table", "version": "1"}
_RULE = "rule"
_LONGEST_NOTE, _LONGEST_PLACE, _LONGEST_TITLE = 4000, 500, 200
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?\Z")
# Units of readings and remarks, beside those of rates, times and sizes (units.UNITS).
_REMARKED = frozenset(
    ["", "sectors", "points", "text", "verdict", "flag", "class", "hex", "Hz", "%", "IOPS/USD"]
)
_CURRENCY = re.compile("[A-Z]{3}")
# Pattern of a place -> its web address. First match wins.
_ADDRESSES = (
    (r"""(?s).*?(https?://[^\s"<>]+)""", r"\1"),
    (r"""([\w.-]+/[\w.-]+)@([0-9a-f]{7,40}):([^\s;"<>]+)""", r"https://github.com/\1/blob/\2/\3"),
    (r"gist ([\w.-]+/[0-9a-f]{8,40})", r"https://gist.github.com/\1"),
    (r"([\w.-]+/[\w.-]+) issue (\d+)", r"https://github.com/\1/issues/\2"),
    (r"([\w.-]+/[\w.-]+) pull request (\d+)", r"https://github.com/\1/pull/\2"),
    (r"""([\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dk)/[^\s;"<>]+)""", r"https://\1"),
)
_INFERRED = re.compile(r"\b(board inferred|guessed|inferred)\b[^;]*")


Measured = tuple[Row, Access]


class Origin(NamedTuple):
    """The publisher of a table, from the options of import_table or from a row of data/sources.csv."""

    title: str
    author: str = ""
    url: str = ""
    licence: str = ""


class Drafted(NamedTuple):
    """A report as JSON, with the id of its source and with its author, who counts as the sender of the report."""

    body: bytes
    source_id: str
    author: str


class Taken(NamedTuple):
    """The reports of a published table. `lines`: every row of the table with its state, in the order of the table."""

    reports: tuple[Drafted, ...]
    lines: tuple[Line, ...]


def take(rows: Sequence[Row], origin: Origin | None = None) -> Taken:
    """Return the reports of a published table.

    `origin`: the publisher of the table, for rows with a source that is not in data/sources.csv.
    """
    jobs = find_jobs(rows)
    judged = [_judge(row, jobs.get(row.report, "")) for row in rows]
    kept = [(line.row, access) for line, access in judged if line.state != "refused"]
    # The facts about a card in one report hold for all.
    cards = group_by((row for row, _ in kept), lambda row: row.card)
    reports, refused = [], {}
    for key, draft in group_by(kept, lambda pair: pair[0].report).items():
        try:
            reports.append(_draft_report(draft, cards[draft[0][0].card], origin))
        except ReportError as error:
            refused[key] = f"{error.detail} (at {error.field})" if error.field else error.detail
    lines = (
        Line(line.row, "refused", refused[line.row.report])
        if line.state == "understood" and line.row.report in refused
        else line
        for line, _ in judged
    )
    return Taken(tuple(reports), tuple(lines))


def find_jobs(rows: Iterable[Row]) -> dict[tuple[str, str, str, str], str]:
    """Return which job of Raspberry Pi Diagnostics, old or new, each report shows: its key -> "old job" or "new job".

    The new job, since July 2024, has a row seq-read; a report of an earlier day cannot be of the new job.
    """
    jobs: dict[tuple[str, str, str, str], str] = {}
    for row in rows:
        if row.command_or_workload == "seq-read":
            jobs[row.report] = "new job"
        elif re.match(r"20[01]\d|202[0-3]", row.date) and row.tool.startswith("agnostics"):
            jobs.setdefault(row.report, "old job")
    return jobs


def report_uuid(row: Row) -> uuid.UUID:
    """Return the uuid of the report to which a row of a published table belongs.

    It is the same each time the table is imported.
    """
    return uuid.uuid5(_NAMESPACE, "|".join(row.report))


def _judge(row: Row, job: str) -> tuple[Line, Access | None]:
    reason = explain_refusal(row) or ("a rule of a program, not a card" if row.specimen == _RULE else "")
    access = None if reason else describe_access(row, job=job)
    if access and not _NUMBER.match(row.value):
        reason = f"“{row.value}” is not a number, but its unit {row.unit} asks for one"
    elif access and float(row.value) <= 0:
        reason = "a rate or a time must be greater than zero"
    if reason:
        return Line(row, "refused", reason), access
    question = "" if access else _question(row.unit)
    return Line(row, "asked" if question else "understood", question), access


def _question(unit: str) -> str:
    """Return the question that the source must answer before a value can be compared; "" without a question."""
    kept = "We keep it as a remark and do not compare it"
    if unit.endswith("/s") or unit == "IOPS":
        return f"did it read or write? {kept}"
    is_known = unit in _REMARKED or unit in units.UNITS or _CURRENCY.fullmatch(unit)
    return "" if is_known else f"what unit is “{unit}”? {kept}"


def _measurements(draft: Iterable[tuple[Row, Access | None]]) -> list[dict[str, Any]]:
    """Return the measurements of a report. Rows of one test are repeats, but rows with different words are variants."""
    measured = [(row, access) for row, access in draft if access]
    return [
        _measurement(of_words, variant)
        for rows in group_by(measured, _pattern).values()
        for variant, of_words in _variants(rows).items()
    ]


def _pattern(measured: Measured) -> tuple[Any, ...]:
    _, access = measured
    return access.workload, access.metric, tuple(sorted(access.parameters.items()))


def _variants(rows: Sequence[Measured]) -> dict[str, list[Measured]]:
    """Return the rows of one test by variant: the parts of their words that not all of the rows have."""
    common = set.intersection(*(set(_words_of(row)) for row, _ in rows))
    return group_by(
        rows,
        lambda pair: "; ".join(word for word in _words_of(pair[0]) if word not in common)[:_LONGEST_TITLE],
    )


def _words_of(row: Row) -> Iterator[str]:
    return filter(None, (row.command_or_workload, row.metric, *row.note.split("; ")))


def _measurement(rows: Sequence[Measured], variant: str) -> dict[str, Any]:
    first = rows[0][1]
    return {
        "workload": first.workload,
        "metric": first.metric,
        "unit": first.unit,
        "values": [_convert(float(row.value), access, first.unit) for row, access in rows],
        "parameters": {**first.parameters} | ({"variant": variant} if variant else {}),
    }


# All rows of a pattern are stored in the unit of its first row.
def _convert(value: float, access: Access, unit: str) -> float:
    if access.unit == unit:
        return value * access.factor
    return value * access.factor * units.UNITS[access.unit][1] / units.UNITS[unit][1]


def _reading(row: Row) -> dict[str, Any]:
    number = _NUMBER.match(row.value)
    base, factor = units.UNITS.get(row.unit, (row.unit, 1.0))
    value: float | str = float(row.value) * factor if number and row.unit != "hex" else row.value
    named = {"name": row.metric[:100], "value": value, "unit": base[:16]}
    return named | drop_empty({"of": row.command_or_workload[:200], "tool": row.tool[:200]})


def _draft_report(
    draft: Sequence[tuple[Row, Access | None]], of_card: Sequence[Row], origin: Origin | None
) -> Drafted:
    """Return the report of the rows in `draft`. Raise ReportError.

    `of_card`: all rows of the table about the same card, in any report, which describe the card.
    """
    rows = [row for row, _ in draft]
    source = _source(rows, origin)
    document = drop_empty(
        {
            "card": describe_card(of_card),
            "host": describe_host(rows[0].host),
            "readings": [_reading(row) for row, access in draft if access is None],
            "source": source,
            "note": _join_unique((row.note for row in rows), _LONGEST_NOTE),
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "client": _CLIENT,
            "uuid": str(report_uuid(rows[0])),
            "run": _run(rows, of_card),
        }
    ) | {"measurements": _measurements(draft)}
    body = msgspec.json.encode(document)
    parse(body)
    return Drafted(body, rows[0].source_id, source["author"])


def _run(rows: Sequence[Row], of_card: Sequence[Row]) -> dict[str, Any]:
    tools = dict.fromkeys(row.tool for row in rows if row.tool)
    programs = [re.split(r"[\s:(]", tool)[0] for tool in tools]
    names = dict.fromkeys(re.sub(r"[^A-Za-z0-9_.+/-]", "", program) for program in programs)
    name = "+".join(names).strip("+")
    is_device = {program.strip(",;") in ("flashbench", "hdparm") for program in programs}
    doubts = {found[0].strip()[:200] for row in rows if (found := _INFERRED.search(row.note))}
    return {
        "suite": "published",
        "tool": name if name and len(name) <= 64 else "several" if tools else "unknown",
        "target": "device" if is_device == {True} else "unknown",
        "doubts": sorted(doubts)[:32],
        "not_compared": not_compared(rows, of_card)[:200],
    }


def _source(rows: Sequence[Row], origin: Origin | None) -> dict[str, Any]:
    source_id = rows[0].source_id
    place = _join_unique((row.title_or_repo_path for row in rows), _LONGEST_PLACE)
    row = next((row for row in tables.rows("sources") if row["id"] == source_id), None)
    named = origin or Origin(title=source_id)
    if row:
        named = Origin(row["title"], row["author"], row["source"], row["licence"])
    return {
        "id": source_id if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", source_id) else None,
        "title": named.title[:_LONGEST_TITLE] or source_id,
        "author": (named.author or _owner(rows[0].title_or_repo_path))[:_LONGEST_TITLE],
        "url": _web_address(rows[0].title_or_repo_path) or named.url,
        "licence": named.licence,
        "place": place,
        "dated": _join_unique((row.date for row in rows), _LONGEST_TITLE),
    }


def _owner(place: str) -> str:
    owner = re.match(r"(?:gist )?([\w.-]+)/", place)
    return owner[1] if owner else re.split(r" — |[;(]", place)[0].strip()


def _web_address(place: str) -> str:
    matches = ((re.match(pattern, place), address) for pattern, address in _ADDRESSES)
    return next((found.expand(address) for found, address in matches if found), "")


# Texts that would make the result longer than `most` are left out as a whole.
def _join_unique(texts: Iterable[str], most: int) -> str:
    parts = dict.fromkeys(part for text in texts for part in text.split("; ") if part)
    joined = next(iter(parts), "")[:most]
    for part in [*parts][1:]:
        if len(joined) + len("; ") + len(part) > most:
            break
        joined += f"; {part}"
    return joined


class Reason(NamedTuple):
    """The reason why `lines` rows of a published table are refused or need an answer.

    `first`: the line of the first of these rows in the file.
    """

    state: str
    words: str
    lines: int
    first: int


def reasons(lines: Sequence[Line]) -> list[Reason]:
    """Return the reasons of all rows of a published table that are not understood, the most frequent first."""
    told = [line for line in lines if line.state != "understood"]
    counts = Counter((line.state, line.reason) for line in told)
    first = {(line.state, line.reason): line.row.file_line for line in reversed(told)}
    return [Reason(*reason, count, first[reason]) for reason, count in counts.most_common()]


def states(lines: Iterable[Line]) -> Mapping[str, int]:
    """Return the number of rows of a published table that are understood, open (the source is asked) or refused."""
    counts = Counter(line.state for line in lines)
    return {state: counts[state] for state in ("understood", "asked", "refused")}
