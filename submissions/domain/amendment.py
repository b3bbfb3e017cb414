"""Read and apply amendments: later changes by the sender of a report to its label, condition or note.

The stored report itself never changes.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from submissions.domain import json_shape
from submissions.domain.errors import ReportError
from submissions.domain.fields import Condition, LongText
from submissions.domain.report import Label, Report

MAX_BYTES = 64_000


class Amendment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a report: a field that is left out stays as it is, and null restores the value of the report.

    `label` may hold any of the fields of a label, under the same rule.
    """

    label: dict[str, Any] | UnsetType = UNSET
    condition: Condition | UnsetType | None = UNSET
    note: LongText | UnsetType | None = UNSET


class NothingAmended(ReportError):
    """Raised for an amendment that changes nothing."""

    code = "empty_amendment"


_decoder = msgspec.json.Decoder(Amendment)


def parse(body: bytes) -> Amendment:
    """Return the amendment in a JSON body. Raise ReportError for an empty or invalid body.

    The label is not checked here: `amend` checks it together with the report.
    """
    if not body.strip():
        raise NothingAmended(
            "The request has no body. Send the fields to change, as JSON; see api/v1/REPORT.md."
        )
    amendment: Amendment = json_shape.decode_body(_decoder, body)
    if amendment == Amendment():
        raise NothingAmended("The request changes nothing: give a label, a condition or a note.")
    return amendment


def merge(overlay: Mapping[str, Any], amendment: Amendment) -> dict[str, Any]:
    """Return `overlay`, the JSON-able union of all earlier amendments of a report, with this amendment added."""
    changes: dict[str, Any] = msgspec.to_builtins(amendment)
    label = _drop_null(overlay.get("label", {}) | changes.pop("label", {}))
    rest = _drop_null({**overlay, **changes, "label": label or None})
    return dict(sorted(rest.items()))


def amend(original: Report, overlay: Mapping[str, Any]) -> Report:
    """Return the report with `overlay`, the union of its amendments, applied.

    Raise ReportError if the label becomes invalid.
    """
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
        raise json_shape.shape_error(str(error), at="card.label") from error


def _drop_null(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
