"""Describe findings in sentences, in the language of the reader."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from submissions.domain.findings.examined_report import Finding
from submissions.domain.findings.finding_rules import Severity, all_rules
from submissions.domain.measuring.metrics import ABILITIES, FIGURES, METRICS, amount_in_words
from submissions.domain.ranking.uses import all_uses
from submissions.domain.translation import Titled, translate

# Values that are names of rows in tables; people read the titles of those.
_TABLES: Mapping[str, Callable[[], Mapping[str, Titled]]] = {
    "ability": lambda: ABILITIES,
    "figure": lambda: FIGURES,
    "quantity": lambda: METRICS,
    "use": all_uses,
}
_PLACE = re.compile(r"{(\w+)}")


class FindingWords(Struct, frozen=True, kw_only=True):
    """A finding in words for people; `code` is for scripts and never changes."""

    code: str
    kind: Annotated[str, Meta(description="real size, health, kernel, identity, alignment, speed, geometry")]
    severity: Annotated[Severity, Meta(description="most serious first")]
    sentence: str
    next_step: Annotated[str, Meta(description="what to do about it; empty if there is nothing to do")]
    source: Annotated[str, Meta(description="where its meaning is documented")]


def describe_findings(
    findings: Iterable[Finding | Mapping[str, Any]], *, localize: Callable[[str], str] = str
) -> list[FindingWords]:
    """Return findings in words, in their order; findings may be stored JSON, and codes of a newer release are left out.

    `localize` rewrites the numbers of an English text in the notation of the reader.
    """
    found = (one if isinstance(one, Finding) else msgspec.convert(one, Finding) for one in findings)
    return [_describe(finding, localize) for finding in found if finding.code in all_rules()]


def _describe(finding: Finding, localize: Callable[[str], str]) -> FindingWords:
    rule = all_rules()[finding.code]
    words = {name: _word(name, value, localize) for name, value in finding.values.items()}
    sentence, next_step, source = (
        _PLACE.sub(lambda place: words[place[1]], text)
        for text in (translate(rule.english), translate(rule.english_next_step), rule.source)
    )
    return FindingWords(
        code=rule.code,
        kind=rule.kind,
        severity=rule.severity,
        sentence=sentence[:1].upper() + sentence[1:],
        next_step=next_step,
        source=source,
    )


def _word(name: str, value: Any, localize: Callable[[str], str]) -> str:
    if isinstance(value, str):
        titled = _TABLES[name]().get(value) if name in _TABLES else None
        return titled.title if titled else value
    number, unit = value
    return localize(_write_capacity(number) if unit == "GB" else amount_in_words(number, unit))


def _write_capacity(number: float) -> str:
    # As capacities are printed on cards, in powers of 1000.
    if number >= 1:
        return f"{number:,.2f} GB"
    return f"{1e3 * number:.3g} MB" if number >= 1e-3 else f"{1e6 * number:.3g} kB"


def all_texts() -> Iterator[str]:
    """Yield every English text that `describe_findings` translates."""
    for rule in all_rules().values():
        yield from filter(None, (rule.english, rule.english_next_step))
