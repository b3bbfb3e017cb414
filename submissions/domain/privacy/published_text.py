"""Make the public form of a pasted text: the lines that were understood, with the black bars of `permission`."""

import re
from collections.abc import Iterable, Iterator

from submissions.domain.intake import commands
from submissions.domain.intake.lines import Line
from submissions.domain.intake.parsed import Parsed
from submissions.domain.privacy import public_words
from submissions.domain.privacy.permission import Place, bars, merge_places, with_bars

_WORD = re.compile(r"\S+")
_COMMENT = re.compile(r"(?<!\S)#.*")


def public_text(parsed: Parsed) -> str:
    """Return the public lines with their bars, and the number of lines left out between them.

    It is "" without public lines.
    """
    pieces, last = list[str](), 0
    for number, places in public_lines(parsed).items():
        pieces += [*_gap(number - last - 1), with_bars(parsed.lines[number - 1].text, places)]
        last = number
    return "\n".join(pieces)


def public_lines(parsed: Parsed) -> dict[int, list[Place]]:
    """Return the private parts of each line in which something was understood, by number of the line.

    A line that was not understood may hold anything, such as a signature or a password, and is never published, and
    neither are commands of programs other than those of `commands.PROGRAMS`.
    """
    figure_lines = {figure.span.line for figure in parsed.figures}
    spans: dict[int, list[Place]] = {}
    for span in parsed.understood:
        spans.setdefault(span.line, []).append((span.start, span.end))
    public: dict[int, list[Place]] = {}
    for number, of_line in sorted(spans.items()):
        line = parsed.lines[number - 1]
        command = commands.parse(line.text[line.start :])
        if command is None or command.program:
            around = _private_places(line) if command else ()
            public[number] = _bars(line.text, of_line if number in figure_lines else [], around)
    return public


def _bars(text: str, measured: list[Place], around: Iterable[Place]) -> list[Place]:
    places = bars(text, public_words.words_of_tools(), measured=measured)
    return list(merge_places([*places, *around], text))


# Prompt, words before the program and comment behind it may name people and machines.
def _private_places(line: Line) -> Iterator[Place]:
    begin = line.start + commands.prompt_length(line.text[line.start :])
    prompt = line.text[line.start : begin].rstrip()
    if any(map(str.isalnum, prompt)):
        yield line.start, line.start + len(prompt) - 1
    yield from (match.span() for match in _COMMENT.finditer(line.text, begin))
    for word in _WORD.finditer(line.text, begin):
        if word[0].rsplit("/", 1)[-1].lstrip(commands.QUOTES) in commands.PROGRAMS:
            return
        if word[0].rstrip(";") not in commands.BEFORE:
            yield word.span()


def _gap(count: int) -> list[str]:
    return [f"[… {count} line{'s' if count > 1 else ''} not published]"] if count else []
