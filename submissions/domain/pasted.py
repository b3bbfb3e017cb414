"""Output of other tools that somebody pasted -> the report it becomes, with the label its owner tells."""

from collections.abc import Mapping

import msgspec

from submissions.domain.errors import ReportError
from submissions.domain.formats.compose import compose
from submissions.domain.formats.lines import decode
from submissions.domain.formats.paste import read
from submissions.domain.report import Label


class UnnamedCard(ReportError):
    """No CID and no label: nothing says which card it is."""

    code = "needs_label"


def looks_like_report(text: bytes) -> bool:
    """Whether this is a report as JSON, rather than text that a tool printed. (fio prints JSON, too.)"""
    return text.lstrip()[:1] == b"{" and b'"flashdb-report"' in text[:4096]


def label_of(fields: Mapping[str, object]) -> Label:
    """Label from what a form or an address tells; blanks count as not told. Raises ReportError for nonsense."""
    told = {name: value for name, value in fields.items() if value not in ("", None)}
    try:
        return msgspec.convert(told, Label, strict=False)
    except msgspec.ValidationError as error:
        raise ReportError(
            f"The label cannot be read: {error}", field="card.label", code="wrong_label"
        ) from error


def as_report(text: bytes, *, label: Label) -> bytes:
    """The report as JSON. Raises ReportError when nothing is understood, or when nothing names the card."""
    document = compose(read(decode(text)))
    card = document["card"]
    if label != Label():
        card["label"] = msgspec.to_builtins(label)
    if not label.brand.strip() and "cid" not in card.get("registers", {}):
        raise UnnamedCard(
            "The text holds no CID, so only the label tells which card this is: say at least its brand.",
            field="card.label.brand",
        )
    return msgspec.json.encode(document)
