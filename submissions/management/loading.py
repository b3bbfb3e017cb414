"""Options of commands that hand in many reports, and how they are worked out."""

from argparse import ArgumentParser

from submissions.visitors import admitting
from submissions.writing import ingest, refit


def add_options(parser: ArgumentParser) -> None:
    """Add the options --here and --unvouched."""
    words = "work everything out in this process and judge once at the end: for many thousands of reports"
    parser.add_argument("--here", action="store_true", help=words)
    words = "you do not vouch for these sources: their authors become trusted as everybody else does"
    parser.add_argument("--unvouched", action="store_true", help=words)


def work_out(*, here: bool, batch: int) -> None:
    """Work out the stored reports in this process, or let the workers do it."""
    if here:
        ingest.process_all_waiting(most=batch)
        refit.refit_after_load()
    else:
        admitting.admit_stored()
