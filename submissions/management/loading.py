"""Share options and steps of the management commands that load many reports."""

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError

from submissions.domain.errors import ReportError
from submissions.visitors import admitting
from submissions.writing import ingest, refit


@contextmanager
def convert_errors(file: Path, *, outcome: str = "") -> Iterator[None]:
    """Raise CommandError for an error in a file, in place of OSError, UnicodeDecodeError and ReportError.

    The errors are those that the block raises; `outcome`: a sentence to add to the message of a ReportError.
    """
    try:
        yield
    except OSError as error:
        raise CommandError(f"Cannot read {file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{file} is not UTF-8 text: {error.reason} at byte {error.start}") from error
    except ReportError as error:
        raise CommandError(f"{file}: {error.detail.rstrip('.')}.{outcome}") from error


def add_options(parser: ArgumentParser) -> None:
    """Add the options --here and --unvouched to the parser of a command."""
    words = "work everything out in this process and judge once at the end: for many thousands of reports"
    parser.add_argument("--here", action="store_true", help=words)
    words = "do not vouch for these sources: their authors must earn trust like everybody else"
    parser.add_argument("--unvouched", action="store_true", help=words)


def process_reports(*, here: bool, batch: int) -> None:
    """Process the stored reports in this process and make a full fit, or let the workers process them."""
    if here:
        ingest.process_all_waiting(most=batch)
        refit.refit_after_load()
    else:
        admitting.admit_stored()
