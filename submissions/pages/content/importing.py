"""A table or a thread that others have published: what of it is understood, asked and refused, and how it is kept."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from submissions.domain.errors import ReportError
from submissions.domain.intake import thread
from submissions.domain.intake.lines import decode
from submissions.domain.intake.published.reports import Reason, Taken, reasons, states, take
from submissions.domain.intake.published.table import State, is_table, rows_of
from submissions.domain.intake.thread import Post
from submissions.domain.report import Source, parse
from submissions.models import Submission
from submissions.pages.content.preview import Understanding, understand_text
from submissions.pages.forms.importing import ImportForm, PostForm
from submissions.writing import published

_MOST_REASONS, _MOST_CARDS = 20, 50


@dataclass(frozen=True, slots=True)
class Entry:
    """One post and what becomes of it: `reason` says why it is asked about or refused. `submission`: once it is kept;
    `is_new`: it was not there before."""

    post: Post
    form: PostForm
    state: State
    reason: str = ""
    understood: Understanding | None = None
    submission: Submission | None = None
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class TableLook:
    """`cards`: (name, host, number of measurements) of its first reports. `new`: how many were, once it is kept."""

    rows: int
    counts: Mapping[str, int]
    reasons: Sequence[Reason]
    reports: int
    cards: Sequence[tuple[str, str, int]]
    new: int | None = None


def look(form: ImportForm) -> TableLook | list[Entry]:
    """What is handed in, stored nowhere. Raises ReportError for what is neither a table nor a thread."""
    text = decode(form.handed_in())
    if is_table(text):
        return _table(_taken(text, form))
    return [_looked_at(post, PostForm(post, form.data), form) for post in thread.posts(text)]


def keep(form: ImportForm) -> TableLook | list[Entry]:
    """Keep what is understood; what is there already stays as it is. Raises ReportError as `look`."""
    text = decode(form.handed_in())
    if is_table(text):
        taken = _taken(text, form)
        return _table(taken, new=published.keep_table(taken.reports, vouched=form.cleaned_data["vouched"]))
    return list(_kept(thread.posts(text), form))


def _taken(text: str, form: ImportForm) -> Taken:
    return take(rows_of(text, source_id=form.source_id), form.origin)


def _table(taken: Taken, new: int | None = None) -> TableLook:
    cards = [parse(report.body) for report in taken.reports[:_MOST_CARDS]]
    return TableLook(
        rows=len(taken.lines),
        counts=states(taken.lines),
        reasons=reasons(taken.lines)[:_MOST_REASONS],
        reports=len(taken.reports),
        cards=[
            (
                " ".join(str(word) for word in report.card.label.names if word) or report.card.specimen,
                report.host.board or report.host.machine,
                len(report.measurements),
            )
            for report in cards
        ],
        new=new,
    )


def _looked_at(post: Post, own: PostForm, form: ImportForm) -> Entry:
    try:
        understood = understand_text(post.text.encode(), own.claims(_source(post, form)))
    except ReportError as error:
        return Entry(post, own, "refused", error.detail)
    problem, reading = understood.problem, understood.reading
    if problem:
        state: State = "asked" if problem.code == "needs_label" else "refused"
        return Entry(post, own, state, problem.detail, understood)
    asked = [question for question in reading.questions if not question.answer] if reading else []
    return Entry(post, own, "asked" if asked else "understood", asked[0].detail if asked else "", understood)


def _kept(posts: Sequence[Post], form: ImportForm) -> Iterator[Entry]:
    for post in posts:
        own = PostForm(post, form.data)
        if own.is_left:
            continue
        try:
            receipt = published.keep_post(post.text, own.claims(_source(post, form)))
        except ReportError as error:
            yield Entry(post, own, "refused", error.detail)
        else:
            yield Entry(post, own, "understood", submission=receipt.submission, is_new=receipt.created)


def _source(post: Post, form: ImportForm) -> Source:
    origin = form.origin
    said: dict[str, Any] = {"title": origin.title, "url": origin.url, "licence": origin.licence}
    author = post.author or origin.author
    return Source(id=form.source_id or None, author=author, place=post.place, dated=post.dated, **said)
