"""The command line: what can be typed, and which function does it."""

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from cardbench import __version__, commands
from cardbench.errors import CardbenchError
from cardbench.submit import ATTEMPTS, DEFAULT_SERVER

INTERRUPTED = 130

EPILOG = """exit status: 0 done, 2 wrong usage, 3 refused for safety, 4 device error, 5 server refused,
6 server not reached, 130 interrupted"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command -> its exit status."""
    arguments = parser().parse_args(argv)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return int(arguments.command(arguments))
    except CardbenchError as error:
        _complain(error, as_json=arguments.json)
        return error.exit_status
    except KeyboardInterrupt:
        print("cardbench: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _complain(error: CardbenchError, *, as_json: bool) -> None:
    if as_json:
        print(
            json.dumps({"error": {"code": error.code, "detail": str(error), "field": ""}}, ensure_ascii=False)
        )
    print(f"cardbench: {error}", file=sys.stderr)


def parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    top = argparse.ArgumentParser(
        prog="cardbench", description="Measures SD cards and flash drives.", epilog=EPILOG
    )
    top.add_argument("--version", action="version", version=f"cardbench {__version__}")
    verbs = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add in (_add_demo, _add_show, _add_submit):
        add(verbs)
    return top


Verbs = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _verb(verbs: Verbs, name: str, function: commands.Command, help_text: str) -> argparse.ArgumentParser:
    verb = verbs.add_parser(name, help=help_text, description=help_text, epilog=EPILOG)
    verb.set_defaults(command=function)
    verb.add_argument(
        "--json", action="store_true", help="answer with JSON on standard output, and show no progress"
    )
    return verb


def _add_demo(verbs: Verbs) -> None:
    verb = _verb(
        verbs, "demo", commands.demo, "measure a simulated card; needs no card, no engine and no rights"
    )
    verb.add_argument("-o", "--output", type=Path, metavar="FILE", help="save the report here")
    verb.add_argument("--seed", type=int, default=1, help="which simulated card (default 1)")


def _add_show(verbs: Verbs) -> None:
    verb = _verb(verbs, "show", commands.show_report, "show a report as a page for people")
    verb.add_argument("report", type=Path, metavar="REPORT")


def _add_submit(verbs: Verbs) -> None:
    verb = _verb(
        verbs, "submit", commands.submit_reports, "send reports to a server; sending twice counts once"
    )
    verb.add_argument("reports", type=Path, nargs="+", metavar="REPORT")
    verb.add_argument(
        "--server",
        default=os.environ.get("CARDBENCH_SERVER", DEFAULT_SERVER),
        metavar="URL",
        help="default: $CARDBENCH_SERVER, else %(default)s",
    )
    verb.add_argument(
        "--token", default=os.environ.get("CARDBENCH_TOKEN", ""), help="default: $CARDBENCH_TOKEN"
    )
    verb.add_argument(
        "--attempts",
        type=_positive,
        default=ATTEMPTS,
        metavar="N",
        help="how often to try (default %(default)s)",
    )
    verb.add_argument(
        "--dry-run", action="store_true", help="send nothing; print exactly the bytes that would be sent"
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number
