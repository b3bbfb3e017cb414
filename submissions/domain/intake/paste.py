"""A text of any kind -> everything that is understood in it. The way in: `read`.

Line by line: every tool's reader is offered the line, the one that took the last line first. Command lines and
headings between them say what the rows below mean. Linear in the length of the text, and never an exception other
than TextError for a text that is too large.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from submissions.domain.intake import commands
from submissions.domain.intake.choices import CARDS
from submissions.domain.intake.lines import LONGEST_LINE, Line, numbers, split
from submissions.domain.intake.parsed import TITLED, Finding, Parsed, Span, UnreadLine, about_two_cards
from submissions.domain.intake.readers import fio_json, identity_lines
from submissions.domain.intake.scene import Reader, Scene
from submissions.domain.intake.tools import new_readers

_HEADING: Final = re.compile(r"={2,40} ?([^=<>\s][^<>]{0,100}?) ?={2,40}\s*\Z|(?=AU=[0-9]{1,4}, )(.{1,60})\Z")
_ANNOUNCED: Final = re.compile(r"((?:Running|Starting) .{1,80}?(?:test|tests|job)\b.{0,40})\Z")
_SCRIPT: Final = re.compile(
    r"(Raspberry Pi Dramble microSD benchmarks|AikonCWD's rpi-benchmark|Author: AikonCWD)\b"
)
_MARKDOWN: Final = re.compile(r"#{1,6} ?([^#\s].{0,150})\Z")
_RUN: Final = re.compile(
    r"(?:run|test|try|pass|round|attempt|repeat|#|no\.?)?\s{0,9}#?[0-9]{1,4}\W{0,9}\Z", re.I
)
_DEVICE: Final = re.compile(r"/dev/((?:mmcblk|sd|nvme|loop|disk|mapper)[0-9A-Za-z/_-]{0,40})")
_TROUBLE: Final = re.compile(
    r"(?:\S{1,40}: )?(time_read|time_write|dd|f3write|f3read|hdparm|fio|iozone)\b.{0,200}"
    r"(Input/output error|Invalid argument|[Оо]шибка ввода/вывода|Eingabe-/Ausgabefehler"
    r"|[Ee]rreur d.entrée/sortie|输入/输出错误|入力/出力エラー|error de E/S)"
)


def read(text: str, *, answers: Mapping[str, str] | None = None) -> Parsed:
    """Everything in the text. `answers`: to questions an earlier reading asked, by key. Raises TextError above 8 MB."""
    lines = split(text)
    scene, readers = Scene(answers=answers or {}), list(new_readers())
    listening, pending = list(readers), ""
    in_json = _take_json(lines, scene)
    for line in lines:
        if not line.text or len(line.text) > LONGEST_LINE or line.number in in_json:
            continue
        scene.line = line
        pending = _hear(scene, listening, readers, pending)
    for reader in readers:
        reader.end(scene)
    for about in ("devices", "sections"):
        _join(scene, about)
    return _result(lines, scene)


def _take_json(lines: tuple[Line, ...], scene: Scene) -> set[int]:
    """Numbers of the lines that belong to JSON output, which are understood as a whole."""
    taken: set[int] = set()
    for first, last, document in fio_json.documents(lines):
        scene.line = lines[first - 1]
        fio_json.take(document, scene, span=Span(first, 0, len(scene.line.text)))
        taken |= set(range(first, last + 1))
    scene.understood += [Span(number, 0, len(lines[number - 1].text)) for number in sorted(taken)]
    return taken


def _hear(scene: Scene, listening: list[Reader], readers: Sequence[Reader], pending: str) -> str:
    """Offers the scene's line to command parser and readers. Returns a command that goes on in the next line, or ""."""
    line = scene.line.text[scene.line.start :]
    before = pending or _wrapped(scene, line)
    text = f"{before} {line}" if before else line
    command = commands.parse(text)
    if command:
        whole = text.rstrip()
        if whole.endswith("\\") and len(whole) < LONGEST_LINE:
            _understand_all(scene)
            return whole[:-1]
        _begin(scene, readers, command=command, text=text)
        return ""
    if _title(scene, readers):
        return ""
    for at, reader in enumerate(listening):
        if reader.take(scene):
            listening.insert(0, listening.pop(at))
            break
    return ""


def _wrapped(scene: Scene, line: str) -> str:
    """The command in the line above, if this one is the rest of it."""
    above = scene.command.program and scene.command_line[0] == scene.line.number - 1
    return scene.command_line[1] if above and commands.goes_on(scene.command.program, line) else ""


def _begin(
    scene: Scene,
    readers: Iterable[Reader],
    *,
    command: commands.Command | None = None,
    text: str = "",
    heading: str = "",
) -> None:
    for reader in readers:
        reader.end(scene)
    scene.command, scene.heading = command or commands.Command(), heading
    scene.trouble, scene.command_line = "", (scene.line.number, text)
    device = _DEVICE.search(text or scene.line.text)
    scene.device = (
        commands.disk(device[1]) if device else ("" if command and command.program else scene.device)
    )
    _understand_all(scene)
    for reader in readers:
        reader.begin(scene)


def _begin_section(scene: Scene, readers: Iterable[Reader], title: str) -> None:
    """Forgets device and command at a Markdown heading: another card may follow. "Run 2" only repeats the same."""
    for reader in readers:
        reader.end(scene)
    if _RUN.match(title):
        return
    scene.title, scene.device = title, ""
    scene.command, scene.heading = commands.Command(), ""
    for reader in readers:
        reader.begin(scene)


def _join(scene: Scene, about: str) -> None:
    """Asks whether two devices, or two titled sections with the same measurement, are one card; merges them if so."""
    titled = about == "sections"
    pair = about_two_cards(scene.findings, titled=titled)
    if not pair:
        return
    detail = "Are “{}” and “{}” about one card, or about several?".format(
        *(finding.subject.removeprefix(TITLED) for finding in pair)
    )
    if scene.ask("text", about, detail, span=pair[1].span, choices=CARDS, waiting=False) == "one":
        scene.findings[:] = [_of_one_card(finding, titled=titled) for finding in scene.findings]


def _of_one_card(finding: Finding, *, titled: bool) -> Finding:
    return replace(finding, subject="") if finding.subject.startswith(TITLED) == titled else finding


def _title(scene: Scene, readers: Iterable[Reader]) -> bool:
    """Whether the line is a heading, an error or a banner; the scene remembers which."""
    text, start = scene.line.text, scene.line.start
    if match := _HEADING.match(text, start) or _ANNOUNCED.match(text, start):
        heading = match[1] or match[2]
        if heading.strip().isdecimal():  # the number of a repeat below one heading
            scene.trouble = ""
            _understand_all(scene)
        else:
            _begin(scene, readers, heading=heading)
        return True
    if match := _MARKDOWN.match(text, start):
        _begin_section(scene, readers, match[1])
        return True
    if match := _TROUBLE.match(text, start):
        scene.trouble = f"{match[1]}: {match[2]}"
        return True
    if match := _SCRIPT.match(text, start):
        scene.script = match[1]
    return False


def _understand_all(scene: Scene) -> None:
    scene.understood.append(Span(scene.line.number, 0, len(scene.line.text)))


def _result(lines: tuple[Line, ...], scene: Scene) -> Parsed:
    identity = identity_lines.read(lines, scene.understood, scene.facts)
    spans = (*scene.understood, *identity.understood)
    understood = sorted(span for span in spans if span.line not in scene.asked_lines)
    return Parsed(
        lines=lines,
        findings=tuple(sorted(scene.findings, key=lambda finding: finding.span)),
        facts=tuple(scene.facts),
        questions=tuple(scene.questions),
        understood=tuple(understood),
        not_understood=tuple(_not_understood(lines, understood)),
        registers=identity.registers,
        bus=identity.bus,
        size_bytes=identity.size_bytes,
        identity_problem=identity.problem,
    )


def _not_understood(lines: Iterable[Line], understood: Iterable[Span]) -> Iterable[UnreadLine]:
    by_line: dict[int, list[Span]] = {}
    for span in understood:
        by_line.setdefault(span.line, []).append(span)
    for line in lines:
        spans = by_line.get(line.number, ())
        rest = tuple(
            Span(line.number, start, end)
            for start, end in numbers(line.text)
            if not any(span.start <= start and end <= span.end for span in spans)
        )
        if rest:
            yield UnreadLine(line.number, line.text, rest)
