"""A report with everything that was worked out from it, which is the input of the rules of findings."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

from submissions.domain import geometry
from submissions.domain.geometry import Inference
from submissions.domain.identity.identification import decode_card
from submissions.domain.identity.suspicions import Suspicion, find_suspicions
from submissions.domain.measuring import normalize
from submissions.domain.measuring.normalize import Measured, NotUnderstood
from submissions.domain.registers import Decoded
from submissions.domain.report import Report

Amount = tuple[float, str]  # a number and its unit, as `finding_words` takes them
_LONGEST_TEXT, _MOST_FACTS = 200, 1000
_SIZES = ("announced_size_bytes", "about_announced_size_bytes")


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding about a report.

    `code`: the code of its rule in data/findings.csv; `values`: the values that the texts of the rule name.
    """

    code: str
    values: Mapping[str, str | Amount]


@dataclass(frozen=True)
class ExaminedReport:
    """A report with its measurements in base units, and the geometry, registers and suspicions that follow from it.

    `size_bytes`: size of the card as its host or registers state it; None if neither does. `not_understood`:
    measurements and registers that could not be read.
    """

    report: Report
    measured: tuple[Measured, ...] = ()
    geometry: tuple[Inference, ...] = ()
    decoded: Decoded | None = None
    suspicions: Sequence[Suspicion] = ()
    size_bytes: int | None = None
    not_understood: tuple[NotUnderstood, ...] = ()

    @cached_property
    def facts(self) -> tuple[tuple[str, float | str], ...]:
        """Return names and values of facts that tools printed beside their figures, and of readings of the card."""
        readings = ((reading.name, reading.value) for reading in self.report.readings)
        return (*_facts(self.report.extra), *readings)

    def list_numbers(self, name: str) -> list[float]:
        """Return the numbers of all facts of this name, in the order of the report."""
        return [float(value) for fact, value in self.facts if fact == name and isinstance(value, float | int)]

    def find_number(self, *names: str) -> float | None:
        """Return the number that a fact states, None if no fact with one of these names states a number.

        If there are several, the first of the `names` that has numbers counts, and then the first number in the report.
        """
        return next((number for name in names for number in self.list_numbers(name)), None)

    def find_text(self, name: str) -> str:
        """Return the first text of a fact of this name; "" if the report has none."""
        return next((value for fact, value in self.facts if fact == name and isinstance(value, str)), "")

    @property
    def announced_bytes(self) -> float | None:
        """Return the size that the card claims; None if not known.

        It comes from the host, the registers or a capacity test, else from the label.
        """
        label_gb = self.report.card.label.capacity_gb
        return self.size_bytes or self.find_number(*_SIZES) or (label_gb * 1e9 if label_gb else None)


def _facts(extra: Mapping[str, Any]) -> Iterator[tuple[str, float | str]]:
    # A client may write anything into `extra`.
    facts = extra.get("facts")
    for fact in facts[:_MOST_FACTS] if isinstance(facts, list) else ():
        name, value = (fact.get("name"), fact.get("value")) if isinstance(fact, dict) else (None, None)
        if isinstance(name, str) and _is_plain(value):
            yield name, value


def _is_plain(value: Any) -> TypeGuard[float | str]:
    if isinstance(value, str):
        return len(value) <= _LONGEST_TEXT and value.isprintable()
    return isinstance(value, float | int) and not isinstance(value, bool) and math.isfinite(value)


def examine_report(document: Report) -> ExaminedReport:
    """Return the report with its registers decoded and everything else worked out."""
    card = document.card
    decoded, unreadable = decode_card(card)
    suspicions = find_suspicions(decoded, size_bytes=document.whole_bytes) if decoded else ()
    size_bytes = card.size_bytes or (decoded.capacity_bytes if decoded else None)
    return examine_decoded(document, decoded, suspicions, unreadable, size_bytes=size_bytes)


def examine_decoded(
    document: Report,
    decoded: Decoded | None,
    suspicions: Sequence[Suspicion],
    unreadable: Sequence[NotUnderstood],
    *,
    size_bytes: int | None,
) -> ExaminedReport:
    """Return the report with its measurements normalized and its geometry inferred.

    `unreadable`: the registers that could not be decoded. `size_bytes`: the size of the card, None if not known.
    """
    bus = decoded.bus if decoded else document.card.bus
    measured, missed = normalize.normalize(document, bus=bus)
    inside = (
        *geometry.stated_inferences(document, measured),
        *geometry.infer(measured, size_bytes=size_bytes),
    )
    not_understood = (*unreadable, *missed)
    return ExaminedReport(document, measured, inside, decoded, suspicions, size_bytes, not_understood)
