"""A thread of a forum or a list, pasted whole -> its posts, each with its author and its day.

A post begins with a heading as the programs of forums write it where somebody copies the page; whoever pastes may write
one by hand: "=== author, day".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from submissions.domain.errors import ReportError
from submissions.domain.intake import mail
from submissions.domain.report import Label

MOST_POSTS: Final = 200
_AGO: Final = r"\d{1,2} (?:minute|hour|day|week|month|year)s? ago"
_DAY: Final = (
    rf"(?:on )?(?:[A-Z][a-z]{{2,8}} \d{{1,2}}(?:, \d{{4}})?|last (?:week|month|year)|yesterday|{_AGO})"
)
# Headings with `author` and `dated`. Examples of each stand in the tests.
_HEADINGS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # By hand.
        r"^={3,} *(?P<author>[^,=\n]{1,80}?)(?:, *(?P<dated>[^=\n]{1,60}?))? *=*$",
        # Discourse, by /raw/.
        r"^(?P<author>\S{1,60}) \| (?P<dated>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC) \| #\d{1,5}$",
        # phpBB, as of the forums of Raspberry Pi.
        r"^(?:Post )?by (?P<author>[^\n»]{1,60}?) » (?P<dated>\w{3} \w{3} \d{1,2}, \d{4}[^\n]{0,12})$",
        # GitHub.
        r"^(?P<author>[A-Za-z0-9][\w-]{0,40})\s{1,3}(?:commented|opened(?: this issue)?) "
        rf"(?P<dated>{_DAY})[^\n]{{0,60}}$",
        # Invision, as of Armbian: rank and number of posts stand between the author and the day.
        r"^(?P<author>\S[^\n]{0,60})\n(?:(?:[A-Z][a-z]{2,14}|\W{0,3}\d[\d.,]{0,8}) *\n){1,4}"
        rf"Posted (?P<dated>{_DAY})[^\n]{{0,60}}$",
        # Reddit.
        rf"^(?:\[[–+-]\])?(?P<author>[\w-]{{3,20}})(?:\[S\])? -?\d{{1,6}} points? (?P<dated>{_AGO})[^\n]{{0,40}}$",
        # Mail.
        r"^From: *(?P<author>[^<\n@]{1,80}?) *(?:<[^>\n]{0,100}>)?\n(?:[A-Z][\w-]{1,30}:[^\n]{0,300}\n){0,10}?"
        r"Date: *(?P<dated>[^\n]{1,60})$",
    )
)
# Where the label of a card may be named: a post begins with what it is about.
_WORDS_LOOKED_AT: Final = 20_000


class ThreadError(ReportError):
    """No post begins in the text."""

    code = "no_thread"


@dataclass(frozen=True, slots=True)
class Post:
    """`number` counts from 1; `dated`: as the heading says it; `text`: without what it quotes of posts before it."""

    number: int
    author: str
    dated: str
    text: str

    @property
    def place(self) -> str:
        return f"post {self.number}"

    @property
    def label(self) -> Label:
        """What it names exactly one of; a proposal for whoever brings it, who has read it."""
        return mail.label_in(self.text[:_WORDS_LOOKED_AT])


def posts(text: str) -> tuple[Post, ...]:
    """Every post of a thread, in its order. What stands above the first is left out. Raises ThreadError."""
    found = list(_headings(text.replace("\r\n", "\n")))
    if not found:
        raise ThreadError(
            "No post begins in this text. Write “=== author, day” above each, or paste the page as a whole; a table"
            " begins with the columns of api/v1/TABLE.md.",
            field="text",
        )
    if len(found) > MOST_POSTS:
        raise ThreadError(f"{len(found)} posts; paste at most {MOST_POSTS} at a time.", field="text")
    return tuple(_posts(found))


def _headings(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each heading with the text up to the next one."""
    matches = sorted((match for pattern in _HEADINGS for match in pattern.finditer(text)), key=re.Match.start)
    apart = [match for at, match in enumerate(matches) if not at or match.start() >= matches[at - 1].end()]
    for match, following in zip_longest(apart, apart[1:]):
        yield match, text[match.end() : following.start() if following else None]


def _posts(found: list[tuple[re.Match[str], str]]) -> Iterator[Post]:
    thread: set[int] = set()
    for number, (heading, body) in enumerate(found, start=1):
        own = "\n".join(mail.own_lines(body, thread, drop_all=False)).strip("\n")
        thread |= {mail.mark(line) for line in body.splitlines()}
        yield Post(number, heading["author"].strip(), (heading["dated"] or "").strip(), own)
