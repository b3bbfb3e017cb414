"""Find the answer that people see first for a question, from data/answers.toml."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from submissions.domain import tables
from submissions.domain.search.question import Question
from submissions.domain.translation import Titled, translate


class Link(NamedTuple):
    """A link in an answer. `address`: the name of a page, with a query or a fragment."""

    address: str
    english: str

    @property
    def words(self) -> str:
        return translate(self.english)


@dataclass(frozen=True, slots=True)
class Answer(Titled):
    """A row of data/answers.toml: the answer to a kind of question.

    `command`: a command that answers the question, "" if there is none; `most_gb`: the largest size of cards for which
    the answer is valid, 0 for any size.
    """

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
        """Return title and text of the answer in one sentence."""
        return f"{self.title}{'' if self.english.endswith('?') else ':'} {self.text}"


@cache
def all_answers() -> dict[str, Answer]:
    return {name: _make_answer(name, row) for name, row in tables.document("answers").items()}


def find_answer(question: Question, *, has_device: bool) -> Answer | None:
    """Return the answer to a question; None if the answer is a list of cards for a device."""
    every = all_answers()
    if question.intent == "choose":
        return None if has_device else every["device"]
    return next(every[name] for name in _list_names(question) if name in every)


def _list_names(question: Question) -> Iterator[str]:
    # The most specific row first.
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
