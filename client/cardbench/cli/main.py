"""Run a command of the command line: the table of commands, and their exit status."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any

from cardbench import __version__
from cardbench.cli import check, compare, completion, disks, health, parse, powercut, reports, run
from cardbench.cli.options import add_options, argument
from cardbench.cli.release import describe_release
from cardbench.cli.request import Request, RunRequest, SystemRequest
from cardbench.cli.terminal import command, print_json, say, write
from cardbench.errors import CardbenchError
from cardbench.stopping import INTERRUPTED, interrupt_on_signals

_EXIT_STATUS = (
    "exit status: 0 done, 2 wrong usage, 3 refused for safety, 4 device error, 5 server refused, "
    "6 server not reached, 7 the card is bad, 130 interrupted"
)


class _Lines(argparse.HelpFormatter):
    """A formatter of help pages that keeps the line breaks of a text, such as between examples."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(fill(line, width, initial_indent=indent) for line in text.splitlines())


class _Version(argparse.Action):
    def __call__(self, *_: Any) -> None:
        release, status = describe_release(Path(sys.argv[0]))
        write(f"cardbench {__version__}\n{release}")
        sys.exit(status)


@dataclass(frozen=True)
class CompletionRequest(Request):
    """The options of the command `completion`."""

    kind: str = argument(choices=completion.KINDS)


def print_completion(request: CompletionRequest) -> int:
    """Print the completion script for a shell, or the manual page."""
    write(completion.KINDS[request.kind](parser()), end="")
    return 0


@dataclass(frozen=True)
class Command:
    """A command: the class of its options, the function that runs it, a sentence for its help, and an example."""

    request: type[Request]
    carry_out: Callable[[Any], int]
    sentence: str
    example: str


COMMANDS = {
    "list": Command(SystemRequest, disks.list_disks, "list the disks of this machine, cards first", "list"),
    "identify": Command(
        disks.IdentifyRequest,
        disks.identify,
        "show what a card says about itself; reads only its registers",
        "identify mmcblk0",
    ),
    "run": Command(
        RunRequest,
        run.run,
        "measure a card; without --destructive, only reads a device or a file",
        "run ~ --submit",
    ),
    "check": Command(
        check.CheckRequest,
        check.check,
        "say in one sentence whether a card is genuine and healthy; in a directory, writes only to a temporary"
        " file",
        "check ~",
    ),
    "health": Command(
        health.HealthRequest,
        health.show_health,
        "show what a card itself reports about its wear, without reading or writing data",
        "health mmcblk0",
    ),
    "watch": Command(
        health.WatchRequest,
        health.watch,
        "record how worn a card is and how long it will last at this rate; run it once a day",
        "watch mmcblk0 --print cron",
    ),
    "powercut": Command(
        powercut.PowercutRequest,
        powercut.cut_power,
        "cut the power while blocks are written, and count what the card lost",
        "powercut /media/card --cuts 5",
    ),
    "compare-filesystems": Command(
        compare.CompareRequest,
        compare.compare_filesystems,
        "make each file system on a card in turn and measure it; everything on the card is lost",
        "compare-filesystems mmcblk0 --filesystem ext4 --filesystem f2fs",
    ),
    "show": Command(
        reports.ShowRequest, reports.show_report, "show a report as readable text", "show report.json"
    ),
    "submit": Command(
        reports.SubmitRequest,
        reports.submit_reports,
        "send reports to a server; a report sent twice counts once",
        "submit report.json --dry-run",
    ),
    "parse": Command(
        parse.ParseRequest,
        parse.parse,
        "turn the output of flashbench, fio, dd, f3 and others into reports; a server reads the output but"
        " does not store it",
        "parse old-log.txt --brand Kingston",
    ),
    "demo": Command(
        run.DemoRequest,
        run.demo,
        "measure a simulated card; needs no card, no engine and no privileges",
        "demo --suite standard",
    ),
    "completion": Command(
        CompletionRequest,
        print_completion,
        "print the completion script for a shell, or the manual page",
        "completion bash",
    ),
}
_FIRST_STEPS = ("list", "run", "check")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line, generated from COMMANDS."""
    top = argparse.ArgumentParser(
        prog=command(),
        description="Measures SD cards and flash drives.",
        epilog=_describe_examples(*_FIRST_STEPS),
        formatter_class=_Lines,
    )
    top.add_argument(
        "--version",
        action=_Version,
        nargs=0,
        default=argparse.SUPPRESS,
        help="show the version, and whether this is a signed release",
    )
    verbs = top.add_subparsers(title="commands", dest="command", required=True, metavar="COMMAND")
    for name, one in COMMANDS.items():
        verb = verbs.add_parser(
            name,
            help=one.sentence,
            description=one.sentence,
            epilog=_describe_examples(name),
            formatter_class=_Lines,
        )
        add_options(verb, one.request)
    return top


def _describe_examples(*names: str) -> str:
    lines = (f"  {command()} {COMMANDS[name].example}" for name in names)
    return "\n".join((f"example{'s' if len(names) > 1 else ''}:", *lines, "", _EXIT_STATUS))


def read(argv: Sequence[str] | None) -> tuple[Callable[[Any], int], Any]:
    """Return the function of the command in the arguments, and its options."""
    words = vars(parser().parse_args(argv))
    chosen = COMMANDS[words.pop("command")]
    frozen: dict[str, Any] = {
        name: tuple(word) if isinstance(word, list) else word for name, word in words.items()
    }
    return chosen.carry_out, chosen.request(**frozen)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in the arguments. Return its exit status."""
    if not (sys.argv[1:] if argv is None else argv):
        write(parser().format_help(), end="")
        return 0
    function, request = read(argv)
    interrupt_on_signals()
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
    except BrokenPipeError:  # the program that reads our output has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
