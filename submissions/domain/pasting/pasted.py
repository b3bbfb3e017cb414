"""Turn a pasted text and the claims of its sender (label, condition, answers to questions) into a report."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import msgspec

from submissions.domain.errors import ReportError
from submissions.domain.fields import Condition, LongText
from submissions.domain.intake.choices import DISKS
from submissions.domain.intake.compose import compose
from submissions.domain.intake.lines import decode
from submissions.domain.intake.parsed import MEDIUM, OpenQuestion, Parsed
from submissions.domain.intake.paste import read
from submissions.domain.intake.text_parts import Part, gather
from submissions.domain.measuring.normalize import NotUnderstood
from submissions.domain.privacy.published_text import public_text
from submissions.domain.report import Label, Report, Source

_ANSWER = "answer."  # before the key of a question, in a form or a URL
# A URL has only text. Python would accept “nan” as a number, too.
_LONGEST_LINE_NUMBER = 9
_NUMBERS, _NUMBER = ("capacity_gb", "price"), re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


class UnnamedCard(ReportError):
    """Raised for a text without CID and without label: nothing says which card it is about."""

    code = "needs_label"


class Claims(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Statements of the sender about a text.

    answers   answers to the open questions of the text, by key
    case      first line of the part that the claims are about, 0 if the text is about one card in one condition
    """

    label: Label = Label()
    condition: Condition = "unknown"
    note: LongText = ""
    source: Source | None = None
    answers: dict[str, str] = {}
    case: Annotated[int, msgspec.Meta(ge=0)] = 0


def looks_like_report(text: bytes) -> bool:
    """Return whether a body is a report as JSON, and no text that a tool printed (fio prints JSON, too)."""
    return text.lstrip()[:1] == b"{" and b'"flashdb-report"' in text[:4096]


def claims_of(fields: Mapping[str, object]) -> Claims:
    """Return the claims (statements of the sender about a text) in the fields of a form or a URL.

    Raise ReportError for values that make no sense.
    """
    answers = answers_in(fields)
    beside = {name: fields[name] for name in ("condition", "note") if name in fields}
    if isinstance(case := fields.get("case"), str) and case.isdecimal() and len(case) < _LONGEST_LINE_NUMBER:
        beside["case"] = int(case)
    label = {
        name: _read_number(value) if name in _NUMBERS else value
        for name, value in fields.items()
        if name not in beside and not name.startswith(_ANSWER)
    }
    if isinstance(marks := label.get("marks"), str):
        label["marks"] = marks.replace(",", " ").split()
    document = beside | ({"label": label} if label else {}) | ({"answers": answers} if answers else {})
    try:
        return msgspec.convert(document, Claims)
    except msgspec.ValidationError as error:
        raise ReportError(
            f"The label cannot be read: {error}", field="card.label", code="wrong_label"
        ) from error


def _read_number(value: object) -> object:
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value


def answers_in(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers to open questions by key, from the fields of a form or a URL; "" is no answer."""
    return {
        name.removeprefix(_ANSWER): value
        for name, value in fields.items()
        if name.startswith(_ANSWER) and value
    }


def claims_in(report: Report) -> Claims:
    """Return the claims (statements of the sender) that came with a text, from the report that the text became."""
    return Claims(
        label=report.card.label,
        condition=report.card.condition,
        note=report.note,
        source=report.source,
        answers=report.extra.get("answers", {}),
        case=report.extra.get("case", 0),
    )


def omitted_contents(report: Report) -> tuple[NotUnderstood, ...]:
    """Return the contents that a report leaves out, with the reason: registers of another card, for instance."""
    omissions = report.extra.get("left_out", ())
    return tuple(NotUnderstood(omission["field"], "left_out", omission["reason"]) for omission in omissions)


def content_hash(text: bytes, claims: Claims) -> str:
    """Return the SHA-256 (hex) of a text and its claims (statements of the sender): equal for equal submissions."""
    label = dict(zip(("brand", "line", "model_number", "capacity_gb"), claims.label.names, strict=True))
    # Other claims are hashed apart, so that submissions from before they existed keep their hash.
    words = msgspec.json.encode(label, order="sorted")
    unnamed = msgspec.structs.replace(claims.label, brand="", line="", model_number="", capacity_gb=None)
    more = msgspec.structs.replace(claims, label=unnamed)
    if more != Claims():
        words += b"\0" + msgspec.json.encode(more, order="sorted")
    return hashlib.sha256(b"pasted\0" + words + b"\0" + text).hexdigest()


@dataclass(frozen=True, slots=True)
class PastedReport:
    """A report made of a pasted text.

    `body`: the report as JSON; `published`: the lines of the text that readers may see.
    """

    body: bytes
    published: str


def take(text: bytes, *, claims: Claims, again: bool = False) -> PastedReport:
    """Return the report of a pasted text with the claims (statements) of its sender.

    Raise ReportError if nothing is understood, if nothing names the card, or if the claims answer a question that the
    text does not leave open. `again`: the text was parsed before, perhaps by a version with other questions, so answers
    are not checked.
    """
    return take_parts(text, [claims], again=again)[0]


def take_parts(text: bytes, claims: Sequence[Claims], *, again: bool = False) -> list[PastedReport]:
    """Parse a text once, and return for each of these claims the report of the part of the text that it names.

    Claims are statements of the sender about a part. All must have the same answers. Raise ReportError as `take` does.
    """
    whole, answers = parse(text, claims=claims[0]), claims[0].answers
    parts = gather(whole, answers)
    if not again:
        _refuse_stray_answers([whole, *(part.parsed for part in parts)], answers)
    return [_take_part(_find_part(whole, parts, one.case), one) for one in claims]


def _take_part(part: Part, claims: Claims) -> PastedReport:
    document = as_document(part, claims=claims)
    require_name(document, title=part.title)
    return PastedReport(msgspec.json.encode(document), public_text(part.parsed))


def list_parts(text: bytes, *, claims: Claims) -> tuple[tuple[int, str], ...]:
    """Return (first line, letter of the card) of each part of a text; a part becomes a report.

    There is no part if the sender has not said for each case (the lines about one card in one condition) about which
    card it is.
    """
    return tuple((part.line, part.card) for part in gather(parse(text, claims=claims), claims.answers))


def _find_part(whole: Parsed, parts: Sequence[Part], line: int) -> Part:
    """Return the only part of a text that begins at this line, 0 for any. Raise ReportError for none or several."""
    if not parts:
        compose(whole)  # says which cases are open
    meant = [part for part in parts if line in (0, part.line)]
    if len(meant) != 1:
        lines = ", ".join(str(part.line) for part in parts) or "none, because all are left out"
        detail = f"The text contains {len(parts)} results. Name this one by its first line ({lines})."
        raise ReportError(detail, field="case", code="several_cards")
    return meant[0]


def parse(text: bytes, *, claims: Claims) -> Parsed:
    """Return the contents of a text, read with the answers in the claims. Raise TextError above 8 MB."""
    parsed = read(decode(text), answers=claims.answers)
    if not claims.label.brand.strip():
        return parsed
    # A sender who names the card has thereby said that a disk of unknown kind is a card, unless an answer contradicts.
    questions = (one for one in parsed.questions if one.answer or not _asks_what_a_disk_is(one))
    return replace(parsed, questions=tuple(questions))


def _asks_what_a_disk_is(question: OpenQuestion) -> bool:
    return question.about == MEDIUM and question.choices.keys() == DISKS.keys()


def _refuse_stray_answers(readings: Iterable[Parsed], answers: Mapping[str, str]) -> None:
    questions = {question.key: question for parsed in readings for question in parsed.questions}
    for key, answer in answers.items():
        choices = questions[key].choices if key in questions else {}
        if answer not in choices:
            choice = f"can be answered with {', '.join(choices)}"
            asked = choice if choices else "is not an open question about this text"
            raise ReportError(f"“{key}” {asked}.", field=f"{_ANSWER}{key}"[:200], code="wrong_answer")


def is_named(document: Mapping[str, Any]) -> bool:
    """Return whether a CID or a brand names the card of a report."""
    card = document["card"]
    return bool(card.get("label", {}).get("brand", "").strip()) or "cid" in card.get("registers", {})


def require_name(document: Mapping[str, Any], *, title: str = "") -> None:
    """Raise UnnamedCard if neither a CID nor a brand names the card.

    `title`: the title of the part of the text, "" for the whole text.
    """
    if not is_named(document):
        place = f"“{title}”" if title else "The text"
        detail = (
            f"{place} contains no CID, so only the label shows which card this is: give at least its brand."
        )
        raise UnnamedCard(detail, field="card.label.brand")


def as_document(part: Part, *, claims: Claims) -> dict[str, Any]:
    """Return the report of a part of a text, with the claims (statements of the sender) in it.

    Raise ComposeError if nothing is understood.
    """
    document = compose(part.parsed, of_card=part.of_card)
    specimen = {"specimen": part.specimen} if part.specimen else {}
    return add_claims(document | {"card": document["card"] | specimen}, claims)


def add_claims(document: Mapping[str, Any], claims: Claims) -> dict[str, Any]:
    """Return the report of a text with the claims (statements) of the sender, which take precedence over the text."""
    fields = msgspec.to_builtins(claims)
    label = document["card"].get("label", {}) | fields.get("label", {})
    fields |= {"label": label} if label else {}
    card = document["card"] | {name: fields[name] for name in ("label", "condition") if name in fields}
    beside = {name: fields[name] for name in ("note", "source") if name in fields}
    extra = document.get("extra", {}) | {name: fields[name] for name in ("answers", "case") if name in fields}
    return {**document, "card": card} | beside | ({"extra": extra} if extra else {})
