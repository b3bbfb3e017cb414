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
from submissions.domain.intake.slots import Table
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
    return _read_lines(split(text), answers or {})


def read_cases(whole: Parsed, cases: Iterable[Case], answers: Mapping[str, str]) -> Parsed:
    """Return the contents of only these cases (the lines about one card on one host in one condition) of a text.

    The contents include the lines above the first case, and the commands that printed the output of the cases.
    """
    kept = set(range(1, whole.cases[0].first_line))
    for case in cases:
        kept |= {*case.command_lines, *range(case.first_line, case.last_line + 1)}
    lines = (line if line.number in kept else Line(line.number, "", 0) for line in whole.lines)
    parsed = _read_lines(tuple(lines), answers)
    # The sender has already said that each case is about a card.
    questions = tuple(question for question in parsed.questions if question.about not in ("case", MEDIUM))
    return replace(parsed, cases=(), questions=questions)


def _read_lines(lines: tuple[Line, ...], answers: Mapping[str, str]) -> Parsed:
    scene = Scene(answers=answers, marks=find_decimal_marks(lines))
    readers = new_readers(scene)
    listening, pending = list(readers), ""
    in_json = _take_json(lines, scene)
    for line in lines:
        if not line.text or len(line.text) > LONGEST_LINE or line.number in in_json:
            continue
        scene.line = line
        pending = _take_line(scene, listening, readers, pending)
    for reader in readers:
        reader.end()
    scene.figures[:] = doubts.reject_cached_reads(scene.figures)
    _ask_if_cut(lines, scene)
    _ask_if_a_card(lines, scene)
    return _result(lines, scene)


# Returns the numbers of the lines of JSON documents.
def _take_json(lines: tuple[Line, ...], scene: Scene) -> set[int]:
    taken: set[int] = set()
    for first, last, document in fio_json.find_documents(lines):
        scene.line = lines[first - 1]
        fio_json.add_jobs(document, scene, span=Span(first, 0, len(scene.line.text)))
        taken |= set(range(first, last + 1))
    scene.understood += [Span(number, 0, len(lines[number - 1].text)) for number in sorted(taken)]
    return taken


# Returns a command that continues in the next line, or "".
def _take_line(scene: Scene, listening: list[Table], readers: Sequence[Table], pending: str) -> str:
    line = scene.line.text[scene.line.start :]
    before = pending or _find_wrapped_command(scene, line)
    text = f"{before} {line}" if before else line
    command = commands.parse(text)
    if command and command.program == "cat" and not all(map(_PATH.match, command.words[1:])):
        return ""  # a web page has put its output behind it
    if command:
        _name_host(scene, text)
        whole = text.rstrip()
        if whole.endswith("\\") and len(whole) < LONGEST_LINE:
            _understand_all(scene)
            return whole[:-1]
        if before and not pending:
            scene.forget_last_chain()  # this line continues it
        _begin(scene, readers, chain=commands.parse_chain(text), text=text)
        _take_behind_command(scene, listening, 0 if command.program else commands.prompt_length(line))
        return ""
    scene.place = commands.find_place(line) or scene.place
    if _ANYTHING.match(scene.line.text, scene.line.start) and (
        _take_title(scene, readers) or _take(scene, listening)
    ):
        return ""
    if not (_take_undressed(scene, listening) or _take_joined(scene, listening)):
        _name(scene, readers)
    return ""


def _take_behind_command(scene: Scene, listening: list[Table], prompt_length: int) -> None:
    # The text behind a prompt need not be a command: a kernel that logs does not wait for one.
    line = scene.line
    starts = [line.start + prompt_length] if prompt_length else []
    starts += [match.end() for match in islice(_OUTPUT_BEHIND.finditer(line.text, line.start), _MOST_TRIED)]
    for start in starts:
        scene.line = line._replace(start=start)
        if _ANYTHING.match(line.text, start) and _take(scene, listening):
            break
    scene.line = line


def _take_undressed(scene: Scene, listening: list[Table]) -> bool:
    as_it_stands, titles = scene.line, len(scene.section_lines)
    for form in undress(as_it_stands, scene.marks) if scene.forms_left > 0 else ():
        scene.forms_left -= 1
        if _ANYTHING.match(form.text, form.start):
            words = find_words_around(as_it_stands, form)
            scene.label = words or scene.label
            _label(scene, words)
            scene.line = form
            if _take(scene, listening):
                return True
            del scene.section_lines[titles:]
    scene.line = as_it_stands
    return False


def _label(scene: Scene, words: str) -> None:
    # Words beside a result may name its card.
    if _says_more_than_the_test(words) and not _NO_NAME.match(words):
        scene.entitle_result(words)


def _take_joined(scene: Scene, listening: list[Table]) -> bool:
    # The line may continue the lines above that no reader took, if they are long enough to have been wrapped.
    line, above = scene.line, scene.rest if scene.rest_ends_at == scene.line.number - 1 else None
    scene.rest, scene.rest_ends_at = line, line.number if len(line.text) >= _LEAST_WRAPPED else 0
    joined = join_lines(above, line) if above else line
    if not above or len(joined.text) >= _LONGEST_WRAPPED:
        return False
    scene.line = joined
    taken = bool(_ANYTHING.match(joined.text, joined.start)) and _take(scene, listening)
    scene.line, scene.rest = line, None if taken else joined
    if taken:
        _understand_all(scene)
    return taken


def _take(scene: Scene, listening: list[Table]) -> bool:
    for at, reader in enumerate(listening):
        if reader.take():
            scene.read_at = scene.line.number
            listening.insert(0, listening.pop(at))
            return True
    return False


def _name(scene: Scene, readers: Iterable[Table]) -> None:
    # A line that no reader takes may name another card. A line that a tool prints in every run has appeared before,
    # perhaps with other numbers. Below output such a name also ends the command above: another run may follow.
    if identity_lines.is_identity(scene.line):
        return
    text = scene.line.text[scene.line.start :].strip(AROUND)
    if len(text.split()) <= _MOST_WORDS_OF_LABEL:
        scene.label = text
    if _CAPACITY.match(text) or (not _NO_NAME.match(text) and _says_more_than_the_test(text)):
        scene.named_at = scene.line.number
        key = text if _CAPACITY.match(text) or _NAME.match(text) else _DIGITS.sub("0", text[:_LONGEST_TITLE])
        if scene.entitle(text[:_LONGEST_TITLE], key) and _SET_OFF.match(scene.line.text, scene.line.start):
            _forget_command(scene, readers)
    elif _UNDERLINE.match(scene.line.text, scene.line.start) and scene.named_at == scene.line.number - 1:
        _forget_command(scene, readers)


def _forget_command(scene: Scene, readers: Iterable[Table]) -> None:
    for reader in readers:
        reader.end()
    scene.begin_commands(())
    scene.heading = ""
    for reader in readers:
        reader.begin()


def _name_host(scene: Scene, text: str) -> None:
    # A prompt with another user or host is another machine, as is a prompt below output without one. It is private.
    prompt = commands.host_in_prompt(text)
    is_other = prompt and prompt != scene.host and (scene.host or scene.figures)
    if is_other and scene.named_at < scene.line.number - _NEAR:  # else a title above it says more
        scene.entitle(f"the machine from line {scene.line.number} on")
    scene.host = prompt or scene.host


def _says_more_than_the_test(text: str) -> bool:
    return any(not _TEST_WORD.match(word) for word in _WORD.findall(text))


def _find_wrapped_command(scene: Scene, line: str) -> str:
    above = scene.command.program and scene.command_line[0] == scene.line.number - 1
    return scene.command_line[1] if above and commands.goes_on(scene.command.program, line) else ""


def _begin(
    scene: Scene,
    readers: Iterable[Table],
    *,
    chain: Sequence[commands.Command] = (),
    text: str = "",
    heading: str = "",
) -> None:
    for reader in readers:
        reader.end()
    scene.begin_commands(chain)
    if comment := _COMMENT.search(text):
        _label(scene, comment[1])
    scene.heading, scene.label = heading, ""
    scene.trouble, scene.command_line = "", (scene.line.number, text)
    scene.place = commands.find_place(text) or scene.place
    device = commands.find_device(text or scene.line.text)
    scene.device = device or ("" if scene.command.program else scene.device)
    _understand_all(scene)
    for reader in readers:
        reader.begin()


def _begin_section(scene: Scene, readers: Iterable[Table], title: str) -> None:
    # Below a Markdown heading another card may follow; "Run 2" only repeats the same.
    if _RUN.match(title) or _NO_NAME.match(title):
        scene.begin_run(scene.line.number)
        for reader in readers:
            reader.end()
        return
    scene.begin_section(title)
    _forget_command(scene, readers)


def _ask_if_cut(lines: tuple[Line, ...], scene: Scene) -> None:
    number = doubts.cut_line(lines, scene.figures)
    if not number:
        return
    span = Span(number, 0, len(lines[-1].text))
    if scene.ask("text", "whole", doubts.MAY_BE_CUT, span=span, choices=WHOLE) != "whole":
        scene.figures[:] = [figure for figure in scene.figures if figure.span.line != number]


def _ask_if_a_card(lines: tuple[Line, ...], scene: Scene) -> None:
    number, word = doubts.other_medium(lines, scene.figures)
    detail, choices = f"The text names “{word}”. Was it measured, or a card?", MEDIA
    if not number:
        number, name = doubts.unknown_disk(lines, scene.figures)
        detail, choices = f"What was /dev/{name}, a card or a disk?", DISKS
    if number:
        scene.ask("text", MEDIUM, detail, span=Span(number, 0, 0), choices=choices, waiting=False)


def _take_title(scene: Scene, readers: Iterable[Table]) -> bool:
    text, start = scene.line.text, scene.line.start
    if match := _HEADING.match(text, start) or _ANNOUNCED.match(text, start):
        heading = match[1] or match[2]
        if heading.strip().isdecimal():  # the number of a repeat below one heading
            scene.trouble = ""
            scene.begin_run(int(heading))
            _understand_all(scene)
        else:
            _begin(scene, readers, heading=heading)
            if _says_more_than_the_test(heading):
                scene.entitle(heading.strip())
        return True
    if match := _MARKDOWN.match(text, start):
        _begin_section(scene, readers, match[1])
        return True
    if match := _TROUBLE.match(text, start):
        scene.trouble = f"{match[1]}: {match[2]}"
        return True
    return False


def _understand_all(scene: Scene) -> None:
    scene.understood.append(Span(scene.line.number, 0, len(scene.line.text)))


def _result(lines: tuple[Line, ...], scene: Scene) -> Parsed:
    identity = identity_lines.read(lines, scene.understood, scene.facts)
    spans = (*scene.understood, *identity.understood)
    understood = sorted(span for span in spans if span.line not in scene.asked_lines)
    counts = [count_numbers(line.text) for line in lines]
    figures = tuple(sorted(scene.figures, key=lambda figure: figure.span))
    identities = _identities(lines, scene, several_cids=identity.several_cids)
    outline = Outline(scene.section_lines, scene.command_lines, scene.output_lines, len(lines))
    cases = find_cases(figures, identities, outline)
    return Parsed(
        lines=lines,
        figures=figures,
        facts=tuple(scene.facts),
        questions=(*ask_about(cases, scene.answers), *scene.questions),
        cases=cases,
        is_on_usb=doubts.is_on_usb(lines) or scene.find_answer(MEDIUM) == "usb",
        understood=tuple(understood),
        not_understood=tuple(_not_understood(lines, counts, understood)),
        number_count=sum(counts),
        identity=identity,
        left_out=tuple(dict.fromkeys(scene.left_out)),
    )


_OF_ALL_SLOTS = ("kernel", "pibenchmarks", "sbc-bench")


def _identities(lines: tuple[Line, ...], scene: Scene, *, several_cids: bool) -> Iterator[Identity]:
    # Facts that name one card; some tools also name the cards in other slots.
    for fact in scene.facts:
        line, title = fact.span.line, scene.title_at(fact.span.line)
        is_verdict = fact.name == "capacity_verdict" and fact.tool == "h2testw"  # one for each test
        is_name = fact.name in ("psn", "pnm") and fact.tool not in _OF_ALL_SLOTS
        if is_verdict or is_name or fact.name == "place":
            yield Identity(line, fact.name, str(fact.value), title)
        if fact.tool == "health" and fact.subject:
            yield Identity(line, "device", commands.disk(fact.subject), title)
    for number, digits in identity_lines.cid_lines(lines) if several_cids else ():
        yield Identity(number, "cid", digits, scene.title_at(number))


def _not_understood(
    lines: Iterable[Line], counts: Iterable[int], understood: Iterable[Span]
) -> Iterator[UnreadLine]:
    by_line = group_by(understood, lambda span: span.line)
    for line, count in zip(lines, counts, strict=True):
        if rest := unread_line(line, count, tuple(by_line.get(line.number, ()))):
            yield rest
