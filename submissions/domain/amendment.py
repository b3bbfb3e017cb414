"""Later changes by the sender of a report: label, condition, note. The stored report itself never changes."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from submissions.domain import report
from submissions.domain.errors import ReportError
from submissions.domain.fields import Condition, LongText
from submissions.domain.report import Label, Report

MAX_BYTES = 64_000


class Amendment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is left out stays as it is; null goes back to what the report says. `label`: any of its fields."""

    label: dict[str, Any] | UnsetType = UNSET
    condition: Condition | UnsetType | None = UNSET
    note: LongText | UnsetType | None = UNSET


class NothingAmended(ReportError):
    """An amendment that says nothing."""

    code = "empty_amendment"


_decoder = msgspec.json.Decoder(Amendment)


def parse(body: bytes) -> Amendment:
    """JSON bytes -> Amendment. Raises ReportError; whether the label can be read turns out with the report."""
    if not body.strip():
        raise NothingAmended(
            "The request has no body. Send what shall change, as JSON; see api/v1/REPORT.md."
        )
    amendment: Amendment = report.read(_decoder, body)
    if amendment == Amendment():
        raise NothingAmended("Nothing is said that shall change: label, condition or note.")
    return amendment


def merged(overlay: Mapping[str, Any], amendment: Amendment) -> dict[str, Any]:
    """`overlay`, the JSON-able union of all earlier amendments, with this one added."""
    changes: dict[str, Any] = msgspec.to_builtins(amendment)
    label = _without_null(overlay.get("label", {}) | changes.pop("label", {}))
    rest = _without_null({**overlay, **changes, "label": label or None})
    return dict(sorted(rest.items()))


def amended(original: Report, overlay: Mapping[str, Any]) -> Report:
    """The report as it is read from now on. Raises ReportError when the label makes no sense."""
    if not overlay:
        return original
    label = msgspec.to_builtins(original.card.label) | overlay.get("label", {})
    card = msgspec.structs.replace(
        original.card,
        label=_label(label),
        condition=overlay.get("condition", original.card.condition),
    )
    return msgspec.structs.replace(original, card=card, note=overlay.get("note", original.note))


def _label(fields: Mapping[str, Any]) -> Label:
    try:
        return msgspec.convert(fields, Label)
    except msgspec.ValidationError as error:
        raise report.shape_error(str(error), at="card.label") from error


def _without_null(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
