"""Run the command that was typed: the table of commands, and how each ends."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cardbench import __version__
from cardbench.cli import check, compare, completion, disks, health, parse, powercut, reports, run
from cardbench.cli.options import add_options, argument
from cardbench.cli.request import Request, RunRequest, SystemRequest
from cardbench.cli.terminal import print_json, say, write
from cardbench.errors import CardbenchError
from cardbench.stopping import INTERRUPTED, heed

EPILOG = """exit status: 0 done, 2 wrong usage, 3 refused for safety, 4 device error, 5 server refused,
6 server not reached, 7 the card is bad, 130 interrupted"""


@dataclass(frozen=True)
class CompletionRequest(Request):
    """Hold the options of `completion`."""

    kind: str = argument(choices=("bash", "man"))


def print_completion(request: CompletionRequest) -> int:
    """Print the completion for a shell, or the manual page."""
    write(completion.write(parser(), request.kind), end="")
    return 0


# Name -> what it is asked for, the function that does it, and a sentence for its help.
COMMANDS: dict[str, tuple[type[Request], Callable[[Any], int], str]] = {
    "list": (SystemRequest, disks.list_disks, "list the disks of this machine, cards first"),
    "identify": (
        disks.IdentifyRequest,
        disks.identify,
        "show what a card says of itself; reads nothing but registers",
    ),
    "run": (RunRequest, run.run, "measure a card; without --destructive a device or a file is only read"),
    "check": (
        check.CheckRequest,
        check.check,
        "say in one sentence whether a card is genuine and well; in a directory only a file of its own is written",
    ),
    "health": (
        health.HealthRequest,
        health.show_health,
        "show what a card itself says of its wear; nothing is read or written",
    ),
    "watch": (
        health.WatchRequest,
        health.watch,
        "note how worn a card is, and how long it lasts at this rate; once a day, say",
    ),
    "powercut": (
        powercut.PowercutRequest,
        powercut.cut_power,
        "cut the power while blocks are written, and count what was not kept",
    ),
    "compare-filesystems": (
        compare.CompareRequest,
        compare.compare_filesystems,
        "make each file system on a card given up for it, and measure it there; everything on it is lost",
    ),
    "show": (reports.ShowRequest, reports.show_report, "show a report as a page for people"),
    "submit": (
        reports.SubmitRequest,
        reports.submit_reports,
        "send reports to a server; sending twice counts once",
    ),
    "parse": (
        parse.ParseRequest,
        parse.parse,
        "turn what flashbench, fio, dd, f3 and others printed into reports; a server reads it and stores nothing",
    ),
    "demo": (run.DemoRequest, run.demo, "measure a simulated card; needs no card, no engine and no rights"),
    "completion": (
        CompletionRequest,
        print_completion,
        "print the completion for a shell, or the manual page",
    ),
}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line, made of COMMANDS."""
    top = argparse.ArgumentParser(
        prog="cardbench", description="Measures SD cards and flash drives.", epilog=EPILOG
    )
    top.add_argument("--version", action="version", version=f"cardbench {__version__}")
    verbs = top.add_subparsers(title="commands", dest="command", required=True, metavar="COMMAND")
    for name, (request, _, sentence) in COMMANDS.items():
        verb = verbs.add_parser(name, help=sentence, description=sentence, epilog=EPILOG)
        add_options(verb, request)
    return top


def read(argv: Sequence[str] | None) -> tuple[Callable[[Any], int], Any]:
    """Return the function of the command that was typed, and its request."""
    words = vars(parser().parse_args(argv))
    request, function, _ = COMMANDS[words.pop("command")]
    frozen: dict[str, Any] = {
        name: tuple(word) if isinstance(word, list) else word for name, word in words.items()
    }
    return function, request(**frozen)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command -> its exit status."""
    function, request = read(argv)
    heed()
    try:
        return function(request)
    except CardbenchError as error:
        if request.json:
            print_json(error.answer)
        say(f"cardbench: {error}")
        return error.exit_status
    except KeyboardInterrupt:
        say("cardbench: interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
