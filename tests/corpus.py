"""Print how many numbers of each log in a folder are understood: `make corpus`, or CORPUS=DIRECTORY make corpus.

The table for tests/logs is kept in tests/logs/table.txt, and a test compares both. Then follows, by tool, how the texts
from public threads (tests/truth.py) were read: right; due (a question is right); asked needlessly; unread; WRONG.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from submissions.domain.intake.parsed import Parsed
from submissions.domain.intake.paste import read
from tests import truth

LOGS = Path(__file__).parent / "logs"
TABLE = LOGS / "table.txt"
_OUTCOMES, _FIGURES = ("right", "due", "asked", "unread", "WRONG"), ("figures", "of")
_COLUMNS = ("lines", "figures", "failed", "asked", "numbers", "missed")  # numbers understood, and not


def files(folder: Path) -> list[Path]:
    """Return the logs of a corpus, which has one folder for each tool."""
    return sorted(path for path in folder.glob("*/*") if path.suffix in (".txt", ".json", ".log"))


def load(path: Path) -> Parsed:
    """Read a log file. The lines above its first ---, which name the source of the log, count as blank lines."""
    text = path.read_bytes().decode("utf-8", "replace")
    head, rule, body = text.partition("---\n") if text.startswith("# source:") else ("", "", text)
    return read("\n" * (head + rule).count("\n") + body)


def row(name: str, parsed: Parsed) -> str:
    """Return the table row of a log: lines, figures, failures, questions, numbers understood and numbers missed."""
    missed = parsed.number_count - parsed.numbers_understood
    failed = sum(figure.value is None for figure in parsed.figures)
    counts = (len(parsed.lines), len(parsed.figures), failed, len(parsed.questions))
    return "".join(f"{count:>9}" for count in (*counts, parsed.numbers_understood, missed)) + f"  {name}"


def table(folder: Path, paths: Iterable[Path]) -> Iterator[str]:
    """Yield the heading and the rows of a table with one row for every log file."""
    yield "".join(f"{column:>9}" for column in _COLUMNS)
    for path in paths:
        yield row(path.relative_to(folder).as_posix(), load(path))


def grade_texts(folder: Path) -> Iterator[str]:
    """Yield the heading and the rows of a table of how the texts were read, with one row for every tool and a sum."""
    yield "".join(f"{column:>8}" for column in ("texts", *_OUTCOMES, *_FIGURES)) + "  tool"
    sums: dict[str, Counter[str]] = {}
    for sample in truth.samples(folder):
        grade = truth.grade(sample)
        counts = Counter({"texts": 1, grade.outcome: 1, "figures": grade.right, "of": len(sample.figures)})
        for group in (sample.tool, "all", "unseen" if sample.unseen else ""):
            sums.setdefault(group, Counter()).update(counts)
        if grade.wrong and "VERBOSE" in os.environ:
            print(sample.tool, sample.source, *grade.wrong[:3], sep="\n    ")
    for group in sorted(filter(None, sums), key=lambda group: (group in ("all", "unseen"), group)):
        yield "".join(f"{sums[group][name]:>8}" for name in ("texts", *_OUTCOMES, *_FIGURES)) + f"  {group}"


def main() -> None:
    folder = Path(os.environ.get("CORPUS") or LOGS)
    if not (paths := files(folder)):
        sys.exit(
            f"{folder} holds no logs; set CORPUS to a folder with one folder of text files for each tool."
        )
    for line in table(folder, paths):
        print(line)
    if any(folder.glob("*/*.samples")) and not os.environ.get("TABLE_ONLY"):
        print(*grade_texts(folder), sep="\n")


if __name__ == "__main__":
    main()
