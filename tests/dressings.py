"""Check that the results of sixteen tools are still read after people have tidied the text in fifteen usual ways.

`python -m tests.dressings` prints a row for each tool and a column for each way, called dressing: “=” read like the
bare text, “-” less, “X” wrong, blank where the dressing changes nothing; and below the table each wrong figure. The
bare texts are in data/bare_texts.samples: “%%% tool; results LINES; source”, where LINES are the numbers of the lines
with results.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from submissions.domain.intake.paste import read
from submissions.domain.measuring import units

_BARE: Final = Path(__file__).parent / "data" / "bare_texts.samples"
_CLOSE: Final = 0.005  # two figures that differ by less are one
# The results of these tools are rows below a heading, which people do not turn into lists or sentences.
_ROWS: Final = ("iozone", "bonnie++", "YABS", "SdFat", "diskspd")
_COMMAND: Final = re.compile(r"\s*(?:\$|\S+@\S+|Command line used)")
_FULL_WIDTH: Final = {ord(digit): chr(ord(digit) + 0xFEE0) for digit in "0123456789"}


@dataclass(frozen=True)
class Bare:
    tool: str
    lines: tuple[str, ...]
    results: frozenset[int]  # lines that hold a result, from 0

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def change_results(self, change: Callable[[str], str]) -> str:
        """Return the text with its lines of results changed; rows below a heading stay unchanged."""
        numbers = frozenset() if self.tool in _ROWS else self.results
        return "\n".join(change(line) if n in numbers else line for n, line in enumerate(self.lines))

    def change_output(self, change: Callable[[str], str]) -> str:
        """Return the text with all lines changed except commands."""
        return "\n".join(line if _COMMAND.match(line) else change(line) for line in self.lines)

    def replace(self, pattern: str, new: str) -> str:
        return re.sub(pattern, new, self.text, flags=re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """The result for one tool and one dressing.

    `sign`: “=” read like the bare text, “-” less, “X” wrong; `wrong`: figures that the bare text does not have.
    """

    tool: str
    dressing: str
    sign: str
    wrong: tuple[str, ...]


Dressing = Callable[[Bare], str]


def _collapse_blanks(bare: Bare) -> str:
    return bare.replace(r"[ \t]+", " ").replace("\n ", "\n")


def _use_hard_blanks(bare: Bare) -> str:
    return bare.replace(" ", "\u00a0")


def _add_blank_lines(bare: Bare) -> str:
    return "\n\n".join(bare.lines)


def _use_decimal_commas(bare: Bare) -> str:
    return bare.change_output(
        lambda line: re.sub(r"(?<![\w.-])(?<!ersion )(\d+)\.(\d+)(?![.\d])", r"\1,\2", line)
    )


def _separate_thousands(bare: Bare) -> str:
    number = re.compile(r"(?<![\w.,:+-])(?<!:\d\d )\d{4,}(?=(?:\.\d+)?(?![\w:-]))")
    return bare.change_output(lambda line: number.sub(lambda found: f"{int(found[0]):,}", line))


def _add_notes(bare: Bare) -> str:
    return "\n".join(
        f"{line.rstrip()}  <- my card" if n in bare.results else line for n, line in enumerate(bare.lines)
    )


def _end_sentences(bare: Bare) -> str:
    return bare.change_results(lambda line: f"{line.rstrip()}.")


def _make_list(bare: Bare) -> str:
    bullet = "*-•"[sum(bare.tool.encode()) % 3]
    lines = (f"{bullet} {line.strip()}" if line.strip() else line for line in bare.lines)
    return "\n".join(bare.lines if bare.tool in _ROWS else lines)


def _label_results(bare: Bare) -> str:
    return bare.change_results(lambda line: f"Result: {line.strip()}")


def _embolden(bare: Bare) -> str:
    return bare.change_results(lambda line: f"**{line.strip()}**")


def _part_units(bare: Bare) -> str:
    return bare.replace(r"\b([KkMG]i?B(?:yte)?)/s", r"\1 /s")


def _beautify_dashes(bare: Bare) -> str:
    # A rule of four and more hyphens is kept.
    dashes = {"-": "–", "--": "–", "---": "—"}
    return re.sub(r"(?<!-)(?:-{2,3}(?!-)|(?<= )-(?=[ \w]))", lambda found: dashes[found[0]], bare.text)


def _join_lines(bare: Bare) -> str:
    return " ".join(line.strip() for line in bare.lines if line.strip())


def _widen_digits(bare: Bare) -> str:
    return bare.replace(r"(?<=\d)\.(?=\d)", "\uff0e").translate(_FULL_WIDTH)


def _wrap(bare: Bare) -> str:
    pieces = (re.findall(r".{1,60}(?:\s+|\Z)|\S+", line) or [""] for line in bare.lines)
    return "\n".join(piece.rstrip() for line in pieces for piece in line)


DRESSINGS: Final[Mapping[str, Dressing]] = {
    "blanks": _collapse_blanks,
    "nbsp": _use_hard_blanks,
    "spaced": _add_blank_lines,
    "1,5": _use_decimal_commas,
    "1,000": _separate_thousands,
    "note": _add_notes,
    "stop": _end_sentences,
    "list": _make_list,
    "label": _label_results,
    "bold": _embolden,
    "MB /s": _part_units,
    "dash": _beautify_dashes,
    "1 line": _join_lines,
    "wide": _widen_digits,
    "wrap": _wrap,
}


def bare_texts() -> Iterator[Bare]:
    for chunk in _BARE.read_text(encoding="utf-8").split("%%% ")[1:]:
        head, _, text = chunk.rstrip("\n").partition("\n")
        tool, results, _ = head.split("; ", 2)
        numbers = frozenset(int(number) - 1 for number in results.split()[1:])
        yield Bare(tool, (*text.split("\n"), ""), numbers)


@dataclass(frozen=True)
class _Meaning:
    """A figure without its notation: `value` is in the base unit."""

    kind: tuple[str, str, str]  # workload, metric, base unit
    value: float
    parameters: Mapping[str, Any]

    def __str__(self) -> str:
        workload, metric, unit = self.kind
        return f"{self.value:g} {unit} {workload} {metric} {dict(self.parameters)}"

    def includes(self, other: "_Meaning") -> bool:
        """Return whether `other` is the same figure, perhaps with fewer parameters."""
        close = abs(self.value - other.value) <= _CLOSE * abs(self.value)
        return self.kind == other.kind and close and other.parameters.items() <= self.parameters.items()


def meanings(text: str) -> list[_Meaning]:
    found = (figure for figure in read(text).figures if figure.value is not None)
    bases = ((figure, *units.UNITS[figure.unit]) for figure in found)
    return [
        _Meaning(
            (figure.workload, figure.metric, base), (figure.value or 0) * factor, dict(figure.parameters)
        )
        for figure, base, factor in bases
    ]


def _are_same(some: list[_Meaning], others: list[_Meaning]) -> bool:
    pairs = zip(some, others, strict=False)
    return len(some) == len(others) and all(a.includes(b) and b.includes(a) for a, b in pairs)


def grade(bare: Bare, name: str) -> Outcome | None:
    """Return how a tidied text is read compared with the bare text; None if the dressing changes nothing."""
    if (dressed := DRESSINGS[name](bare)) == bare.text:
        return None
    true, found = meanings(bare.text), meanings(dressed)
    wrong = tuple(str(one) for one in found if not any(figure.includes(one) for figure in true))
    return Outcome(bare.tool, name, "X" if wrong else "=" if _are_same(true, found) else "-", wrong)


def outcomes() -> list[Outcome]:
    graded = (grade(bare, name) for bare in bare_texts() for name in DRESSINGS)
    return [outcome for outcome in graded if outcome]


def _table(graded: list[Outcome]) -> Iterator[str]:
    signs = {(outcome.tool, outcome.dressing): outcome.sign for outcome in graded}
    yield f"{'':16}" + "".join(f"{name:>7}" for name in DRESSINGS)
    for tool in dict.fromkeys(outcome.tool for outcome in graded):
        yield f"{tool:16}" + "".join(f"{signs.get((tool, name), ''):>7}" for name in DRESSINGS)
    for sign, words in (("=", "like bare"), ("-", "less"), ("X", "wrong")):
        sums = Counter(outcome.dressing for outcome in graded if outcome.sign == sign)
        yield f"{sign + ' ' + words:16}" + "".join(f"{sums[name]:>7}" for name in DRESSINGS)


def main() -> None:
    graded = outcomes()
    print(*_table(graded), sep="\n")
    counts = Counter(outcome.sign for outcome in graded)
    print(f"{len(graded)} texts: {counts['=']} like bare, {counts['-']} less, {counts['X']} wrong")
    for outcome in graded:
        for wrong in outcome.wrong[:2]:
            print(f"{outcome.tool}, {outcome.dressing}: {wrong}")
    sys.exit(bool(counts["X"]))


if __name__ == "__main__":
    main()
