"""manage.py import_mail FILE.mbox…: import results that people mailed to a list, as if they had pasted them."""

import gzip
import json
import mailbox
import shutil
import tempfile
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote

from django.core.management.base import BaseCommand, CommandError

from submissions.domain.errors import ReportError
from submissions.domain.intake import mail
from submissions.domain.intake.mail import Mail, Threads
from submissions.domain.intake.parsed import Parsed
from submissions.domain.pasting import pasted
from submissions.domain.pasting.pasted import Claims
from submissions.domain.report import Source
from submissions.models import Submission, keys
from submissions.visitors import admitting

_MOST_LINES = 20  # not understood, of one message


class Command(BaseCommand):
    help = (
        "Submit the results in a mailing list archive, message by message, in the order in which they were"
        " sent. Messages that were submitted before are skipped, so you can repeat an import that was"
        " interrupted. Each result names the subject and date of its message, the initials of its author"
        " and, if the archive has one, the URL of the message."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            type=Path,
            metavar="FILE.mbox",
            help="mbox file; can be compressed with gzip",
        )
        parser.add_argument(
            "--archive",
            default="",
            metavar="URL",
            help="URL of a message in the archive, with {id} in place of its Message-ID",
        )
        parser.add_argument(
            "--report",
            type=Path,
            metavar="FILE.jsonl",
            help="write the outcome of every message to this file",
        )

    def handle(
        self, *args: Any, files: list[Path], archive: str, report: Path | None, **options: Any
    ) -> None:
        if archive and not (archive.startswith(("http://", "https://")) and "{id}" in archive):
            raise CommandError("--archive must be an address that begins with https:// and contains {id}.")
        outcomes: Counter[str] = Counter()
        threads = Threads()
        messages = (message for file in files for message in _read_messages(file))
        with _open_report(report) as lines:
            for message in messages:
                for line in self._import_message(message, threads, archive):
                    outcomes[line["outcome"]] += 1
                    self._show(line, lines)
        counted = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
        self.stdout.write(counted or "no messages")

    def _import_message(self, message: Mail, threads: Threads, archive: str) -> Iterator[dict[str, Any]]:
        about = {
            "message_id": message.message_id,
            "subject": message.subject,
            "attachments_not_read": list(message.unread),
        }
        parts = threads.own_words(message)
        # A message about several cards is handed in part by part.
        claims = Claims(label=mail.label_in(message.subject), source=_source(message, archive))
        whole = _hand_in("\n".join(parts), claims, message.sender)
        if whole.get("code") == "several_cards" and len(parts) > 1:
            for part in parts:
                yield about | _hand_in(part, claims, message.sender)
        else:
            yield about | whole

    def _show(self, line: dict[str, Any], lines: TextIO | None) -> None:
        if lines:
            lines.write(json.dumps(line, ensure_ascii=False) + "\n")
        if line["outcome"] == "without a result":
            return
        why = f": {line['detail'].rstrip('.')}" if line.get("detail") else ""
        missed = len(line.get("not_understood", ()))
        left = f"; {missed} lines contain numbers that we did not understand" if missed else ""
        self.stdout.write(f"{line['outcome']}{why}{left}: “{line['subject']}” <{line['message_id']}>")


def _hand_in(text: str, claims: Claims, sender: str) -> dict[str, Any]:
    body = text.encode(errors="replace")
    stored = Submission.objects.filter(content_hash=pasted.content_hash(body, claims)).first()
    if stored:
        return {"outcome": "known", "submission": stored.public_id}
    rest: dict[str, Any] = {}
    try:
        parsed = pasted.parse(body, claims=claims)
        if not parsed.figures and not parsed.registers and not parsed.questions:
            return {"outcome": "without a result"}
        rest = _list_unread(parsed)
        submitter = keys.submitter_key("mail", sender or "nobody")
        (receipt,) = admitting.accept_parts(body, [claims], channel="mail", submitter=submitter)
    except ReportError as error:
        return {"outcome": "refused", "code": error.code, "detail": error.detail} | rest
    return {"outcome": "new", "submission": receipt.submission.public_id} | rest


def _list_unread(parsed: Parsed) -> dict[str, Any]:
    lines = [{"line": rest.line, "text": rest.text} for rest in parsed.not_understood[:_MOST_LINES]]
    return {
        "not_understood": lines,
        "numbers_not_understood": parsed.number_count - parsed.numbers_understood,
        "questions": [question.detail for question in parsed.questions],
    }


def _source(message: Mail, archive: str) -> Source:
    day = f", {message.sent_on.isoformat()}" if message.sent_on else ""
    url = message.archived_at or (
        archive.replace("{id}", quote(message.message_id, safe="@+$=._-")) if archive else ""
    )
    title = f"Mail “{message.subject or 'without a subject'}”{day}"
    return Source(title=title, author=message.initials, url=url if len(url) <= 500 else "")


def _read_messages(file: Path) -> Iterator[Mail]:
    """Yield the messages in the order in which they were sent. Raise CommandError if a file has no message."""
    with _unpack(file) as plain:
        box = mailbox.mbox(plain, create=False)
        try:
            keys = mail.order((key, box.get_bytes(key)) for key in box.iterkeys())
            if not keys:
                raise CommandError(f"{file} contains no messages; is it an mbox file?")
            for key in keys:
                yield mail.read(box.get_bytes(key))
        finally:
            box.close()


@contextmanager
def _unpack(file: Path) -> Iterator[Path]:
    try:
        if file.suffix != ".gz":
            with file.open("rb"):
                yield file
            return
        with tempfile.NamedTemporaryFile(suffix=".mbox") as plain:
            with gzip.open(file) as packed:
                shutil.copyfileobj(packed, plain)
            plain.flush()
            yield Path(plain.name)
    except (OSError, EOFError) as error:
        raise CommandError(f"Cannot read {file}: {error}") from error


def _open_report(report: Path | None) -> AbstractContextManager[TextIO | None]:
    try:
        return report.open("w", encoding="utf-8") if report else nullcontext()
    except OSError as error:
        raise CommandError(f"Cannot write {report}: {error.strerror}") from error
