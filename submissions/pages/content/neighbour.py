"""Figures as a neighbour would name them: a row for each kind of work that a card does."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from submissions.domain.ranking.uses import Term
from submissions.domain.ranking.wish import Wish
from submissions.models import Score
from submissions.pages import wording


class Work(NamedTuple):
    """`figures`: how the names of its figures begin. `enough`, `short`: what is said of a card that does it well
    enough, and of one that does not."""

    figures: tuple[str, ...]
    name: str
    enough: str
    short: str


_WORKS = (
    Work(
        ("rand_write",),
        gettext_noop("small writes"),
        gettext_noop("Saves small files %(times)s as fast as needed."),
        gettext_noop("Slow at saving small files: %(share)s of what is needed."),
    ),
    Work(
        ("rand_read",),
        gettext_noop("small reads"),
        gettext_noop("Finds and opens small files %(times)s as fast as needed."),
        gettext_noop("Slow at opening small files: %(share)s of what is needed."),
    ),
    Work(
        ("open_au",),
        gettext_noop("writes in several places"),
        gettext_noop("Keeps up when several programs write at once, %(times)s as fast as needed."),
        gettext_noop("Slows down when several programs write at once: %(share)s of what is needed."),
    ),
    Work(
        ("seq_write", "fill_write"),
        gettext_noop("large writes"),
        gettext_noop("Writes large files at %(value)s, %(times)s as fast as needed."),
        gettext_noop("Slow at writing large files: %(value)s, %(share)s of what is needed."),
    ),
    Work(
        ("seq_read", "fill_read"),
        gettext_noop("large reads"),
        gettext_noop("Reads large files at %(value)s, %(times)s as fast as needed."),
        gettext_noop("Slow at reading large files: %(value)s, %(share)s of what is needed."),
    ),
)


def _work(figure: str) -> Work:
    return next(work for work in _WORKS if figure.startswith(work.figures))


def name(figure: str) -> str:
    """ "rand_write_4k_qd32" -> "small writes"."""
    return _(_work(figure).name)


class Measured(NamedTuple):
    """A figure in multiples of what the purpose needs, with its interval; `amount`: in its own unit."""

    figure: str
    ratio: float
    lower: float
    upper: float
    amount: str


def measured(terms: Iterable[Term], score: Score) -> Measured | None:
    """The first of them that was measured; None where none was."""
    term = next((term for term in terms if term.figure in score.figures), None)
    if term is None:
        return None
    told: Mapping[str, Any] = score.figures[term.figure]
    value, lower, upper = (
        told.get(end, told["value"]) / term.reference for end in ("value", "lower", "upper")
    )
    ratio = lower if told.get("at_least") else value
    return Measured(term.figure, ratio, lower, upper, wording.figure(term.figure, told))


def sentence(score: Score, wish: Wish) -> str:
    """How it does in what the purpose weighs most, of what was measured; "" when nothing of that was."""
    told = measured(wish.terms, score)
    if told is None:
        return ""
    work = _work(told.figure)
    return _(work.enough if told.ratio >= 1 else work.short) % {
        "times": wording.times(told.ratio),
        "share": wording.percent(told.ratio),
        "value": told.amount,
    }
