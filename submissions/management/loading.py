"""Options of commands that hand in many reports, and how they are worked out."""

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError

from submissions.domain.errors import ReportError
from submissions.visitors import admitting
from submissions.writing import ingest, refit


@contextmanager
def refusals(file: Path, *, outcome: str = "") -> Iterator[None]:
    """Raise CommandError in place of whatever a file raises within the block; `outcome` is a sentence after it."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{file} is not UTF-8 text: {error.reason} at byte {error.start}") from error
    except ReportError as error:
        raise CommandError(f"{file}: {error.detail.rstrip('.')}.{outcome}") from error


def add_options(parser: ArgumentParser) -> None:
    """Add the options --here and --unvouched."""
    words = "process everything here and rank only once at the end; for many thousands of reports"
    parser.add_argument("--here", action="store_true", help=words)
    words = "do not vouch for these sources: their authors must earn trust like everybody else"
    parser.add_argument("--unvouched", action="store_true", help=words)


def work_out(*, here: bool, batch: int) -> None:
    """Work out the stored reports in this process, or let the workers do it."""
    if here:
        ingest.process_all_waiting(most=batch)
        refit.refit_after_load()
    else:
        admitting.admit_stored()
