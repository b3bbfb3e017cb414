"""Check that texts of tests/logs are not read with a wrong meaning after they were mechanically disfigured.

`python -m tests.disfigured [COUNT] [SEED]` makes 1,000 such texts; a test makes a few. Each one wraps, cuts, quotes,
numbers, translates or merges texts of tests/truth.py. A figure that is not in the truth of the text is wrong; so are
two texts that become one card without a question.
"""

import html
import random
import re
import sys
from collections import Counter
from collections.abc import Callable

from submissions.domain.intake.paste import read
from tests import corpus, truth
from tests.truth import Grade, Sample

Rng = random.Random
# Never cut in front: without the line above it, a table of microseconds looks like a table of rates.
SAMPLES = [
    sample
    for sample in truth.samples(corpus.LOGS)
    if not sample.unseen
    and not sample.source.startswith(
        (
            "a cached file",
            "two cards in one text",
            "cut in the middle",
            "the line of iozone.c for -N",
            "iozone -O",
        )
    )
]


def _lines(text: str, each: Callable[[int, str], str]) -> str:
    return "\n".join(each(number, line) for number, line in enumerate(text.split("\n"), 1))


def _prefix_lines(rng: Rng, text: str) -> str:
    form = rng.choice(
        [
            "{n:>4}: {line}",
            "{n:>4}  {line}",
            "> {line}",
            "> > {line}",
            "| {line}",
            "+ {line}",
            "[2024-01-05 10:00:{n:02}] {line}",
            "Jan  5 10:00:{s:02} pi bench[77]: {line}",
            "2024-01-05T10:00:{s:02}Z {line}",
            "    {line}",
            "\t{line}",
            "// {line}",
        ]
    )
    return _lines(text, lambda n, line: form.format(n=n, s=n % 60, line=line))


def _wrap_lines(rng: Rng, text: str) -> str:
    width = rng.choice([60, 66, 72, 78])
    pieces = [re.findall(rf".{{1,{width}}}(?:\s+|\Z)|\S+", line) or [""] for line in text.split("\n")]
    return "\n".join(piece.rstrip() for line in pieces for piece in line)


def _cut(rng: Rng, text: str) -> str:
    return text[: rng.randrange(len(text) // 3, len(text))]


def _cut_in_front(rng: Rng, text: str) -> str:
    return text[rng.randrange(0, len(text) // 2) :].partition("\n")[2]


def _commas(rng: Rng, text: str) -> str:
    return re.sub(r"(?<=[0-9])\.(?=[0-9])", ",", text)


def _thousands(rng: Rng, text: str) -> str:
    return re.sub(r"(?<![0-9.,/])([0-9]{1,3})([0-9]{3})(?=\.[0-9])", r"\1,\2", text)


def _squeeze_blanks(rng: Rng, text: str) -> str:
    return re.sub(r"[ \t]+", " ", text)


def _tabs(rng: Rng, text: str) -> str:
    return re.sub(r" {2,}", "\t", text)


def _page(rng: Rng, text: str) -> str:
    escaped = html.escape(text)
    return rng.choice(
        ["<p>so</p><pre>{}</pre>", "<pre><code>{}</code></pre>", "[code]{}[/code]", "```\n{}\n```"]
    ).format(escaped if rng.random() < 0.5 else text)


def _ends(rng: Rng, text: str) -> str:
    return text.replace("\n", rng.choice(["\r\n", "\n\n", " \n", "\x1b[0m\n"]))


def _quote_twice(rng: Rng, text: str) -> str:
    return f"{text}\nOn Monday somebody wrote:\n" + _lines(text, lambda n, line: f"> {line}")


DISGUISES = (
    _prefix_lines,
    _wrap_lines,
    _cut,
    _cut_in_front,
    _commas,
    _thousands,
    _squeeze_blanks,
    _tabs,
    _page,
    _ends,
)


def grade_disfigured(rng: Rng) -> tuple[str, Sample, Grade]:
    """Disfigure a random text; return the ways of disfiguring, the original text and the grade of its reading."""
    sample = rng.choice([sample for sample in SAMPLES if sample.text.strip()])
    if rng.random() < 0.15:
        return "merged", sample, _grade_merged(rng, sample)
    how = rng.sample((*DISGUISES, _quote_twice), k=rng.choice([1, 1, 2]))
    text = sample.text
    for disguise in how:
        text = disguise(rng, text) if len(text) > 9 else text
    return " ".join(disguise.__name__.strip("_") for disguise in how), sample, truth.grade(sample, text)


def _grade_merged(rng: Rng, sample: Sample) -> Grade:
    """Grade the reading of two texts of one tool below two names.

    The right result is two cards or a question, but never one card.
    """
    other = rng.choice([other for other in SAMPLES if other.tool == sample.tool])
    form = rng.choice(["{}:\n", "**{}**\n", "## {}\n", "{}\n-----------\n", "<h3>{}</h3>\n", "{} wrote:\n\n"])
    text = form.format("Kingston Canvas") + sample.text + "\n" + form.format("Samsung Evo") + other.text
    both = Sample(
        sample.tool, "", False, sample.figures + other.figures, sample.facts + other.facts, (), False, text
    )
    parsed = read(text)
    grade = truth.compare(both, parsed)
    shared = {f.pattern for f in parsed.figures if "Kingston" in f.section} & {
        f.pattern for f in parsed.figures if "Samsung" in f.section
    }
    merged = [] if not shared or parsed.questions else ["merged"]
    return Grade("WRONG", 0, 0, 0, tuple(merged)) if merged else grade


def main() -> None:
    count, seed = (int(word) for word in (sys.argv[1:] + ["1000", "21"][len(sys.argv) - 1 :]))
    outcomes: Counter[str] = Counter()
    for number in range(count):
        how, sample, grade = grade_disfigured(random.Random(seed * 1_000_000 + number))
        outcomes[grade.outcome] += 1
        if grade.outcome == "WRONG":
            print(
                f"{seed}/{number} {how}: {sample.tool}, {sample.source[:60]}", *grade.wrong[:2], sep="\n    "
            )
    print(f"{count} texts, seed {seed}:", dict(outcomes))
    sys.exit(bool(outcomes["WRONG"]))


if __name__ == "__main__":
    main()
