"""Find the answer to a question: what people see first. Rows of data/answers.toml."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from submissions.domain import tables
from submissions.domain.search.question import Question
from submissions.domain.translation import Titled, translate


class Link(NamedTuple):
    """`address`: the name of a page, with a query or a fragment."""

    address: str
    english: str

    @property
    def words(self) -> str:
        return translate(self.english)


@dataclass(frozen=True, slots=True)
class Answer(Titled):
    """A row of the table; `command` is "" where none answers, `most_gb` 0 but where it is of cards up to a size."""

    name: str
    english: str
    english_text: str
    command: str
    links: tuple[Link, ...]
    most_gb: float

    @property
    def text(self) -> str:
        return translate(self.english_text)

    @property
    def sentence(self) -> str:
        """Return title and text in one."""
        return f"{self.title}{'' if self.english.endswith('?') else ':'} {self.text}"


@cache
def all_answers() -> dict[str, Answer]:
    return {name: _make_answer(name, row) for name, row in tables.document("answers").items()}


def find_answer(question: Question, *, has_device: bool) -> Answer | None:
    """Find the answer to a question; None where it is a list of cards for a device."""
    every = all_answers()
    if question.intent == "choose":
        return None if has_device else every["device"]
    return next(every[name] for name in _list_names(question) if name in every)


def _list_names(question: Question) -> Iterator[str]:
    """The names of fitting rows, that for more of what the question says first."""
    if question.registers:
        yield "registers"
    if question.intent == "broken":
        yield from ("log",) if question.is_log else (question.symptom,)
    if question.intent == "compatibility" and question.largest_gb:
        yield from (name for name, row in all_answers().items() if row.most_gb >= question.largest_gb)
    yield question.intent


def all_texts() -> Iterator[str]:
    for answer in all_answers().values():
        yield from (answer.english, answer.english_text, *(link.english for link in answer.links))


def _make_answer(name: str, row: dict[str, Any]) -> Answer:
    links = tuple(Link(*link) for link in row.get("links", ()))
    return Answer(name, row["title"], row["text"], row.get("command", ""), links, row.get("most_gb", 0))
