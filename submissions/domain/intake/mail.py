"""A message of a mailing list -> the text its author wrote and attached, whoever he is, and what it answers.

Nothing here names a person: of the author his initials are told, and his address only to tell authors apart.
"""

import email
import gzip
import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from email.header import decode_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from html.parser import HTMLParser
from typing import Any, Final

from submissions.domain.identity.makers import brands
from submissions.domain.intake.lines import MAX_BYTES, decode
from submissions.domain.report import Label

_TEXT_NAMES: Final = (".txt", ".log", ".json", ".csv", ".out", ".dat", ".md", ".result", ".results")
_MESSAGE_ID: Final = re.compile(r"<([^<>\s]{3,300})>")
_PREFIX: Final = re.compile(
    r"\s{0,9}(?:\[[^\]]{0,60}\]|(?:re|aw|fwd?|wg|sv|antw)(?:\[\d{1,3}\])?:)", re.IGNORECASE
)
_ATTRIBUTION: Final = re.compile(
    r"(?:On|Am|Le|El|Il|W dniu) .{5,200}(?:wrote|schrieb|écrit|escribió|scritto|pisze).{0,80}:\s*\Z"
)
_FORWARDED: Final = re.compile(
    r"-{3,20} ?(?:Original Message|Ursprüngliche Nachricht|Message d'origine) ?-{3,20}\s*\Z"
)
_QUOTE: Final = re.compile(r"\s{0,3}(?:>\s?)+")
# Brands of cards that a subject rather names for the machine, or that are words.
_AMBIGUOUS: Final = frozenset(
    ("Amazon", "HP", "Integral", "Lenovo", "Nokia", "Raspberry Pi", "Team", "Viking")
)
_DEEPEST: Final = 20  # parts within parts
_SIGNATURE: Final = "-- "
_WRAPPED_AT: Final = 66  # columns; programs wrap at 72 or later
_BLOCKS: Final = frozenset(
    [
        "address",
        "blockquote",
        "br",
        "div",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "table",
        "tr",
        "ul",
    ]
)
_UNSEEN: Final = frozenset(("head", "script", "style", "title"))


@dataclass(frozen=True, slots=True)
class Mail:
    """One message. `parts`: its text, then the text of each attachment; `unread`: names of other attachments.

    `sender` is never shown; `answers`: message ids, the one it answers last.
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
    """What was said so far, so that what somebody quotes is not counted again."""

    roots: dict[str, str] = field(default_factory=dict)
    said: dict[str, set[int]] = field(default_factory=dict)

    def own_words(self, mail: Mail) -> tuple[str, ...]:
        """Each part without what it repeats: quotations of messages seen here, or of lines said in its thread.

        A quotation is all that is left of a message that is missing: that is kept, without its marks.
        """
        root = next((self.roots[one] for one in mail.answers if one in self.roots), mail.message_id)
        said = self.said.setdefault(root, set())
        is_here = any(one in self.roots for one in mail.answers[-1:])
        self.roots[mail.message_id] = root
        own = tuple("\n".join(_own_lines(part, said, drop_all=is_here)) for part in mail.parts)
        said |= {_mark(line) for part in mail.parts for line in part.splitlines()}
        return own


def read(raw: bytes) -> Mail:
    """Bytes of a message. Never fails: what cannot be read is among `unread`, or left out."""
    message = email.message_from_bytes(raw)
    name, address = parseaddr(_header(message, "From"))
    own, unread = _parts(message)
    return Mail(
        message_id=next(iter(_ids(_header(message, "Message-ID"))), hashlib.sha256(raw).hexdigest()[:24]),
        answers=tuple(
            dict.fromkeys([*_ids(_header(message, "References")), *_ids(_header(message, "In-Reply-To"))])
        ),
        subject=_subject(_header(message, "Subject")),
        sender=(address or name).strip().lower(),
        initials=_initials(name),
        sent_on=_day(_header(message, "Date")),
        archived_at=_address(_header(message, "Archived-At")),
        parts=tuple(own),
        unread=tuple(unread),
    )


def label_in(subject: str) -> Label:
    """Brand and capacity, where a subject names exactly one of each; nothing without a brand."""
    found = [brand for brand in brands() - _AMBIGUOUS if _names(brand, subject)]
    named = {brand for brand in found if not any(brand in other and brand != other for other in found)}
    sizes = {int(size) for size in re.findall(r"(?<![\w.])([0-9]{1,4}) ?GB\b", subject, re.IGNORECASE)}
    if len(named) != 1:
        return Label()
    return Label(brand=named.pop(), capacity_gb=sizes.pop() if len(sizes) == 1 and 0 not in sizes else None)


def _names(brand: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(brand)}(?!\w)", text, re.IGNORECASE) is not None


def order(raw_headers: Iterable[tuple[Any, bytes]]) -> list[Any]:
    """Keys of messages by the time they were sent; those without a readable date where they stand."""
    stamped, last = [], 0.0
    for at, (key, head) in enumerate(raw_headers):
        last = _timestamp(email.message_from_bytes(head)) or last
        stamped.append((last, at, key))
    return [key for _, _, key in sorted(stamped, key=lambda one: one[:2])]


def _own_lines(part: str, said: set[int], *, drop_all: bool) -> Iterator[str]:
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
        elif not drop_all and _mark(line) not in said:
            yield line[quote.end() :] if quote else line


def _mark(line: str) -> int:
    """Lines are known again whatever stands before them."""
    return hash(_QUOTE.sub("", line, count=1).strip())


def _parts(message: Message, *, depth: int = 0) -> tuple[list[str], list[str]]:
    """(texts, names of what is no text)"""
    kind, children = message.get_content_type(), _children(message)
    if message.is_multipart() or depth > _DEEPEST:
        chosen = [_best(children)] if kind == "multipart/alternative" and children else children
        found = [_parts(child, depth=depth + 1) for child in chosen if depth <= _DEEPEST]
        return [text for texts, _ in found for text in texts], [name for _, names in found for name in names]
    name = message.get_filename() or ""
    text = _text(message, kind, name.lower())
    if text is None:
        return [], [name or kind]
    return ([text] if text.strip() else []), []


def _children(message: Message) -> list[Message]:
    """None of a text, whose charset, which `get_payload` would try, may be none that Python can even look up."""
    payload = message.get_payload() if message.is_multipart() else []
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _best(children: list[Message]) -> Message:
    """Plain text, where there is a choice."""
    return next((one for one in children if one.get_content_type() == "text/plain"), children[-1])


def _text(part: Message, kind: str, name: str) -> str | None:
    payload = part.get_payload(decode=True)
    body = payload if isinstance(payload, bytes) else b""
    if name.endswith(".gz") and not name.endswith((".tar.gz", ".tgz")):
        body, name = _unzipped(body), name.removesuffix(".gz")
    if not (kind.startswith("text/") or name.endswith(_TEXT_NAMES)) or b"\0\0\0" in body:
        return None
    text = _decoded(body[:MAX_BYTES], part.get_content_charset())
    if str(part.get_param("format", "")).lower() == "flowed":
        text = "\n".join(_flowed(text.splitlines()))
    return html_to_text(text) if kind == "text/html" or name.endswith((".html", ".htm")) else text


def _decoded(body: bytes, charset: str | None) -> str:
    try:
        return body.decode(charset or "utf-8")
    except (LookupError, ValueError):
        return decode(body)


def _flowed(lines: Iterable[str]) -> list[str]:
    """RFC 3676: a line that ends in a blank goes on in the next. Rows of a table, short ones, only look like it."""
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


def _unzipped(body: bytes) -> bytes:
    """As far as it can be read, and as much as one text may have."""
    try:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(body, MAX_BYTES)
    except (zlib.error, gzip.BadGzipFile):
        return b""


class _Text(HTMLParser):
    """Blocks begin a line; what is quoted is marked as in plain text; blanks stay in `pre` only."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = [""]
        self.depth, self.pre, self.unseen = 0, 0, 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.depth += tag == "blockquote"
        self._block(tag)
        self.pre += tag == "pre"
        self.unseen += tag in _UNSEEN

    def handle_endtag(self, tag: str) -> None:
        self.depth = max(0, self.depth - (tag == "blockquote"))
        self._block(tag)
        self.pre = max(0, self.pre - (tag == "pre"))
        self.unseen = max(0, self.unseen - (tag in _UNSEEN))

    def handle_data(self, data: str) -> None:
        if self.unseen:
            return
        told = data.replace("\xa0", " ")
        for at, piece in enumerate(told.split("\n") if self.pre else [re.sub(r"\s+", " ", told)]):
            if at:
                self._begin()
            self.lines[-1] += piece

    def _block(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._begin()
        elif tag in ("td", "th"):
            self.lines[-1] += "\t"

    def _begin(self) -> None:
        if self.lines[-1].strip("> \t"):
            self.lines.append("")
        self.lines[-1] = "> " * self.depth


def html_to_text(markup: str) -> str:
    """What a reader sees of it."""
    parser = _Text()
    parser.feed(markup)
    parser.close()
    return "\n".join(line.rstrip() for line in parser.lines)


def _header(message: Message, name: str) -> str:
    """A header in plain words; "" when it is missing. Broken encodings are read as they are."""
    raw = str(message.get(name, ""))
    try:
        pieces = decode_header(raw)
    except (ValueError, email.errors.HeaderParseError):
        pieces = [(raw, None)]
    words = "".join(
        _decoded(piece, charset) if isinstance(piece, bytes) else piece for piece, charset in pieces
    )
    return re.sub(r"\s+", " ", words).strip()


def _ids(text: str) -> list[str]:
    return _MESSAGE_ID.findall(text)


def _subject(text: str) -> str:
    """Without the name of the list and the marks of an answer."""
    while match := _PREFIX.match(text):
        text = text[match.end() :]
    return "".join(character for character in text if character.isprintable()).strip()[:150]


def _initials(name: str) -> str:
    letters = [word[0] for word in re.findall(r"[^\W\d_]+", name.partition("@")[0])][:3]
    return " ".join(f"{letter.upper()}." for letter in letters)


def _address(text: str) -> str:
    bare = text.strip("<> ")
    return bare if re.match(r"https?://[^\s<>\"]{3,480}\Z", bare) else ""


def _day(text: str) -> date | None:
    try:
        return parsedate_to_datetime(text).date()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def _timestamp(message: Message) -> float:
    try:
        return parsedate_to_datetime(str(message.get("Date", ""))).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return 0.0
