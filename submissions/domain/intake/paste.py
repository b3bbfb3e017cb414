"""Parse a text of any kind, line by line, and return everything that is understood in it: begin with `read`.

One pattern shows whether any reader may take a line; then readers are tried, the reader of the line before first.
Command lines and headings between them give the meaning of the rows below. The time is linear in the length of the
text, and the only exception is TextError for a text that is too large.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from submissions.domain.intake import commands, doubts
from submissions.domain.intake.cases import Identity, Outline, ask_about, find_cases
from submissions.domain.intake.choices import DISKS, MEDIA, WHOLE
from submissions.domain.intake.lines import LONGEST_LINE, Line, count_numbers, split
from submissions.domain.intake.parsed import (
    MEDIUM,
    Case,
    Parsed,
    Span,
    UnreadLine,
    unread_line,
)
from submissions.domain.intake.readers import fio_json, identity_lines
from submissions.domain.intake.scene import Scene, any_of
from submissions.domain.intake.structures import group_by
from submissions.domain.intake.tools import ROWS, new_readers
from submissions.domain.intake.undress import (
    AROUND,
    find_decimal_marks,
    find_words_around,
    join_lines,
    undress,
)

_HEADING = re.compile(r"={2,40} ?([^=<>\s][^<>]{0,100}?) ?={2,40}\s*\Z|(?=AU=[0-9]{1,4}, )(.{1,60})\Z")
_ANNOUNCED = re.compile(r"((?:Running|Starting) .{1,80}?(?:test|tests|job)\b.{0,40})\Z")
_MARKDOWN = re.compile(r"#{1,6} ?([^#\s].{0,150})\Z")
_RUN = re.compile(r"(?:run|test|try|pass|round|attempt|repeat|#|no\.?)?\s{0,9}#?[0-9]{1,4}\W{0,9}\Z", re.I)
# A line that may name the card of the measurements below it: words, no rate, a colon at its end at most.
_NAME = re.compile(r"(?=.{0,60}[^\W\d_]{3})[\w(\[][\w .,()/+&'’\"#@\[\]-]{2,90}:?\Z")
_CAPACITY = re.compile(r"[0-9]{1,4} ?[MGT]i?B(?:yte)?:?\Z|[A-Z][0-9]?:\Z|#[0-9]{1,2}:?\Z", re.I)
_NO_NAME = re.compile(
    r"(?:real|user|sys)\s|\[sudo\]|(?:\S{0,40}/)?(?:dd|fio|hdparm|iozone|f3\w{4,5}|bash|sudo|time): "
    r"|.{0,40}\b(?:again|once more|repeated|second time|wieder|nochmal)\b",
    re.I,
)
# Words that say which test it was, or which run of it, and never which card.
_TEST_WORD = re.compile(
    r"(?:read|write|rewrite|test|run|benchmark|start|result|output|speed|rate|block|byte|file|skip|seek|pass|fail|fill"
    r"|align|throughput|iops|latency|summary|tr[yi]|attempt|repeat|average|complete|detail|finish)(?:s|ed|ing|ten)?\Z"
    r"|(?:random|linear|sequential|seq|rand|access|open|au|mb|kb|gb|mib|kib|sec|bs|dd|fio|hdparm|iozone|direct|buffered"
    r"|cached|avg|mean|median|first|second|third|last|and|the|of|in|for|with|size|data|done|command|line|here|is|are|now"
    r"|then|log|raw|erase|flashbench|fat|find)\Z",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
# A title differs from the output of a tool by a colon, bold type, a line below it.
_SET_OFF = re.compile(r"\*\*|__|.{0,100}:[*_\s]{0,4}\Z")
_UNDERLINE = re.compile(r"([-=~_])\1{3,100}\s*\Z")
_MOST_WORDS_OF_LABEL = 6
# Characters of a line that was wrapped: least length of its first part, and greatest length of the whole.
_LEAST_WRAPPED, _LONGEST_WRAPPED = 40, 400
_LONGEST_TITLE = 200  # characters of a sentence that are compared
_DIGITS = re.compile(r"\d+")
_PATH = re.compile(r"[/~.-]")
_COMMENT = re.compile(r"\s#\s{1,9}(\S.{0,80})\Z")  # behind a command
_OUTPUT_BEHIND = re.compile(r"(?:[`\"“”|→]|: |=> )[\s`\"“]{0,9}(?=\S)")
_MOST_TRIED = 8  # places behind a command where its output may begin
_NEAR = 2  # lines between a title and the prompt below it
_TROUBLE = re.compile(
    r"(?:\S{1,40}: )?(time_read|time_write|dd|f3write|f3read|hdparm|fio|iozone)\b.{0,200}"
    r"(Input/output error|Invalid argument|[Оо]шибка ввода/вывода|Eingabe-/Ausgabefehler"
    r"|[Ee]rreur d.entrée/sortie|输入/输出错误|入力/出力エラー|error de E/S)"
)
_ANYTHING = any_of((_HEADING, _ANNOUNCED, _MARKDOWN, _TROUBLE, *ROWS))


def read(text: str, *, answers: Mapping[str, str] | None = None) -> Parsed:
    """Return everything that is understood in the text. Raise TextError above 8 MB.

    `answers`: answers to questions that an earlier reading of the text asked, by key.
    """
    return _Reading(split(text), answers or {}).parse_lines()


def read_cases(whole: Parsed, cases: Iterable[Case], answers: Mapping[str, str]) -> Parsed:
    """Return the contents of only these cases (the lines about one card on one host in one condition) of a text.

    The contents include the lines above the first case, and the commands that printed the output of the cases.
    """
    kept = set(range(1, whole.cases[0].first_line))
    for case in cases:
        kept |= {*case.command_lines, *range(case.first_line, case.last_line + 1)}
    lines = (line if line.number in kept else Line(line.number, "", 0) for line in whole.lines)
    parsed = _Reading(tuple(lines), answers).parse_lines()
    # The sender has already said that each case is about a card.
    questions = tuple(question for question in parsed.questions if question.about not in ("case", MEDIUM))
    return replace(parsed, cases=(), questions=questions)


class _Reading(Scene):
    """The reading of one text: its scene, and its readers, the reader of the line before first in `listening`."""

    def __init__(self, lines: tuple[Line, ...], answers: Mapping[str, str]) -> None:
        super().__init__(answers, find_decimal_marks(lines))
        self.lines = lines
        self.readers = new_readers(self)
        self.listening = list(self.readers)

    def parse_lines(self) -> Parsed:
        in_json, pending = self._take_json(), ""
        for line in self.lines:
            if not line.text or len(line.text) > LONGEST_LINE or line.number in in_json:
                continue
            self.line = line
            pending = self._take_line(pending)
        for reader in self.readers:
            reader.end()
        self.figures[:] = doubts.reject_cached_reads(self.figures)
        self._ask_if_cut()
        self._ask_if_a_card()
        return self._result()

    # Returns the numbers of the lines of JSON documents.
    def _take_json(self) -> set[int]:
        taken: set[int] = set()
        for first, last, document in fio_json.find_documents(self.lines):
            self.line = self.lines[first - 1]
            fio_json.add_jobs(document, self, span=Span(first, 0, len(self.line.text)))
            taken |= set(range(first, last + 1))
        self.understood += [Span(number, 0, len(self.lines[number - 1].text)) for number in sorted(taken)]
        return taken

    # Returns a command that continues in the next line, or "".
    def _take_line(self, pending: str) -> str:
        line = self.line.text[self.line.start :]
        before = pending or self._find_wrapped_command(line)
        text = f"{before} {line}" if before else line
        command = commands.parse(text)
        if command and command.program == "cat" and not all(map(_PATH.match, command.words[1:])):
            return ""  # a web page has put its output behind it
        if command:
            self._name_host(text)
            whole = text.rstrip()
            if whole.endswith("\\") and len(whole) < LONGEST_LINE:
                self._understand_all()
                return whole[:-1]
            if before and not pending:
                self.forget_last_chain()  # this line continues it
            self._begin(chain=commands.parse_chain(text), text=text)
            self._take_behind_command(0 if command.program else commands.prompt_length(line))
            return ""
        self.place = commands.find_place(line) or self.place
        if _ANYTHING.match(self.line.text, self.line.start) and (self._take_title() or self._take()):
            return ""
        if not (self._take_undressed() or self._take_joined()):
            self._name()
        return ""

    def _take_behind_command(self, prompt_length: int) -> None:
        # The text behind a prompt need not be a command: a kernel that logs does not wait for one.
        line = self.line
        starts = [line.start + prompt_length] if prompt_length else []
        starts += [
            match.end() for match in islice(_OUTPUT_BEHIND.finditer(line.text, line.start), _MOST_TRIED)
        ]
        for start in starts:
            self.line = line._replace(start=start)
            if _ANYTHING.match(line.text, start) and self._take():
                break
        self.line = line

    def _take_undressed(self) -> bool:
        as_it_stands, titles = self.line, len(self.section_lines)
        for form in undress(as_it_stands, self.marks) if self.forms_left > 0 else ():
            self.forms_left -= 1
            if _ANYTHING.match(form.text, form.start):
                words = find_words_around(as_it_stands, form)
                self.label = words or self.label
                self._label(words)
                self.line = form
                if self._take():
                    return True
                del self.section_lines[titles:]
        self.line = as_it_stands
        return False

    def _label(self, words: str) -> None:
        # Words beside a result may name its card.
        if _says_more_than_the_test(words) and not _NO_NAME.match(words):
            self.entitle_result(words)

    def _take_joined(self) -> bool:
        # The line may continue the lines above that no reader took, if they are long enough to have been wrapped.
        line, above = self.line, self.rest if self.rest_ends_at == self.line.number - 1 else None
        self.rest, self.rest_ends_at = line, line.number if len(line.text) >= _LEAST_WRAPPED else 0
        joined = join_lines(above, line) if above else line
        if not above or len(joined.text) >= _LONGEST_WRAPPED:
            return False
        self.line = joined
        taken = bool(_ANYTHING.match(joined.text, joined.start)) and self._take()
        self.line, self.rest = line, None if taken else joined
        if taken:
            self._understand_all()
        return taken

    def _take(self) -> bool:
        for at, reader in enumerate(self.listening):
            if reader.take():
                self.read_at = self.line.number
                self.listening.insert(0, self.listening.pop(at))
                return True
        return False

    def _name(self) -> None:
        # A line that no reader takes may name another card. A line that a tool prints in every run has appeared before,
        # perhaps with other numbers. Below output such a name also ends the command above: another run may follow.
        if identity_lines.is_identity(self.line):
            return
        text = self.line.text[self.line.start :].strip(AROUND)
        if len(text.split()) <= _MOST_WORDS_OF_LABEL:
            self.label = text
        if _CAPACITY.match(text) or (not _NO_NAME.match(text) and _says_more_than_the_test(text)):
            self.named_at = self.line.number
            key = (
                text
                if _CAPACITY.match(text) or _NAME.match(text)
                else _DIGITS.sub("0", text[:_LONGEST_TITLE])
            )
            if self.entitle(text[:_LONGEST_TITLE], key) and _SET_OFF.match(self.line.text, self.line.start):
                self._forget_command()
        elif _UNDERLINE.match(self.line.text, self.line.start) and self.named_at == self.line.number - 1:
            self._forget_command()

    def _forget_command(self) -> None:
        for reader in self.readers:
            reader.end()
        self.begin_commands(())
        self.heading = ""
        for reader in self.readers:
            reader.begin()

    def _name_host(self, text: str) -> None:
        # A prompt with another user or host is another machine, as is a prompt below output without one. It is private.
        prompt = commands.host_in_prompt(text)
        is_other = prompt and prompt != self.host and (self.host or self.figures)
        if is_other and self.named_at < self.line.number - _NEAR:  # else a title above it says more
            self.entitle(f"the machine from line {self.line.number} on")
        self.host = prompt or self.host

    def _find_wrapped_command(self, line: str) -> str:
        above = self.command.program and self.command_line[0] == self.line.number - 1
        return self.command_line[1] if above and commands.goes_on(self.command.program, line) else ""

    def _begin(self, *, chain: Sequence[commands.Command] = (), text: str = "", heading: str = "") -> None:
        for reader in self.readers:
            reader.end()
        self.begin_commands(chain)
        if comment := _COMMENT.search(text):
            self._label(comment[1])
        self.heading, self.label = heading, ""
        self.trouble, self.command_line = "", (self.line.number, text)
        self.place = commands.find_place(text) or self.place
        device = commands.find_device(text or self.line.text)
        self.device = device or ("" if self.command.program else self.device)
        self._understand_all()
        for reader in self.readers:
            reader.begin()

    def _begin_section(self, title: str) -> None:
        # Below a Markdown heading another card may follow; "Run 2" only repeats the same.
        if _RUN.match(title) or _NO_NAME.match(title):
            self.begin_run(self.line.number)
            for reader in self.readers:
                reader.end()
            return
        self.begin_section(title)
        self._forget_command()

    def _ask_if_cut(self) -> None:
        number = doubts.cut_line(self.lines, self.figures)
        if not number:
            return
        span = Span(number, 0, len(self.lines[-1].text))
        if self.ask("text", "whole", doubts.MAY_BE_CUT, span=span, choices=WHOLE) != "whole":
            self.figures[:] = [figure for figure in self.figures if figure.span.line != number]

    def _ask_if_a_card(self) -> None:
        number, word = doubts.other_medium(self.lines, self.figures)
        detail, choices = f"The text names “{word}”. Was it measured, or a card?", MEDIA
        if not number:
            number, name = doubts.unknown_disk(self.lines, self.figures)
            detail, choices = f"What was /dev/{name}, a card or a disk?", DISKS
        if number:
            self.ask("text", MEDIUM, detail, span=Span(number, 0, 0), choices=choices, waiting=False)

    def _take_title(self) -> bool:
        text, start = self.line.text, self.line.start
        if match := _HEADING.match(text, start) or _ANNOUNCED.match(text, start):
            heading = match[1] or match[2]
            if heading.strip().isdecimal():  # the number of a repeat below one heading
                self.trouble = ""
                self.begin_run(int(heading))
                self._understand_all()
            else:
                self._begin(heading=heading)
                if _says_more_than_the_test(heading):
                    self.entitle(heading.strip())
            return True
        if match := _MARKDOWN.match(text, start):
            self._begin_section(match[1])
            return True
        if match := _TROUBLE.match(text, start):
            self.trouble = f"{match[1]}: {match[2]}"
            return True
        return False

    def _understand_all(self) -> None:
        self.understood.append(Span(self.line.number, 0, len(self.line.text)))

    def _result(self) -> Parsed:
        identity = identity_lines.find_registers(self.lines, self.understood, self.facts)
        spans = (*self.understood, *identity.understood)
        understood = sorted(span for span in spans if span.line not in self.asked_lines)
        counts = [count_numbers(line.text) for line in self.lines]
        figures = tuple(sorted(self.figures, key=lambda figure: figure.span))
        identities = self._identities(several_cids=identity.several_cids)
        outline = Outline(self.section_lines, self.command_lines, self.output_lines, len(self.lines))
        cases = find_cases(figures, identities, outline)
        return Parsed(
            lines=self.lines,
            figures=figures,
            facts=tuple(self.facts),
            questions=(*ask_about(cases, self.answers), *self.questions),
            cases=cases,
            is_on_usb=doubts.is_on_usb(self.lines) or self.find_answer(MEDIUM) == "usb",
            understood=tuple(understood),
            not_understood=tuple(_not_understood(self.lines, counts, understood)),
            number_count=sum(counts),
            identity=identity,
            left_out=tuple(dict.fromkeys(self.left_out)),
        )

    def _identities(self, *, several_cids: bool) -> Iterator[Identity]:
        # Facts that name one card; some tools also name the cards in other slots.
        for fact in self.facts:
            line, title = fact.span.line, self.title_at(fact.span.line)
            is_verdict = fact.name == "capacity_verdict" and fact.tool == "h2testw"  # one for each test
            is_name = fact.name in ("psn", "pnm") and fact.tool not in _OF_ALL_SLOTS
            if is_verdict or is_name or fact.name == "place":
                yield Identity(line, fact.name, str(fact.value), title)
            if fact.tool == "health" and fact.subject:
                yield Identity(line, "device", commands.disk(fact.subject), title)
        for number, digits in identity_lines.cid_lines(self.lines) if several_cids else ():
            yield Identity(number, "cid", digits, self.title_at(number))


def _says_more_than_the_test(text: str) -> bool:
    return any(not _TEST_WORD.match(word) for word in _WORD.findall(text))


_OF_ALL_SLOTS = ("kernel", "pibenchmarks", "sbc-bench")


def _not_understood(
    lines: Iterable[Line], counts: Iterable[int], understood: Iterable[Span]
) -> Iterator[UnreadLine]:
    by_line = group_by(understood, lambda span: span.line)
    for line, count in zip(lines, counts, strict=True):
        if rest := unread_line(line, count, tuple(by_line.get(line.number, ()))):
            yield rest
