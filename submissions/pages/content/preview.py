"""Preview how a report or a pasted text would be stored, without storing anything."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from itertools import chain, count
from typing import Any, NamedTuple

import msgspec
from django.utils import timezone

from submissions.domain import geometry
from submissions.domain.errors import ReportError
from submissions.domain.findings import FindingWords, find_findings
from submissions.domain.findings.examined_report import ExaminedReport, examine_report
from submissions.domain.identity import identification, model_names
from submissions.domain.identity.identification import decode_card
from submissions.domain.intake.parsed import OpenQuestion
from submissions.domain.measuring.normalize import NotUnderstood
from submissions.domain.pasting import inspection, pasted
from submissions.domain.registers import Decoded
from submissions.domain.report import Report, parse
from submissions.models import Measurement
from submissions.pages.content import register_rows
from submissions.pages.content.figure_tables import Table, describe_measurement, tables
from submissions.pages.content.finding_lines import list_findings
from submissions.sandbox import limited_call

MOST_ROWS = 500  # measurements listed one by one
MOST_TABLED = 3000  # above, the tables would be a page of many megabytes


class Row(NamedTuple):
    """A measurement in a preview. `place`: index in the report; `lines`: numbers of the lines that state it."""

    place: int
    words: str
    measurement: Measurement
    lines: tuple[int, ...]


class Part(NamedTuple):
    """A part of a pasted text: its first line, the letter of its card, and a title that tells parts apart."""

    line: int = 0
    card: str = ""
    title: str = ""


class Understanding(NamedTuple):
    """A report, or a part of a pasted text, as it would be stored.

    `name` is the name of the model, "" if it is unknown. `problem` is the reason for a refusal. `sentence` sums up the
    registers, "" if there are none. `missed` would be kept in the raw report only. `reading` is None for a report.
    """

    name: str
    sentence: str
    portraits: tuple[register_rows.Portrait, ...]
    rows: tuple[Row, ...]
    verdicts: tuple[tuple[str, int], ...]
    tables: tuple[Table, ...]
    missed: tuple[NotUnderstood, ...]
    inside: tuple[geometry.Inference, ...] = ()
    findings: tuple[FindingWords, ...] = ()
    problem: ReportError | None = None
    reading: inspection.Reading | None = None
    part: Part = Part()

    @property
    def measurement_count(self) -> int:
        return sum(count for _, count in self.verdicts)

    @property
    def too_many(self) -> bool:
        """Return whether there are so many measurements that the tables hold only some of them."""
        return self.measurement_count > MOST_TABLED


_NOTHING = Understanding("", "", (), (), (), (), ())


def understand(body: bytes) -> Understanding:
    """Return a preview of a report in JSON. Raise ReportError if the report would be refused or rejected."""
    report = parse(body)
    understood = _understand(report, lines={})
    if not understood.name:
        model_names.name_model(report.card, decode_card(report.card)[0], simulated=report.simulated)
    return understood


class UnderstoodText(NamedTuple):
    """A pasted text as it would be stored, in one or more parts, with open questions to the sender."""

    questions: tuple[OpenQuestion, ...]
    parts: tuple[Understanding, ...]


def understand_text(text: bytes, claims_of_card: Callable[[str], pasted.Claims]) -> UnderstoodText:
    """Return a preview of the output of another tool. Raise ReportError if the text cannot be read at all.

    `claims_of_card` returns the statements of the sender about a card by its letter, "" if there is only one card.
    """
    inspected = limited_call.call(inspection.inspect, text, claims_of_card(""))
    parts = (_understand_part(part, claims_of_card(part.card)) for part in inspected.parts)
    return UnderstoodText(inspected.questions, tuple(parts))


def _understand_part(inspected: inspection.Inspection, claims: pasted.Claims) -> Understanding:
    part = Part(inspected.line, inspected.card, inspected.title)
    nothing = _NOTHING._replace(problem=inspected.problem, reading=inspected.reading, part=part)
    if inspected.document is None:
        return nothing
    document = pasted.add_claims(inspected.document, claims)
    try:
        understood = _understand(parse(msgspec.json.encode(document)), lines=inspected.lines)
    except ReportError as problem:
        return nothing._replace(problem=problem)
    return understood._replace(problem=_find_missing_name(document), reading=inspected.reading, part=part)


def _find_missing_name(document: Mapping[str, Any]) -> ReportError | None:
    try:
        pasted.require_name(document)
    except pasted.UnnamedCard as problem:
        return problem
    return None


def _understand(report: Report, *, lines: Mapping[int, list[int]]) -> Understanding:
    examined = examine_report(report)
    decoded, rows = examined.decoded, _rows(examined, lines=lines)
    return Understanding(
        name=_name(report, decoded),
        sentence=identification.describe_card(identification.identify(decoded)) if decoded else "",
        portraits=_portraits(report, decoded) if decoded else (),
        rows=tuple(rows[:MOST_ROWS]),
        verdicts=tuple(Counter(row.measurement.verdict for row in rows).most_common()),
        tables=tuple(tables(row.measurement for row in rows[:MOST_TABLED])),
        missed=examined.not_understood,
        findings=tuple(list_findings(find_findings(examined))),
        inside=examined.geometry,
    )


def _name(report: Report, decoded: Decoded | None) -> str:
    try:
        return model_names.name_model(report.card, decoded, simulated=report.simulated).name
    except ReportError:
        return ""


def _portraits(report: Report, decoded: Decoded) -> tuple[register_rows.Portrait, ...]:
    card = identification.identify(
        decoded,
        label_brand=report.card.label.brand or None,
        size_bytes=report.whole_bytes,
        received_on=timezone.now().date(),
    )
    return register_rows.portraits(card, by_field={})


def _rows(examined: ExaminedReport, *, lines: Mapping[int, list[int]]) -> list[Row]:
    # Measurements that were not understood have no place in the report.
    not_there = {one.field.partition("]")[0].removeprefix("measurements[") for one in examined.not_understood}
    places = [place for place in range(len(examined.report.measurements)) if str(place) not in not_there]
    rows = []
    # Figures that were derived from others follow those of the report.
    numbered = zip(chain(places, count(len(examined.report.measurements))), examined.measured, strict=False)
    for place, figure in numbered:
        measurement = Measurement(position=place, **asdict(figure))
        stand = tuple(lines.get(place, ()))
        rows.append(Row(place, describe_measurement(measurement), measurement, stand))
    return rows
