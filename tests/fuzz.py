"""Read damaged texts with every parser until the time is over: `make fuzz MINUTES=10`.

Real logs, and lines generated from the readers' patterns, are cut, mixed and damaged. Each text passes through every
step from bytes to the published page. Any error but a ReportError ends the search; then the text is kept, and its
number repeats it (`SEED=… MINUTES=0`).
"""

import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from submissions.domain import report
from submissions.domain.errors import ReportError
from submissions.domain.identity.identification import decode_card
from submissions.domain.intake import mail
from submissions.domain.intake.lines import decode
from submissions.domain.intake.paste import read
from submissions.domain.measuring import normalize
from submissions.domain.pasting import marking, pasted
from submissions.domain.pasting.dry_run import preview
from submissions.domain.pasting.pasted import Claims
from submissions.domain.privacy import published_text
from submissions.domain.privacy.published_report import scrub_report
from submissions.domain.report import Label
from tests import corpus, grown, truth

LINES = [
    line
    for path in corpus.files(corpus.LOGS)
    for line in path.read_bytes().decode("utf-8", "replace").split("\n")
    if line.strip()
]
LINES += [line for sample in truth.samples(corpus.LOGS) for line in sample.text.split("\n") if line.strip()]
ODD = [
    "\0",
    "\x1b[31m",
    "\r",
    "\t",
    "µ",
    "\ud800",
    "９",
    "-",
    "1e999",
    "99999999999999999999",
    "nan",
    ",",
    ".",
    "/s",
    "{",
    '"',
]
_GROWN = 0.2  # of the lines are made from the patterns of the readers
_TELLING = 10_000  # texts between two lines of progress

Rng = random.Random


def make_text(rng: Rng) -> bytes:
    """Return a text of some lines of real logs, damaged, in one of three encodings."""
    start, count = rng.randrange(len(LINES)), rng.randrange(1, 60)
    lines = LINES[start : start + count] if rng.random() < 0.7 else rng.choices(LINES, k=count)
    lines = [grown.line(rng) if rng.random() < _GROWN else line for line in lines]
    joined = rng.choice(["\n", "\r\n", "\n> ", "\n\n"]).join(lines)
    for _ in range(rng.randrange(8)):
        joined = rng.choice(DAMAGES)(rng, joined)
    return joined.encode(rng.choice(["utf-8", "utf-16", "latin-1"]), "replace")


def _cut(rng: Rng, text: str) -> str:
    start = rng.randrange(len(text) + 1)
    return text[:start] + text[start + rng.randrange(12) :]


def _put(rng: Rng, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(ODD) * rng.choice([1, 1, 1, 50]) + text[at:]


def _swap_digits(rng: Rng, text: str) -> str:
    digit = rng.choice("0123456789")
    return text.replace(digit, rng.choice(["0", "", "00", "9" * 20, "x"]), rng.randrange(1, 9))


def _repeat(rng: Rng, text: str) -> str:
    start = rng.randrange(len(text) + 1)
    return text[:start] + text[start : start + rng.randrange(1, 200)] * rng.randrange(2, 30) + text[start:]


def _byte(rng: Rng, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + chr(rng.choice([rng.randrange(256), rng.randrange(0x3000)])) + text[at + 1 :]


DAMAGES: tuple[Callable[[Rng, str], str], ...] = (_cut, _put, _swap_digits, _repeat, _byte)


def process_text(body: bytes, rng: Rng) -> None:
    """Process a text from bytes to the published report. Raise ReportError where the sender would see a refusal."""
    mail.Threads().own_words(mail.read(body))
    parsed = read(decode(body))
    assert 0 <= parsed.numbers_understood <= parsed.number_count
    answers = {
        question.key: rng.choice(list(question.choices)) for question in parsed.questions if question.choices
    }
    claims = Claims(label=Label(brand="X"), answers=answers)
    marking.mark_lines(parsed, published_text.public_lines(parsed))
    preview(decode(body), answers=answers)
    taken = pasted.take(body, claims=claims, again=True)
    read_back = report.parse(taken.body)
    decoded, _ = decode_card(read_back.card)
    normalize.normalize(scrub_report(read_back, decoded), bus=read_back.card.bus)
    msgspec.json.encode(taken.published)


def main() -> None:
    minutes, seed = float(os.environ.get("MINUTES", "1")), int(os.environ.get("SEED", time.time_ns()))
    began, refused, size, slowest = time.monotonic(), 0, 0, (0.0, 0)
    for count in range(sys.maxsize):
        rng = random.Random(seed + count)
        body = make_text(rng)
        before = time.process_time()
        try:
            process_text(body, rng)
        except ReportError:
            refused += 1
        except Exception:  # any other error is the one that this search is for
            kept = Path(f"fuzz-{seed + count}.txt")
            kept.write_bytes(body)
            print(f"SEED={seed + count} breaks it; the text is kept in {kept}", file=sys.stderr)
            raise
        size += len(body)
        slowest = max(slowest, (time.process_time() - before, seed + count))
        passed = time.monotonic() - began
        if passed >= minutes * 60 or (count + 1) % _TELLING == 0:
            print(
                f"{count + 1:,} texts, {size / 1e6:.1f} MB in {passed:.0f} s: none breaks it, {refused:,} are"
                f" refused in words; the slowest took {slowest[0]:.2f} s (SEED={slowest[1]})",
                flush=True,
            )
        if passed >= minutes * 60:
            return


if __name__ == "__main__":
    main()
