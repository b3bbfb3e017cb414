"""Parse messages of a mailing list: the text that the author wrote and attached, and the messages that it answers.

The initials of the author are kept, and the address, which only distinguishes authors and is never shown.
"""

import email
import hashlib
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage, MIMEPart
from email.policy import EmailPolicy
from email.utils import parseaddr, parsedate_to_datetime
from html.parser import HTMLParser
from io import BytesIO
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile, ZipInfo

from submissions.domain.identity.makers import brands
from submissions.domain.intake.lines import MAX_BYTES, decode
from submissions.domain.report import Label

# Every header is read as text: the structured headers of the standard policy raise on the malformed addresses and
# message ids that archives hold.
_POLICY = EmailPolicy(header_factory=HeaderRegistry(use_default_map=False))
_TEXT_NAMES = (".txt", ".log", ".json", ".csv", ".out", ".dat", ".md", ".result", ".results", ".html", ".htm")
_MESSAGE_ID = re.compile(r"<([^<>\s]{3,300})>")
_PREFIX = re.compile(r"\s{0,9}(?:\[[^\]]{0,60}\]|(?:re|aw|fwd?|wg|sv|antw)(?:\[\d{1,3}\])?:)", re.IGNORECASE)
_ATTRIBUTION = re.compile(
    r"(?:On|Am|Le|El|Il|W dniu) .{5,200}(?:wrote|schrieb|écrit|escribió|scritto|pisze).{0,80}:\s*\Z"
)
_FORWARDED = re.compile(
    r"-{3,20} ?(?:Original Message|Ursprüngliche Nachricht|Message d'origine) ?-{3,20}\s*\Z"
)
_QUOTE = re.compile(r"\s{0,3}(?:>\s?)+")
# Brands of cards that in a subject rather denote the machine, or that are ordinary words.
_AMBIGUOUS = frozenset(("Amazon", "HP", "Integral", "Lenovo", "Nokia", "Raspberry Pi", "Team", "Viking"))
_MOST_MEMBERS = 100  # files of a .zip
_DEEPEST = 20  # parts within parts
_SIGNATURE = "-- "
_WRAPPED_AT = 66  # columns; programs wrap at 72 or later
_BLOCK = re.compile("address|blockquote|br|div|h[1-6r]|li|ol|p|pre|table|tr|ul")
_UNSEEN = frozenset(("head", "script", "style", "title"))


class Mail(NamedTuple):
    """A message of a mailing list.

    `parts`: the text of the message, then the text of each attachment; `unread`: names of attachments that are not
    text. `sender` is never shown; `answers`: ids of the messages to which this message refers, the message it answers
    last.
    """

    message_id: str
    answers: tuple[str, ...]
    subject: str
    sender: str
    initials: str
    sent_on: date | None
    archived_at: str
    parts: tuple[str, ...]
    unread: tuple[str, ...]


@dataclass(slots=True)
class Threads:
    """The lines of all messages read so far, so that a quotation is not counted again.

    `roots`: message id -> id of the first message of its thread; `lines`: that id -> hashes of the lines of the thread.
    """

    roots: dict[str, str] = field(default_factory=dict)
    lines: dict[str, set[int]] = field(default_factory=dict)

    def own_words(self, mail: Mail) -> tuple[str, ...]:
        """Return the text of each part of a message without quotations of messages or lines that were read before.

        A quotation of a message that is missing is kept, without its quotation marks, because no other copy exists.
        """
        root = next((self.roots[answer] for answer in mail.answers if answer in self.roots), mail.message_id)
        thread = self.lines.setdefault(root, set())
        is_here = any(answer in self.roots for answer in mail.answers[-1:])
        self.roots[mail.message_id] = root
        own = tuple("\n".join(own_lines(part, thread, drop_all=is_here)) for part in mail.parts)
        thread |= {hash_line(line) for part in mail.parts for line in part.splitlines()}
        return own


def read(raw: bytes) -> Mail:
    """Return the message in these bytes. Never raise an error: unreadable parts are listed in `unread`, or left out."""
    message = _message(raw)
    name, address = parseaddr(_header(message, "From"))
    sent = _parse_date(message)
    parts = list(_read_parts(message))
    ids = _MESSAGE_ID.findall(_header(message, "Message-ID"))
    answers = _MESSAGE_ID.findall(f"{_header(message, 'References')} {_header(message, 'In-Reply-To')}")
    return Mail(
        message_id=ids[0] if ids else hashlib.sha256(raw).hexdigest()[:24],
        answers=tuple(dict.fromkeys(answers)),
        subject=_subject(_header(message, "Subject")),
        sender=(address or name).strip().lower(),
        initials=_initials(name),
        sent_on=sent.date() if sent else None,
        archived_at=_address(_header(message, "Archived-At")),
        parts=tuple(text for _, text in parts if text and text.strip()),
        unread=tuple(name for name, text in parts if text is None),
    )


def label_in(subject: str) -> Label:
    """Return a label with brand and capacity if the subject of a message names exactly one of each.

    Without exactly one brand, the label is empty.
    """
    matches = [
        brand
        for brand in brands() - _AMBIGUOUS
        if re.search(rf"(?<!\w){re.escape(brand)}(?!\w)", subject, re.IGNORECASE)
    ]
    named = {brand for brand in matches if not any(brand in other and brand != other for other in matches)}
    sizes = {int(size) for size in re.findall(r"(?<![\w.])([0-9]{1,4}) ?GB\b", subject, re.IGNORECASE)}
    if len(named) != 1:
        return Label()
    return Label(brand=named.pop(), capacity_gb=sizes.pop() if len(sizes) == 1 and 0 not in sizes else None)


def order(raw_headers: Iterable[tuple[Any, bytes]]) -> list[Any]:
    """Return the keys of messages by the time they were sent.

    A message without a readable date follows the message that precedes it in `raw_headers`.
    """
    stamped, last = [], datetime.min.replace(tzinfo=UTC)
    for key, head in raw_headers:
        last = _parse_date(_message(head)) or last
        stamped.append((last, key))
    return [key for _, key in sorted(stamped, key=lambda stamp_and_key: stamp_and_key[0])]


def own_lines(part: str, thread: set[int], *, drop_all: bool) -> Iterator[str]:
    """Yield the lines of a part of a message, without quotations of its thread; with `drop_all` without any quotation.

    `thread` holds the hashes of the lines of the thread.
    """
    quoting = False
    for line in part.splitlines():
        if line == _SIGNATURE:
            return
        if _ATTRIBUTION.match(line):
            continue
        quoting = quoting or bool(_FORWARDED.match(line))
        quote = _QUOTE.match(line)
        if not (quote or quoting):
            yield line
        elif not drop_all and hash_line(line) not in thread:
            yield line[quote.end() :] if quote else line


def hash_line(line: str) -> int:
    """Return a number by which a line is recognised, with or without quotation marks before it."""
    return hash(_QUOTE.sub("", line, count=1).strip())


# Yields (name, text) of each part; the text is None for a part that is not text.
def _read_parts(part: MIMEPart, *, depth: int = 0) -> Iterator[tuple[str, str | None]]:
    kind, name = part.get_content_type(), part.get_filename() or ""
    if part.is_multipart():
        children = list(part.iter_parts()) if depth < _DEEPEST else []
        if kind == "multipart/alternative":  # plain text where there is a choice, else the last, richest form
            plain = [child for child in children if child.get_content_type() == "text/plain"]
            children = plain[:1] or children[-1:]
        for child in children:
            yield from _read_parts(child, depth=depth + 1)
    elif name.lower().endswith(".zip"):
        yield from _unpack(_payload(part), name)
    else:
        yield name or kind, _text(part, kind, name.lower())


# Yields the first files of a .zip, at most MAX_BYTES in all; also the name of a .zip with no or too many files.
def _unpack(body: bytes, name: str) -> Iterator[tuple[str, str | None]]:
    try:
        archive = ZipFile(BytesIO(body))
        members = [member for member in archive.infolist() if not member.is_dir()]
    except (BadZipFile, ValueError, NotImplementedError):
        members = []
    left = MAX_BYTES
    for member in members[:_MOST_MEMBERS]:
        body = _read_member(archive, member, left)
        left -= len(body)
        yield f"{name}: {member.filename}", _plain_text(body, "", member.filename.lower(), "utf-8")
    if not 0 < len(members) <= _MOST_MEMBERS:
        yield name, None


def _read_member(archive: ZipFile, member: ZipInfo, most: int) -> bytes:
    """Return the first `most` bytes of a file in the archive; b"" if the file cannot be read."""
    if not member.filename.lower().endswith(_TEXT_NAMES):
        return b""
    try:
        with archive.open(member) as file:
            return file.read(most)
    except (BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, OSError):
        return b""


def _payload(part: MIMEPart) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text(part: MIMEPart, kind: str, name: str) -> str | None:
    body = _payload(part)
    if name.endswith(".gz"):
        body, name = _decompress(body), name.removesuffix(".gz")
    text = _plain_text(body, kind, name, part.get_content_charset() or "utf-8")
    flowed = str(part.get_param("format", "")).lower() == "flowed"
    return "\n".join(_join_flowed(text.splitlines())) if text and flowed else text


def _plain_text(body: bytes, kind: str, name: str, charset: str) -> str | None:
    is_html = kind == "text/html" or name.endswith((".html", ".htm"))
    if (
        not (is_html or kind.startswith("text/") or name.endswith(_TEXT_NAMES))
        or b"\0\0\0" in body
        or not body
    ):
        return None
    text = _decode_as(body[:MAX_BYTES], charset)
    return html_to_text(text) if is_html else text


def _decode_as(body: bytes, charset: str) -> str:
    try:
        return body.decode(charset)
    except (LookupError, ValueError):
        return decode(body)


# RFC 3676: a line that ends in a blank continues in the next. Short rows of a table only look like such lines.
def _join_flowed(lines: Iterable[str]) -> list[str]:
    whole: list[str] = []
    width = 0  # of a line that goes on
    for line in lines:
        plain = line.removeprefix(" ")
        if width and not plain.startswith(">") and width + len(plain.partition(" ")[0]) >= _WRAPPED_AT:
            whole[-1] += plain
        else:
            whole.append(plain)
        width = len(plain) if plain.endswith(" ") and plain != _SIGNATURE else 0
    return whole


# Returns as much of a gzip file as can be read, at most MAX_BYTES.
def _decompress(body: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(body, MAX_BYTES)
    except zlib.error:
        return b""


class _Text(HTMLParser):
    """Parser for the text of HTML.

    Blocks begin a line, quotes are marked as in plain text, and blanks are kept only in `pre`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self.open: Counter[str] = Counter()  # tags

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open[tag] += 1
        self._block(tag)

    def handle_endtag(self, tag: str) -> None:
        self.open[tag] = max(0, self.open[tag] - 1)
        self._block(tag)

    def handle_data(self, data: str) -> None:
        if any(self.open[tag] for tag in _UNSEEN):
            return
        text = data.replace("\xa0", " ")
        for at, piece in enumerate(text.split("\n") if self.open["pre"] else [re.sub(r"\s+", " ", text)]):
            if at:
                self._begin()
            self.lines[-1] += piece

    def _block(self, tag: str) -> None:
        if _BLOCK.fullmatch(tag):
            self._begin()
        elif tag in ("td", "th"):
            self.lines[-1] += "\t"

    def _begin(self) -> None:
        if self.lines[-1].strip("> \t"):
            self.lines.append("")
        self.lines[-1] = "> " * self.open["blockquote"]


def html_to_text(markup: str) -> str:
    """Return the text of HTML that a browser would show, one line per block."""
    parser = _Text()
    parser.feed(markup)
    parser.close()
    return "\n".join(line.rstrip() for line in parser.lines)


def _message(raw: bytes) -> EmailMessage:
    return email.message_from_bytes(raw, EmailMessage, policy=_POLICY)


def _header(message: EmailMessage, name: str) -> str:
    return " ".join(str(message.get(name, "")).split())


def _subject(text: str) -> str:
    """Return the subject of a message without the name of the list and "Re:", at most 150 characters."""
    while match := _PREFIX.match(text):
        text = text[match.end() :]
    return "".join(character for character in text if character.isprintable()).strip()[:150]


def _initials(name: str) -> str:
    letters = [word[0] for word in re.findall(r"[^\W\d_]+", name.partition("@")[0])][:3]
    return " ".join(f"{letter.upper()}." for letter in letters)


def _address(text: str) -> str:
    bare = text.strip("<> ")
    return bare if re.match(r"https?://[^\s<>\"]{3,480}\Z", bare) else ""


# A time without a zone is taken as UTC.
def _parse_date(message: EmailMessage) -> datetime | None:
    try:
        sent = parsedate_to_datetime(_header(message, "Date"))
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return sent if sent.tzinfo else sent.replace(tzinfo=UTC)
